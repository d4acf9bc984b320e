package tool

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Config of the HTTP door. The zero value works, on a listener that the network reaches.
type Config struct {
	PublicURL    string           // what sign-in links begin with
	Loopback     bool             // the listener is a loopback one: Host and Origin are checked on every route
	AllowedHosts []string         // hosts that are right beside loopback names and PublicURL's
	Now          func() time.Time // nil = time.Now
	Log          *slog.Logger     // nil = none
}

// Ports are the rooms that the HTTP door calls.
type Ports struct {
	Asker    Asker
	Requests Requests
	Log      Log
	Agents   Agents
	Answers  Answers
	Grants   Grants
	Tokens   *Tokens
	Ready    func(ctx context.Context) error // nil = always
}

const (
	maxBody  = 1 << 20          // of a request (DESIGN section 12)
	bodyTime = 30 * time.Second // for a body to come in, and for a response to go out
)

// HTTP is the HTTP/JSON door: /v1, /healthz, /readyz. It costs a blocked call no goroutine beyond net/http's own.
type HTTP struct {
	cfg   Config
	ports Ports
	hosts hosts
	mux   *http.ServeMux

	open  context.Context // ends with Drain
	drain context.CancelCauseFunc
}

// endpoint is one row of the table of routes.
type endpoint struct {
	method string
	path   string
	scopes []Scope // any of them lets in; none = open to everybody
	serve  func(*HTTP, call) error
	exempt bool // from the check of Host and Origin
}

func endpoints() []endpoint {
	return []endpoint{
		{"POST", "/v1/ask", []Scope{ScopeAsk}, (*HTTP).ask, false},
		{"GET", "/v1/requests", allScopes, (*HTTP).list, false},
		{"GET", "/v1/requests/{id}", allScopes, (*HTTP).get, false},
		{"DELETE", "/v1/requests/{id}", []Scope{ScopeAsk, ScopeAdmin}, (*HTTP).abort, false},
		{"POST", "/v1/requests/{id}/answers", []Scope{ScopeAnswer}, (*HTTP).answer, false},
		{"GET", "/v1/events", allScopes, (*HTTP).events, false},
		{"POST", "/v1/agents", []Scope{ScopeAsk}, (*HTTP).register, false},
		{"PUT", "/v1/agents/{id}", []Scope{ScopeAsk}, (*HTTP).heartbeat, false},
		{"DELETE", "/v1/agents/{id}", []Scope{ScopeAsk}, (*HTTP).unregister, false},
		{"POST", "/v1/logins", []Scope{ScopeAdmin}, (*HTTP).login, false},
		{"DELETE", "/v1/logins", []Scope{ScopeAnswer}, (*HTTP).logout, false},
		{"POST", "/v1/logins/redeem", nil, (*HTTP).redeem, false},
		{"GET", "/healthz", nil, (*HTTP).health, true},
		{"GET", "/readyz", nil, (*HTTP).ready, true},
	}
}

// NewHTTP makes the door.
func NewHTTP(cfg Config, ports Ports) *HTTP {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	h := &HTTP{cfg: cfg, ports: ports, hosts: hostsOf(cfg), mux: http.NewServeMux()}
	h.open, h.drain = context.WithCancelCause(context.Background())
	paths := map[string]map[string]endpoint{}
	for _, e := range endpoints() {
		if paths[e.path] == nil {
			paths[e.path] = map[string]endpoint{}
		}
		paths[e.path][e.method] = e
	}
	for path, methods := range paths {
		h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { h.route(w, r, methods) })
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, r, seam.ErrNotFound.With("there is nothing at this path"))
	})
	return h
}

func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Drain ends streams and waits of readers and refuses new calls with DRAINING. Blocked asks are the seam's to end.
func (h *HTTP) Drain() { h.drain(seam.ErrDraining) }

// call is one request to the door, let in.
type call struct {
	w   http.ResponseWriter
	r   *http.Request
	who caller
}

