package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/web"
	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is an inbox over the real desk and a store in memory, served on a port of this machine.
type scene struct {
	t     *testing.T
	store *storetest.Memory
	desk  *answerer.Desk
	inbox *web.Inbox
	url   string
	ago   atomic.Int64 // how far the store's clock is behind

	streams atomic.Int64 // how many were opened
}

// handler lets the server begin before there is an inbox that knows its address.
type handler struct {
	http.Handler
	streams *atomic.Int64
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/live" {
		h.streams.Add(1)
	}
	h.Handler.ServeHTTP(w, r)
}

func stage(t *testing.T, edit func(*web.Config, *web.Ports)) *scene {
	t.Helper()
	s := &scene{t: t}
	mem := storetest.NewMemory(store.Config{Now: func() time.Time { return time.Now().Add(-time.Duration(s.ago.Load())) }})
	h := &handler{streams: &s.streams}
	server := httptest.NewServer(h)
	cfg := web.Config{PublicURL: server.URL, Loopback: true}
	ports := web.Ports{Requests: mem, Log: mem, Grants: mem}
	s.store, s.url = mem, server.URL
	if edit != nil {
		edit(&cfg, &ports)
	}
	s.desk = answerer.New(answerer.Config{Locale: cfg.Locale}, mem, (*web.Inbox)(nil))
	if ports.Desk == nil {
		ports.Desk = s.desk
	}
	s.inbox = web.New(cfg, ports)
	h.Handler = s.inbox
	t.Cleanup(func() {
		s.inbox.Drain()
		server.CloseClientConnections()
		server.Close()
		s.desk.Drain()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask stores a request as the seam would.
func (s *scene) ask(qs ...seam.Question) seam.Record { return s.askAs(seam.Body{}, qs...) }

func (s *scene) askAs(b seam.Body, qs ...seam.Question) seam.Record {
	s.t.Helper()
	b.ID, b.Questions, b.Hash = seam.NewRequestID(), qs, seam.HashQuestions(qs)
	if b.Caller.Token == "" {
		b.Caller.Token = "deploy-bot"
	}
	b.Plan.Route, b.Plan.Answerers = "default", []string{web.Name}
	rec, _, err := s.store.Create(context.Background(), seam.New{Replica: "p", Body: b})
	if err != nil {
		s.t.Fatal(err)
	}
	if rec, err = s.desk.Present(context.Background(), rec); err != nil {
		s.t.Fatal(err)
	}
	return rec
}

func (s *scene) get(id string) seam.Record {
	s.t.Helper()
	s.desk.Drain()
	rec, err := s.store.Get(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return rec
}

// answers are those of a request that must have been answered.
func (s *scene) answers(id string) []seam.Answer {
	s.t.Helper()
	rec := s.get(id)
	if rec.State != seam.Answered {
		s.t.Fatalf("the request is %s", rec.State)
	}
	return rec.Answers()
}

// link makes a sign-in link, as the daemon does.
func (s *scene) link(person string) string {
	s.t.Helper()
	code := seam.NewInstanceID()
	sum := sha256.Sum256([]byte(code))
	err := s.store.PutGrant(context.Background(), seam.Grant{
		Hash: hex.EncodeToString(sum[:]), Person: person, Once: true, Expires: time.Now().Add(10 * time.Minute),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.url + "/login?code=" + code
}

// person is a browser without a script.
type person struct {
	t    *testing.T
	s    *scene
	http *http.Client
}

func (s *scene) stranger() *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &person{t: s.t, s: s, http: &http.Client{Jar: jar}}
}

// signIn is a stranger who has followed a link and pressed its button.
func (s *scene) signIn(name string) *person {
	s.t.Helper()
	p := s.stranger()
	p.get(s.link(name)).form("/login").send("")
	return p
}

// page is what a browser shows.
type page struct {
	p      *person
	status int
	at     string // path
	head   http.Header
	body   string
}

func (p *person) get(to string) page {
	p.t.Helper()
	if strings.HasPrefix(to, "/") {
		to = p.s.url + to
	}
	r, err := http.NewRequest(http.MethodGet, to, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.do(r)
}

func (p *person) post(to string, form url.Values, edit ...func(*http.Request)) page {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodPost, p.s.url+to, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, e := range edit {
		e(r)
	}
	return p.do(r)
}

func (p *person) do(r *http.Request) page {
	p.t.Helper()
	res, err := p.http.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return page{p: p, status: res.StatusCode, at: res.Request.URL.Path, head: res.Header, body: string(raw)}
}

// request opens the page of a request.
func (p *person) request(id string) page { p.t.Helper(); return p.get("/r/" + id) }

func (g page) has(want ...string) page {
	g.p.t.Helper()
	for _, w := range want {
		if !strings.Contains(g.body, w) {
			g.p.t.Errorf("%s shows not %q:\n%s", g.at, w, g.body)
		}
	}
	return g
}

func (g page) hasNot(want ...string) page {
	g.p.t.Helper()
	for _, w := range want {
		if strings.Contains(g.body, w) {
			g.p.t.Errorf("%s shows %q", g.at, w)
		}
	}
	return g
}

func (g page) is(status int) page {
	g.p.t.Helper()
	if g.status != status {
		g.p.t.Fatalf("%s: status %d, want %d:\n%s", g.at, g.status, status, g.body)
	}
	return g
}

// form is a form of a page as a browser has it.
type form struct {
	g      page
	action string
	fields url.Values
}

var (
	forms   = regexp.MustCompile(`(?s)<form method="post" action="([^"]+)".*?</form>`)
	hiddens = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
)

// form finds the first form to an action that holds a control, "" = any.
func (g page) form(action string, holds ...string) form {
	g.p.t.Helper()
	for _, m := range forms.FindAllStringSubmatch(g.body, -1) {
		if m[1] != action || len(holds) > 0 && !strings.Contains(m[0], `value="`+holds[0]+`"`) {
			continue
		}
		f := form{g: g, action: action, fields: url.Values{}}
		for _, h := range hiddens.FindAllStringSubmatch(m[0], -1) {
			f.fields.Add(h[1], h[2])
		}
		return f
	}
	g.p.t.Fatalf("%s has no form to %s with %v:\n%s", g.at, action, holds, g.body)
	return form{}
}

func (f form) set(name string, values ...string) form { f.fields[name] = values; return f }

// send submits the form by a control.
func (f form) send(control string) page {
	f.g.p.t.Helper()
	if control != "" {
		f.fields.Set("press", control)
	}
	return f.g.p.post(f.action, f.fields)
}

// control is the form of a question's control.
func (g page) control(rec seam.Record, n int, c seam.Control, arg string) (form, string) {
	g.p.t.Helper()
	id := card.Encode(rec.ID, n, c, arg, false)
	return g.form("/r/"+rec.ID, id), id
}

func (g page) press(rec seam.Record, n int, c seam.Control, arg string) page {
	g.p.t.Helper()
	f, id := g.control(rec, n, c, arg)
	return f.send(id)
}

// The questions of these tests.
var (
	single = seam.Question{
		ID: "deploy", Header: "Release 4.2", Text: "Deploy to production now?",
		Options: []seam.Option{{Label: "Yes", Description: "all regions"}, {Label: "Canary (Recommended)"}, {Label: "No"}},
	}
	multi = seam.Question{
		ID: "checks", Text: "Which checks may be skipped?", MultiSelect: true,
		Options: []seam.Option{{Label: "Lint"}, {Label: "Unit tests"}, {Label: "Licences"}},
	}
	free = seam.Question{ID: "why", Text: "Why is the old queue still in use?"}
	plan = seam.Question{
		ID: "plan", Header: "Queue", Text: "Shall I go on with this plan?",
		Detail: "## Steps\n\n1. Drain `queue-a`\n2. **Move** its consumers\n3. Delete it\n\n- [x] backup taken",
		Options: []seam.Option{
			{Label: "Approve"}, {Label: "Change it", Description: "say what to change"},
		},
		Intent: &seam.Intent{Kind: seam.PlanReview, Approve: "Approve"},
	}
)

// elsewhere settles a question as somebody on another surface.
func (s *scene) elsewhere(rec seam.Record, n, option int, name string) {
	s.t.Helper()
	r := s.desk.Press(context.Background(), seam.Press{
		Token: seam.NewInstanceID(), Person: seam.Person{Answerer: "slack", ID: "U1", Name: name},
		Request: rec.ID, N: n, Control: seam.PressOption, Option: option,
	})
	if r.Kind != seam.Taken {
		s.t.Fatalf("%+v", r.Verdict)
	}
}
