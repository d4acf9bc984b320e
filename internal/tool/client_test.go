package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// client is one of the house, under a secret.
func (h *house) client(secret string) *tool.Client {
	c := &tool.Client{Endpoint: func() (string, string, error) { return h.server.URL, secret, nil }, Patience: 5 * time.Second}
	c.Hasten()
	return c
}

func deployment() seam.Request {
	return seam.Request{Questions: []seam.Question{{ID: "d", Text: "Deploy?", Options: []seam.Option{{Label: "Yes"}, {Label: "No"}}}}}
}

type asked struct {
	res tool.Result
	err error
}

func start(ctx context.Context, c *tool.Client, r seam.Request) <-chan asked {
	out := make(chan asked, 1)
	go func() {
		res, err := c.Ask(ctx, r)
		out <- asked{res, err}
	}()
	return out
}

func TestClientAsks(t *testing.T) {
	h := open(t)
	blocked := start(t.Context(), h.client(ci), deployment())
	id := h.asked(1)
	if _, err := h.client(ann).Answer(t.Context(), seam.Submission{Request: id, Answers: []seam.Submitted{{ID: "d", Selected: []string{"No"}}}}); err != nil {
		t.Fatal(err)
	}
	got := <-blocked
	want := tool.Result{
		Request: id, Status: seam.Answered, Answers: []seam.Answer{{ID: "d", Selected: []string{"No"}}},
		AnsweredBy: []tool.AnsweredBy{{ID: "d", Answerer: "api", Person: "ann", Name: "ann"}},
	}
	if diff := cmp.Diff(want, got.res, cmpopts.IgnoreFields(tool.AnsweredBy{}, "At")); got.err != nil || diff != "" {
		t.Error(got.err, diff)
	}
}

func TestClientReads(t *testing.T) {
	h := open(t)
	for range 3 {
		h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	}
	id := h.asked(3)
	page, err := h.client(ops).List(t.Context(), seam.Query{Caller: "ci", Status: seam.Pending, Limit: 2})
	if err != nil || len(page.Requests) != 2 || page.Cursor == "" {
		t.Error(page, err)
	}
	rest, err := h.client(ops).List(t.Context(), seam.Query{Caller: "ci", Cursor: page.Cursor})
	if err != nil || len(rest.Requests) != 1 {
		t.Error(rest, err)
	}
	if r, err := h.client(ci).Get(t.Context(), id, time.Millisecond); err != nil || r.Request != id || r.Status != seam.Pending {
		t.Error(r, err)
	}
	if r, err := h.client(ci).Abort(t.Context(), id); err != nil || r.Status != seam.Aborted {
		t.Error(r, err)
	}
	if _, err := h.client(cd).Get(t.Context(), id, 0); !errors.Is(err, seam.ErrNotFound) {
		t.Error(err)
	}
	sub := seam.Submission{Request: page.Requests[1].Request, Cancel: true}
	if r, err := h.client(ann).Answer(t.Context(), sub); err != nil || r.Status != seam.Cancelled {
		t.Error(r, err)
	}
	sub.Answers, sub.Request = []seam.Submitted{{ID: "d", Skip: true}}, rest.Requests[0].Request
	if _, err := h.client(ci).Answer(t.Context(), sub); !errors.Is(err, seam.ErrForbidden) {
		t.Error(err)
	}
}

func TestClientSignsIn(t *testing.T) {
	h := open(t)
	l, err := h.client(ops).Login(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.client("").Redeem(t.Context(), l.Code)
	if err != nil || s.Person != "bob" {
		t.Fatal(s, err)
	}
	if _, err := h.client(s.Token).List(t.Context(), seam.Query{}); err != nil {
		t.Error(err)
	}
	if _, err := h.client("").Redeem(t.Context(), l.Code); !errors.Is(err, seam.ErrUnauthenticated) {
		t.Error(err)
	}
}

// Ctrl-C aborts, whether or not the id is known yet; an answer that came first is the answer.
func TestClientAborts(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	blocked := start(ctx, h.client(ci), deployment())
	id := h.asked(1)
	cancel(seam.ErrAborted)
	got := <-blocked
	if e, _ := seam.AsError(got.err); !errors.Is(got.err, seam.ErrAborted) || e.Request != id {
		t.Error(got.err)
	}
	if rec, _ := h.store.Get(t.Context(), id); rec.State != seam.Aborted {
		t.Error(rec.State)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	blocked = start(ctx, h.client(ci), deployment())
	id = h.asked(2)
	cancel(errors.New("killed"))
	if got := <-blocked; got.err == nil || errors.Is(got.err, seam.ErrAborted) {
		t.Error(got.err)
	}
	if rec, _ := h.store.Get(t.Context(), id); rec.State != seam.Pending {
		t.Error("a caller that goes is no abort:", rec.State)
	}
}

// An ending that the daemon tells is no reason to ask once more, though the caller leaves in the same moment.
func TestClientLeavesWhileItIsTold(t *testing.T) {
	h := open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	c := h.client(ci)
	c.HTTP = &http.Client{Transport: after{func() { cancel(seam.ErrAborted) }}}
	blocked := start(ctx, c, deployment())
	id := h.asked(1)
	h.call("DELETE", "/v1/requests/"+id, ops, "").is(200)
	got := <-blocked
	if e, _ := seam.AsError(got.err); !errors.Is(got.err, seam.ErrAborted) || e.Request != id {
		t.Error(got.err)
	}
	if recs, _, _ := h.store.List(t.Context(), seam.Query{Limit: 10}); len(recs) != 1 {
		t.Errorf("asked %d times", len(recs))
	}
}

// after runs something between a response and whoever reads it.
type after struct{ do func() }

func (a after) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		raw, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(raw))
	}
	a.do()
	return resp, err
}

