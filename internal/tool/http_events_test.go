package tool_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// stream is an open stream of events.
type stream struct {
	t      testing.TB
	header http.Header
	lines  *bufio.Scanner
	leave  func()
}

func (h *house) events(secret, last string) *stream {
	h.t.Helper()
	ctx, leave := context.WithCancel(h.t.Context())
	h.t.Cleanup(leave)
	req, _ := http.NewRequestWithContext(ctx, "GET", h.server.URL+"/v1/events", nil)
	req.Header.Set("Authorization", "Bearer "+secret)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := h.server.Client().Do(req)
	if err != nil || resp.StatusCode != 200 {
		h.t.Fatal(resp, err)
	}
	h.t.Cleanup(func() { _ = resp.Body.Close() })
	s := &stream{h.t, resp.Header, bufio.NewScanner(resp.Body), leave}
	if first := s.line(); !strings.HasPrefix(first, ":") {
		h.t.Errorf("first byte %q", first)
	}
	return s
}

// line is the next line that is not empty; "" at the end of the stream.
func (s *stream) line() string {
	for s.lines.Scan() {
		if s.lines.Text() != "" {
			return s.lines.Text()
		}
	}
	return ""
}

// next is the next event: its id, its name and data.
func (s *stream) next() (id, event string) {
	s.t.Helper()
	id, isID := strings.CutPrefix(s.line(), "id: ")
	name, isName := strings.CutPrefix(s.line(), "event: ")
	data, isData := strings.CutPrefix(s.line(), "data: ")
	if !isID || !isName || !isData {
		s.t.Fatalf("no event: %q %q %q", id, name, data)
	}
	return id, name + " " + data
}

func (s *stream) wants(format string, args ...any) (id string) {
	s.t.Helper()
	id, got := s.next()
	if at := strings.Index(got, `,"at":"`); at < 0 || got[:at] != fmt.Sprintf(format, args...) {
		s.t.Errorf("got %s, want %s", got, fmt.Sprintf(format, args...))
	}
	return id
}

func TestEvents(t *testing.T) {
	h := open(t)
	own, all := h.events(ci, ""), h.events(ops, "")
	if own.header.Get("Content-Type") != "text/event-stream" || own.header.Get("X-Accel-Buffering") != "no" {
		t.Error(own.header)
	}
	h.call("POST", "/v1/ask?wait=0s", cd, deploy).is(202)
	theirs := h.asked(1)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	mine := h.asked(2)
	h.call("POST", "/v1/requests/"+mine+"/answers", ann, sayYes).is(200)
	h.call("DELETE", "/v1/requests/"+theirs, cd, "").is(200)

	own.wants(`asked {"request":"%s","status":"pending"`, mine)
	placed := own.wants(`placed {"request":"%s","status":"pending","question":"d"`, mine)
	own.wants(`answered {"request":"%s","status":"answered","question":"d"`, mine)
	all.wants(`asked {"request":"%s","status":"pending"`, theirs)
	all.wants(`placed {"request":"%s","status":"pending","question":"d"`, theirs)
	all.wants(`asked {"request":"%s","status":"pending"`, mine)

	again := h.events(ci, placed)
	again.wants(`answered {"request":"%s","status":"answered","question":"d"`, mine)
	oldest := h.events(ann, "0")
	oldest.wants(`asked {"request":"%s","status":"pending"`, theirs)

	unknown := h.events(ci, "no-such-id") // of another log: from now on
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	unknown.wants(`asked {"request":"%s","status":"pending"`, h.asked(3))
}

func TestStreamsEnd(t *testing.T) {
	h := open(t)
	revoked, drained := h.events(ci, ""), h.events(ann, "")
	if err := h.tokens.Replace(parseTokens(t, line("ann-token", "answer", ann, "person=ann"))); err != nil {
		t.Fatal(err)
	}
	if l := revoked.line(); l != "" {
		t.Error("a revoked token still hears", l)
	}
	h.http.Drain()
	if l := drained.line(); l != "" {
		t.Error(l)
	}
}

// recorder is a response that tells what is written to it.
type recorder struct {
	*httptest.ResponseRecorder
	wrote chan string
}

func (r recorder) Write(p []byte) (int, error) {
	r.wrote <- string(p)
	return len(p), nil
}

func TestASilentStreamSaysThatItIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t)
		ctx, leave := context.WithCancel(t.Context())
		req := httptest.NewRequestWithContext(ctx, "GET", "/v1/events", nil)
		req.Header.Set("Authorization", "Bearer "+ci)
		w := recorder{httptest.NewRecorder(), make(chan string)}
		done := make(chan struct{})
		go func() { defer close(done); h.http.ServeHTTP(w, req) }()
		start := time.Now()
		for n, want := range []time.Duration{0, 15 * time.Second, 30 * time.Second, 45 * time.Second} {
			if got := <-w.wrote; !strings.HasPrefix(got, ":") || !strings.HasSuffix(got, "\n\n") || time.Since(start) != want {
				t.Errorf("%d: %q after %s, want a comment after %s", n, got, time.Since(start), want)
			}
		}
		leave()
		<-done
	})
}

// A grant that is dropped ends its stream at the latest with the next comment.
func TestASignedOutStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t)
		grant := seam.Grant{Hash: "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b", Person: "bob", Expires: time.Now().Add(time.Hour)}
		if err := h.store.PutGrant(t.Context(), grant); err != nil { // of "secret"
			t.Fatal(err)
		}
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/events", nil)
		req.Header.Set("Authorization", "Bearer secret")
		w := recorder{httptest.NewRecorder(), make(chan string)}
		done := make(chan struct{})
		go func() { defer close(done); h.http.ServeHTTP(w, req) }()
		<-w.wrote
		if err := h.store.DropGrant(t.Context(), grant.Hash); err != nil {
			t.Fatal(err)
		}
		<-done
	})
}
