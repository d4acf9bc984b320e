package tool_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// who may do what: the statuses of ci (who asked), cd (another agent), ann (a person), ops (admin), and nobody.
func TestScopes(t *testing.T) {
	h := open(t)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	id := h.asked(1)
	var agent tool.Registered
	h.call("POST", "/v1/agents", ci, `{"name":"coder"}`).is(201).into(&agent)
	for _, c := range []struct {
		method, path, body       string
		ci, cd, ann, ops, nobody int
	}{
		{"POST", "/v1/ask?wait=0s", deploy, 202, 202, 403, 403, 401},
		{"GET", "/v1/requests", "", 200, 200, 200, 200, 401},
		{"GET", "/v1/requests/" + id, "", 200, 404, 200, 200, 401},
		{"GET", "/v1/requests/" + id + "?wait=1ms", "", 200, 404, 200, 200, 401},
		{"GET", "/v1/requests/r_0nosuch", "", 404, 404, 404, 404, 401},
		{"POST", "/v1/requests/" + id + "/answers", `{"answers":[{"id":"x","custom":"x"}]}`, 403, 403, 422, 403, 401},
		{"PUT", "/v1/agents/" + agent.Agent, `{"instance":"` + agent.Instance + `"}`, 204, 404, 403, 403, 401},
		{"DELETE", "/v1/agents/" + agent.Agent, "", 204, 404, 403, 403, 401},
		{"POST", "/v1/agents", `{"name":"x"}`, 201, 201, 403, 403, 401},
		{"POST", "/v1/logins", `{"person":"ann"}`, 403, 403, 403, 201, 401},
		{"DELETE", "/v1/logins", "", 403, 403, 403, 403, 401},
		{"POST", "/v1/logins/redeem", `{"code":"no"}`, 401, 401, 401, 401, 401},
		{"GET", "/healthz", "", 200, 200, 200, 200, 200},
		{"GET", "/readyz", "", 200, 200, 200, 200, 200},
		{"DELETE", "/v1/requests/" + id, "", 200, 404, 403, 200, 401},
	} {
		want := []int{c.nobody, c.cd, c.ann, c.ops, c.ci}
		for i, secret := range []string{"", cd, ann, ops, ci} {
			r := h.call(c.method, c.path, secret, c.body)
			if r.status != want[i] {
				t.Errorf("%s %s by %q: %d %s, want %d", c.method, c.path, secret, r.status, r.body, want[i])
			}
			if (r.status == 401) != strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
				t.Error("WWW-Authenticate", r.header)
			}
		}
	}
}

func TestBearer(t *testing.T) {
	h := open(t)
	for value, status := range map[string]int{
		"Bearer " + ci: 200, "bearer  " + ci: 200, "Bearer": 401, "Bearer ": 401, "Basic " + ci: 401, ci: 401, "Bearer " + ci + "x": 401,
		"Bearer " + tool.HashSecret(ci): 401,
	} {
		if r := h.call("GET", "/v1/requests", "", "", "Authorization", value); r.status != status {
			t.Errorf("%q: %d, want %d", value, r.status, status)
		}
	}
	// Who asks comes before what is asked.
	h.call("POST", "/v1/ask", "", "no JSON").is(401)
	h.call("POST", "/v1/ask", ann, "no JSON").is(403)
}

func TestMethodsAndPaths(t *testing.T) {
	h := open(t)
	for path, allow := range map[string]string{
		"/v1/ask": "POST", "/v1/requests": "GET", "/v1/requests/x": "DELETE, GET", "/v1/requests/x/answers": "POST", "/v1/events": "GET",
		"/v1/agents": "POST", "/v1/agents/x": "DELETE, PUT", "/v1/logins": "DELETE, POST", "/v1/logins/redeem": "POST", "/healthz": "GET", "/readyz": "GET",
	} {
		r := h.call("PATCH", path, ci, "").is(405)
		r.problem("METHOD_NOT_ALLOWED")
		if got := r.header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow %q, want %q", path, got, allow)
		}
	}
	for _, path := range []string{"/v1", "/v1/", "/v1/asks", "/v1/ask/", "/v1/requests/x/y", "/v2/ask", "/x"} {
		h.call("GET", path, ci, "").is(404).problem(seam.ErrNotFound)
	}
	h.call("HEAD", "/healthz", "", "").is(200)
}

func TestReady(t *testing.T) {
	var down error
	h := open(t, func(_ *tool.Config, p *tool.Ports) { p.Ready = func(context.Context) error { return down } })
	h.call("GET", "/readyz", "", "").is(200)
	down = errors.New("store: password=hunter2")
	if r := h.call("GET", "/readyz", "", "").is(503); strings.Contains(r.body, "hunter2") {
		t.Error(r.body)
	}
	h.call("GET", "/healthz", "", "").is(200)
}