// proxy stands before the door and can break.
type proxy struct {
	house  *house
	hit    atomic.Int32
	before func(n int, w http.ResponseWriter, r *http.Request) (handled bool)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.before(int(p.hit.Add(1)), w, r) {
		p.house.http.ServeHTTP(w, r)
	}
}

// through is a client that meets the house through a door that breaks.
func (h *house) through(before func(n int, w http.ResponseWriter, r *http.Request) bool) *tool.Client {
	server := httptest.NewServer(&proxy{house: h, before: before})
	h.t.Cleanup(server.Close)
	c := h.client(ci)
	c.Endpoint = func() (string, string, error) { return server.URL, ci, nil }
	return c
}

func refuse(w http.ResponseWriter, code seam.Code) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"code":"` + string(code) + `","status":503}`))
}

// Whatever becomes of the first try, there is one request, and its answer comes.
func TestClientComesBackByItsKey(t *testing.T) {
	for name, first := range map[string]func(h *house, w http.ResponseWriter, r *http.Request){
		"draining": func(_ *house, w http.ResponseWriter, _ *http.Request) { refuse(w, seam.ErrDraining) },
		"no store": func(_ *house, w http.ResponseWriter, _ *http.Request) { refuse(w, seam.ErrStore) },
		"a proxy": func(_ *house, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Bad Gateway", http.StatusBadGateway)
		},
		"cut": func(*house, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut while it blocks": func(h *house, w http.ResponseWriter, r *http.Request) {
			ctx, cut := context.WithCancel(r.Context())
			go func() { h.asked(1); cut() }()
			h.http.ServeHTTP(w, r.WithContext(ctx))
		},
		"cut while it answers": func(h *house, w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = "wait=1ms"
			w.Header().Set("Content-Length", "1000")
			h.http.ServeHTTP(headless{w}, r)
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			again := make(chan struct{})
			c := h.through(func(n int, w http.ResponseWriter, r *http.Request) bool {
				if n == 1 {
					first(h, w, r)
					return true
				}
				close(again)
				return false
			})
			blocked := start(t.Context(), c, deployment())
			<-again
			id := h.asked(1)
			h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
			if got := <-blocked; got.err != nil || got.res.Request != id || got.res.Answers[0].Selected[0] != "Yes" {
				t.Error(got.res, got.err)
			}
			if recs, _, _ := h.store.List(t.Context(), seam.Query{Limit: 10}); len(recs) != 1 {
				t.Errorf("asked %d times", len(recs))
			}
		})
	}
}

// headless keeps the headers that are set.
type headless struct{ http.ResponseWriter }

func (h headless) Header() http.Header { return http.Header{} }

// After a hand-over the client comes back by the id, in rounds, through a restart.
func TestClientGoesInRounds(t *testing.T) {
	h := open(t)
	last := make(chan struct{})
	c := h.through(func(n int, w http.ResponseWriter, r *http.Request) bool {
		switch n {
		case 1, 2, 4: // the wait is over
			r.URL.RawQuery = "wait=1ms"
		case 3:
			refuse(w, seam.ErrDraining)
			return true
		case 5:
			close(last)
		}
		return false
	})
	blocked := start(t.Context(), c, deployment())
	<-last
	h.call("POST", "/v1/requests/"+h.asked(1)+"/answers", ann, sayYes).is(200)
	if got := <-blocked; got.err != nil || got.res.Status != seam.Answered || len(got.res.AnsweredBy) != 1 {
		t.Error(got.res, got.err)
	}
}

// What is left of a deadline shrinks while the daemon is away; once it is over, so is the ask.
func TestClientAndADeadlineThatPasses(t *testing.T) {
	h := open(t)
	c := h.through(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n == 1 {
			refuse(w, seam.ErrDraining)
		}
		return n == 1
	})
	r := deployment()
	r.Within = 500 * time.Microsecond
	if _, err := c.Ask(t.Context(), r); !errors.Is(err, seam.ErrExpired) {
		t.Error(err)
	}
	r.Within = -time.Second
	if _, err := h.client(ci).Ask(t.Context(), r); !errors.Is(err, seam.ErrInvalidQuestions) {
		t.Error(err)
	}
}

func TestClientFollowsADaemonThatMoved(t *testing.T) {
	h := open(t)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + gone.Addr().String()
	_ = gone.Close()
	var tries atomic.Int32
	c := h.client(ci)
	c.Endpoint = func() (string, string, error) {
		switch tries.Add(1) {
		case 1:
			return "", "", fmt.Errorf("%w: no state yet", tool.ErrUnreachable)
		case 2:
			return dead, "old", nil
		}
		return h.server.URL, ci, nil
	}
	blocked := start(t.Context(), c, deployment())
	h.call("POST", "/v1/requests/"+h.asked(1)+"/answers", ann, sayYes).is(200)
	if got := <-blocked; got.err != nil {
		t.Error(got.err)
	}
}

var errNoToken = errors.New("sign in first")

func TestClientGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint tool.Endpoint
		wants    error
		exit     int
	}{
		"nobody there":  {func() (string, string, error) { return "http://127.0.0.1:1", "", nil }, tool.ErrUnreachable, 7},
		"no address":    {func() (string, string, error) { return "", "", tool.ErrUnreachable }, tool.ErrUnreachable, 7},
		"no token":      {func() (string, string, error) { return "", "", errNoToken }, errNoToken, 1},
		"no URL":        {func() (string, string, error) { return "localhost:8787", "", nil }, tool.ErrUnreachable, 7},
		"wrong address": {func() (string, string, error) { return "http://[::1", "", nil }, tool.ErrUnreachable, 7},
	} {
		t.Run(name, func(t *testing.T) {
			client := &tool.Client{Endpoint: c.endpoint, Patience: 20 * time.Millisecond}
			client.Hasten()
			_, asking := client.Ask(t.Context(), deployment())
			_, reading := client.Get(t.Context(), "x", 0)
			for _, err := range []error{asking, reading} {
				if !errors.Is(err, c.wants) || tool.Exit(err) != c.exit {
					t.Errorf("%v, exit %d", err, tool.Exit(err))
				}
			}
		})
	}
}

func TestClientAndAForeignServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c := &tool.Client{Endpoint: func() (string, string, error) { return s.URL, "", nil }}
	if _, err := c.Ask(t.Context(), deployment()); err == nil || !strings.Contains(err.Error(), "no word of bridge") {
		t.Error(err)
	}
}

// How a request that was handed over ended is read from the request; a default keeps its mark.
func TestClientReadsEndings(t *testing.T) {
	h := open(t)
	c := h.through(func(n int, _ http.ResponseWriter, r *http.Request) bool {
		if r.Method == "POST" {
			r.URL.RawQuery = "wait=0s"
		}
		return false
	})
	for i, end := range []seam.State{seam.Cancelled, seam.Aborted, seam.Failed} {
		blocked := start(t.Context(), c, deployment())
		if _, err := h.store.End(t.Context(), h.asked(i+1), seam.Ending{State: end, Fail: seam.ErrDeliveryFailed}); err != nil {
			t.Fatal(err)
		}
		want := []seam.Code{seam.ErrCancelled, seam.ErrAborted, seam.ErrDeliveryFailed}[i]
		if got := <-blocked; !errors.Is(got.err, want) {
			t.Errorf("%s: %v", end, got.err)
		}
	}
	run, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { defer close(ran); _ = h.seam.Run(run) }()
	defer func() { stop(); <-ran }()
	r := deployment()
	r.Within, r.Default = 10*time.Millisecond, map[string]seam.DefaultOf{"d": {Custom: "leave it"}}
	res, err := c.Ask(t.Context(), r)
	if err != nil || res.Status != seam.Expired || !slices.Equal(res.Defaulted, []string{"d"}) || res.Answers[0].Custom != "leave it" {
		t.Error(res, err)
	}
	r.Default = nil
	if _, err := c.Ask(t.Context(), r); !errors.Is(err, seam.ErrExpired) {
		t.Error(err)
	}
}