func (h *HTTP) route(w http.ResponseWriter, r *http.Request, methods map[string]endpoint) {
	method := r.Method
	if method == http.MethodHead && methods[http.MethodGet].exempt {
		method = http.MethodGet
	}
	e, ok := methods[method]
	if !ok {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		h.write(w, methodNotAllowed)
		return
	}
	c := call{w: w, r: r}
	err := h.letIn(&c, e)
	if err == nil {
		err = e.serve(h, c)
	}
	if err != nil {
		if e.path != "/v1/ask" && errors.Is(err, seam.ErrStore) {
			err = storeSilent(err)
		}
		h.fail(w, r, err)
	}
}

// storeSilent is a store that did not answer to a call which asks nothing.
func storeSilent(err error) error {
	e := *asError(err)
	e.Detail = "the store did not answer; try again"
	return &e
}

// letIn checks where a call comes from and whose it is, before its body is looked at.
func (h *HTTP) letIn(c *call, e endpoint) error {
	if e.exempt {
		return nil
	}
	if h.cfg.Loopback {
		if err := h.hosts.check(c.r); err != nil {
			return err
		}
	}
	if len(e.scopes) > 0 {
		who, err := h.authenticate(c.r)
		if err != nil {
			return err
		}
		if c.who = who; !slices.ContainsFunc(e.scopes, who.has) {
			return seam.ErrForbidden
		}
	}
	if h.open.Err() != nil {
		return seam.ErrDraining
	}
	return nil
}

// body reads the body of a call.
func (c call) body() ([]byte, error) {
	rc := http.NewResponseController(c.w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // not every server can: then its own time-outs hold
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	raw, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, seam.ErrTooLarge
	}
	if err != nil {
		return nil, &seam.Error{Code: seam.ErrMalformed, Faults: []seam.Fault{{Path: root, Problem: "did not come in whole"}}, Cause: err}
	}
	return raw, nil
}

// context is that of a call which blocks: it ends with the connection, or when the token is revoked.
func (c call) context(more ...context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(c.r.Context())
	stops := []func() bool{}
	if c.who.live != nil {
		more = append(more, c.who.live)
	}
	for _, other := range more {
		stops = append(stops, context.AfterFunc(other, func() { cancel(context.Cause(other)) }))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// gone ends a call whose client has left without a word: an empty response could be read as an empty success.
func gone(r *http.Request) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler)
	}
}

// fail writes the problem of err.
func (h *HTTP) fail(w http.ResponseWriter, r *http.Request, err error) {
	gone(r)
	e := asError(err)
	p := ProblemOf(err)
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="bridge"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if in := retryIn(e); in > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(in.Round(time.Second).Seconds()))))
		}
	case http.StatusInternalServerError:
		h.cfg.Log.Error("door", "path", r.Pattern, "error", err)
	}
	if errors.Is(err, seam.ErrStore) {
		h.cfg.Log.Warn("store", "path", r.Pattern, "request", e.Request, "error", e.Cause)
	}
	h.write(w, p)
}

var methodNotAllowed = Problem{
	Type: "urn:bridge:METHOD_NOT_ALLOWED", Title: "Method not allowed", Status: http.StatusMethodNotAllowed,
	Detail: "this path does not know that method", Code: "METHOD_NOT_ALLOWED",
}

func (h *HTTP) write(w http.ResponseWriter, p Problem) {
	_ = send(w, p.Status, "application/problem+json", p) // a client that has gone hears nothing
}

// reply writes a response. Its error says that not all of it was written.
func (c call) reply(status int, v any) error {
	gone(c.r)
	return send(c.w, status, "application/json", v)
}

func send(w http.ResponseWriter, status int, media string, v any) error {
	body := encodeJSON(v)
	head := w.Header()
	head.Set("Content-Type", media)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(bodyTime))
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		return err
	}
	err := rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{})
	return err
}

func (h *HTTP) health(c call) error {
	return written(c.reply(http.StatusOK, map[string]string{"status": "ok"}))
}

func (h *HTTP) ready(c call) error {
	err := context.Cause(h.open)
	if err == nil && h.ports.Ready != nil {
		err = h.ports.Ready(c.r.Context())
	}
	if err != nil {
		h.cfg.Log.Debug("not ready", "error", err)
		return written(c.reply(http.StatusServiceUnavailable, map[string]string{"status": "unavailable"}))
	}
	return written(c.reply(http.StatusOK, map[string]string{"status": "ok"}))
}

// written drops the error of a response that was not written in full: there is nobody left to tell.
func written(error) error { return nil }