func TestHostAndOriginOnALoopbackListener(t *testing.T) {
	h := open(t, func(c *tool.Config, _ *tool.Ports) { c.Loopback, c.AllowedHosts = true, []string{"box.lan:8787"} })
	for _, c := range []struct {
		host, origin string
		ok           bool
	}{
		{"", "", true},
		{"localhost:8787", "", true},
		{"LOCALHOST", "", true},
		{"127.0.0.1", "http://127.0.0.1:3000", true},
		{"[::1]:8787", "http://[::1]", true},
		{"bridge.example.org", "https://bridge.example.org", true},
		{"box.lan", "", true},
		{"evil.example.org", "", false},
		{"evil.example.org:8787", "", false},
		{"localhost.evil.example.org", "", false},
		{"10.0.0.1", "", false},
		{"localhost", "https://evil.example.org", false},
		{"localhost", "null", false},
	} {
		header := []string{}
		if c.host != "" {
			header = append(header, "Host", c.host)
		}
		if c.origin != "" {
			header = append(header, "Origin", c.origin)
		}
		want := http.StatusOK
		if !c.ok {
			want = http.StatusForbidden
		}
		if r := h.call("GET", "/v1/requests", ci, "", header...); r.status != want {
			t.Errorf("%+v: %d %s", c, r.status, r.body)
		}
		h.call("GET", "/healthz", "", "", header...).is(200)
	}
	elsewhere := open(t)
	elsewhere.call("GET", "/v1/requests", ci, "", "Host", "any.example.org", "Origin", "https://evil.example.org").is(200)
}

// A client that has half closed its connection still reads: what it gets must not look like an empty success.
func TestNothingIsWrittenToAClientThatHasGone(t *testing.T) {
	h := open(t)
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", h.server.URL+"/v1/ask", strings.NewReader(deploy))
	req.Header.Set("Authorization", "Bearer "+ci)
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	h.asked(1)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := <-h.asker.returned; err == nil {
		t.Error("the call did not notice")
	}
	if resp, err := http.ReadResponse(bufio.NewReader(conn), req); err == nil {
		t.Error("got", resp.Status)
	}
}

// Every route that blocks or reads is behind a scope, but for the three that need none.
func TestOpenRoutes(t *testing.T) {
	h := open(t)
	var free []string
	for _, e := range tool.Endpoints() {
		r := h.call(e[0], strings.ReplaceAll(e[1], "{id}", "x"), "", "{}")
		if r.status != 401 || !strings.Contains(r.body, "bearer token") {
			free = append(free, e[1])
		}
	}
	if slices.Sort(free); !slices.Equal(free, []string{"/healthz", "/readyz", "/v1/logins/redeem"}) {
		t.Error(free)
	}
}

// Other rooms ask for a scope too.
func TestTokensAllow(t *testing.T) {
	tokens := parseTokens(t, tokensFile())
	for value, want := range map[string]bool{"Bearer " + ops: true, "Bearer " + ci: false, "Bearer x": false, ops: false, "": false} {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
		r.Header.Set("Authorization", value)
		if tokens.Allows(r, tool.ScopeAdmin) != want {
			t.Errorf("%q", value)
		}
	}
}

// What the log of a door holds: neither a token nor what was asked or said, whatever goes wrong.
func TestTheLogHoldsNoSecretAndNoText(t *testing.T) {
	var log lockedBuffer
	h := open(t, func(c *tool.Config, p *tool.Ports) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		p.Requests = asleep{p.Requests}
	})
	for _, secret := range []string{ci, ann, ops, "wrong-secret", ""} {
		h.call("POST", "/v1/ask?wait=0s", secret, `{"key":"the-key","questions":[{"id":"d","question":"the-question"}]}`)
		h.call("POST", "/v1/ask", secret, `{"the-question":1}`)
		h.call("POST", "/v1/requests/x/answers", secret, `{"answers":[{"id":"d","custom":"the-answer"}]}`)
		h.call("GET", "/v1/requests/x", secret, "")
		h.call("POST", "/v1/logins/redeem", secret, `{"code":"the-code"}`)
	}
	got := log.String()
	if !strings.Contains(got, "STORE_UNAVAILABLE") && !strings.Contains(got, "secret-host") {
		t.Error("the log says nothing of the store:", got)
	}
	for _, never := range []string{ci, ann, ops, "wrong-secret", "the-question", "the-answer", "the-code", "the-key"} {
		if strings.Contains(got, never) {
			t.Errorf("the log has %q:\n%s", never, got)
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
