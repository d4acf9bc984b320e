package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// The tokens of the house, by their secrets.
const (
	ci  = "secret-ci"  // ask
	cd  = "secret-cd"  // ask
	ann = "secret-ann" // answer, person=ann
	ops = "secret-ops" // admin
)

func line(name, scopes, secret, rest string) string {
	return fmt.Sprintf("%s %s %s %s\n", name, scopes, tool.HashSecret(secret), rest)
}

func tokensFile() string {
	return line("ci", "ask", ci, "") + line("cd", "ask", cd, "person=ann") + line("ann-token", "answer", ann, "person=ann") +
		line("ops", "admin", ops, "")
}

func parseTokens(t testing.TB, file string) *tool.Tokens {
	t.Helper()
	tokens, err := tool.ParseTokens(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// house is the door on a listener, before a real seam and a memory store.
type house struct {
	t      testing.TB
	store  *storetest.Memory
	seam   *seam.Seam
	http   *tool.HTTP
	server *httptest.Server
	tokens *tool.Tokens
	asker  *gate
	log    logOf
	ports  tool.Ports
}

func open(t testing.TB, edit ...func(*tool.Config, *tool.Ports)) *house {
	t.Helper()
	h := build(t, edit...)
	h.server = httptest.NewServer(h.http)
	t.Cleanup(h.close)
	return h
}

// build is the house without its listener.
func build(t testing.TB, edit ...func(*tool.Config, *tool.Ports)) *house {
	t.Helper()
	h := &house{t: t, store: storetest.NewMemory(store.Config{}), tokens: parseTokens(t, tokensFile())}
	h.seam = seam.NewSeam(seam.Config{Limit: 5}, seam.Ports{
		Store: h.store, Sweep: h.store, Agents: h.store, Desk: wall{h.store}, Router: router{},
	})
	h.asker = &gate{Seam: h.seam, delivered: make(chan string, 100), returned: make(chan error, 1000), entered: make(chan struct{}, 1000)}
	h.log = logOf{h.store, make(chan struct{}, 100)}
	cfg := tool.Config{PublicURL: "https://bridge.example.org/"}
	h.ports = tool.Ports{
		Asker: h.asker, Requests: h.store, Log: h.log, Agents: h.store, Answers: desk{h.store}, Grants: h.store, Tokens: h.tokens,
	}
	for _, f := range edit {
		f(&cfg, &h.ports)
	}
	h.http = tool.NewHTTP(cfg, h.ports)
	return h
}

func (h *house) close() {
	h.http.Drain()
	if err := h.seam.Drain(context.Background()); err != nil {
		h.t.Error(err)
	}
	h.server.Close()
}

// gate is the seam, watched.
type gate struct {
	*seam.Seam
	delivered chan string
	returned  chan error
	entered   chan struct{}
}

func (g *gate) Ask(ctx context.Context, r seam.Request) (seam.Outcome, error) {
	g.entered <- struct{}{}
	out, err := g.Seam.Ask(ctx, r)
	g.returned <- err
	return out, err
}

func (g *gate) Delivered(ctx context.Context, id string) {
	g.Seam.Delivered(ctx, id)
	g.delivered <- id
}

// logOf is the log, watched: it tells when somebody begins to follow it.
type logOf struct {
	*storetest.Memory
	followed chan struct{}
}

func (l logOf) Head(ctx context.Context) (string, error) {
	cursor, err := l.Memory.Head(ctx)
	l.followed <- struct{}{}
	return cursor, err
}

type router struct{}

func (router) Plan(r seam.Request) (seam.Plan, error) {
	switch {
	case r.Route != "" && r.Route != "default":
		return seam.Plan{}, &seam.Error{Code: seam.ErrInvalidQuestions, Faults: []seam.Fault{{Path: "route", Problem: "is unknown"}}}
	case len(r.Routes) > 0 && !slices.Contains(r.Routes, "default"):
		return seam.Plan{}, seam.ErrForbidden.With("this token may not use route %q", "default")
	}
	return seam.Plan{Route: "default", Answerers: []string{"wall"}}, nil
}

func (router) Defaults(string) bool { return true }

// wall is where the cards of the house hang. Questions of certain ids find no room on it.
type wall struct{ store *storetest.Memory }

func (w wall) Present(ctx context.Context, rec seam.Record) (seam.Record, error) {
	switch rec.Questions[0].ID {
	case "nobody":
		return rec, seam.ErrNoProvider
	case "refused":
		return rec, seam.ErrDeliveryFailed.With("wall: it is raining")
	}
	var cards []seam.Placement
	for _, n := range rec.Open() {
		cards = append(cards, seam.Placement{N: n, Answerer: "wall", Channel: "C1", Message: fmt.Sprint("m", n), Drawn: seam.StageOpen})
	}
	return w.store.Place(ctx, rec.ID, cards, true)
}

func (w wall) Redraw(ctx context.Context, rec seam.Record) {
	cards := rec.Stale()
	for i, p := range cards {
		cards[i].Drawn = rec.Stage(p)
	}
	_, _ = w.store.Drawn(ctx, rec.ID, cards)
}

// desk settles what the API sends, as answerer.Desk does where everybody may answer.
type desk struct{ store *storetest.Memory }

func (d desk) Answer(ctx context.Context, in seam.Submission) (seam.Record, error) {
	rec, err := d.store.Get(ctx, in.Request)
	if err != nil {
		return rec, err
	}
	if in.Cancel {
		return d.store.End(ctx, rec.ID, seam.Ending{State: seam.Cancelled, By: in.Person, Token: in.Token})
	}
	var votes []seam.Vote
	for _, a := range in.Answers {
		i := slices.IndexFunc(rec.Questions, func(q seam.Question) bool { return q.ID == a.ID })
		if i < 0 {
			return rec, seam.ErrInvalidAnswer.With("%q is no question of this request", a.ID)
		}
		v := seam.Vote{N: i + 1, Skip: a.Skip, Person: in.Person, Token: in.Token, Answer: seam.Answer{ID: a.ID, Selected: []string{}}}
		if !a.Skip {
			if v.Answer, err = rec.Questions[i].Legal(seam.Answer{ID: a.ID, Selected: a.Selected, Custom: a.Custom}); err != nil {
				return rec, err
			}
		}
		votes = append(votes, v)
	}
	rec, err = d.store.Settle(ctx, rec.ID, votes)
	if err != nil {
		return rec, seam.ErrAlreadySettled.With("somebody was faster")
	}
	return rec, nil
}

// reply is what the door said.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
	err    error
}

// call makes one call. Its body is sent as it is.
func (h *house) call(method, path, secret, body string, header ...string) reply {
	return h.callWith(h.t.Context(), method, path, secret, body, header...)
}

func (h *house) callWith(ctx context.Context, method, path, secret, body string, header ...string) reply {
	req, err := http.NewRequestWithContext(ctx, method, h.server.URL+path, strings.NewReader(body))
	if err != nil {
		h.t.Error(err)
		return reply{t: h.t, err: err}
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := h.server.Client().Do(req)
	if err != nil {
		return reply{t: h.t, err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return reply{h.t, resp.StatusCode, resp.Header, string(raw), err}
}

// start makes a call that is expected to block.
func (h *house) start(method, path, secret, body string) <-chan reply {
	out := make(chan reply, 1)
	go func() { out <- h.call(method, path, secret, body) }()
	return out
}

func (r reply) is(status int) reply {
	r.t.Helper()
	if r.err != nil || r.status != status {
		r.t.Fatalf("got %d %s %v, want %d", r.status, r.body, r.err, status)
	}
	return r
}

// problem checks that a reply is a problem with this code, and returns it.
func (r reply) problem(code seam.Code) tool.Problem {
	r.t.Helper()
	var p tool.Problem
	if r.err != nil || r.header.Get("Content-Type") != "application/problem+json" || json.Unmarshal([]byte(r.body), &p) != nil {
		r.t.Fatalf("got %d %q %v, want the problem %s", r.status, r.body, r.err, code)
	}
	if p.Code != code || p.Type != "urn:bridge:"+string(code) || p.Status != r.status || p.Title == "" || p.Detail == "" {
		r.t.Errorf("status %d: %+v, want %s", r.status, p, code)
	}
	return p
}

// json checks the body, whatever the order of its fields. Ids and times of the run are replaced beforehand.
func (r reply) json(want string) {
	r.t.Helper()
	if diff := cmp.Diff(decoded(r.t, want), decoded(r.t, r.body)); diff != "" {
		r.t.Errorf("%s\n%s", r.body, diff)
	}
}

func decoded(t testing.TB, s string) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewBufferString(s))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return v
}

// into reads the body.
func (r reply) into(v any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		r.t.Fatalf("%q: %v", r.body, err)
	}
}

// saw blocks until the log has the nth event of a kind, and returns it.
func (h *house) saw(event string, nth int) seam.Entry {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*time.Second)
	defer cancel()
	for cursor := "0"; ; {
		entries, err := h.store.Tail(ctx, cursor, 100)
		if err != nil {
			h.t.Fatalf("no %s: %v", event, err)
		}
		for _, e := range entries {
			if cursor = e.ID; e.Event == event {
				if nth--; nth == 0 {
					return e
				}
			}
		}
	}
}

// asked blocks until the nth request is placed, and returns its id.
func (h *house) asked(nth int) string { return h.saw(seam.EventPlaced, nth).Request }

func (h *house) wasDelivered(id string) bool {
	rec, err := h.store.Get(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return !rec.Delivered.IsZero()
}

const deploy = `{"questions":[{"id":"d","question":"Deploy?","options":[{"label":"Yes"},{"label":"No"}]}]}`

func keyed(key string) string { return strings.Replace(deploy, "{", `{"key":"`+key+`",`, 1) }

const sayYes = `{"answers":[{"id":"d","selected":["Yes"]}]}`
