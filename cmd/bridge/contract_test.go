package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/config"
	"github.com/askbridge/bridge/internal/seam"
)

// The contract, seen from outside: the whole process, over HTTP.

// testbed is a process on a free port.
type testbed struct {
	*process
	t *testing.T
}

func bed(t *testing.T, edit func(*config.Config)) *testbed {
	t.Helper()
	cfg := local(t, t.TempDir())
	if edit != nil {
		edit(&cfg)
	}
	p, err := start(cfg, options{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b := &testbed{p, t}
	t.Cleanup(func() {
		if b.process != nil { // the test has not stopped it itself
			if err := p.stop(); err != nil {
				t.Error("stop:", err)
			}
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return b
}

// response is what a call got: the status and the body as it came.
type response struct {
	status int
	body   string
	header http.Header
}

func (r response) field(name string) string {
	var m map[string]any
	_ = json.Unmarshal([]byte(r.body), &m)
	return fmt.Sprint(m[name])
}

func (b *testbed) call(ctx context.Context, who, method, path, body string) (response, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	if who != "" {
		req.Header.Set("Authorization", "Bearer "+secretOf(who))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	raw, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, strings.TrimSpace(string(raw)), resp.Header}, err
}

func (b *testbed) do(who, method, path, body string) response {
	b.t.Helper()
	r, err := b.call(b.t.Context(), who, method, path, body)
	if err != nil {
		b.t.Error(err)
	}
	return r
}

// ask is a blocked call: its id, and its response when it comes.
func (b *testbed) ask(body string) (id string, answer <-chan response) {
	b.t.Helper()
	before := b.ids()
	ch := make(chan response, 1)
	go func() { ch <- b.do("ci", "POST", "/v1/ask", body) }()
	until(func() bool {
		for _, x := range b.ids() {
			if !strings.Contains(strings.Join(before, " "), x) {
				id = x
				return true
			}
		}
		return len(ch) > 0
	})
	return id, ch
}

func (b *testbed) ids() (ids []string) {
	var page struct{ Requests []struct{ Request string } }
	_ = json.Unmarshal([]byte(b.do("ops", "GET", "/v1/requests?limit=200", "").body), &page)
	for _, r := range page.Requests {
		ids = append(ids, r.Request)
	}
	return ids
}

func (b *testbed) answer(id, body string) response {
	b.t.Helper()
	return b.do("ann", "POST", "/v1/requests/"+id+"/answers", body)
}

const (
	single = `{"id":"q","question":"Deploy?","options":[{"label":"Yes (Recommended)"},{"label":"No"}]}`
	multi  = `{"id":"m","question":"Which?","options":[{"label":"A"},{"label":"B"},{"label":"C"}],"multi_select":true}`
	free   = `{"id":"f","question":"Why?"}`
	plan   = `{"id":"p","question":"Go?","detail":"the plan","options":[{"label":"Do it"},{"label":"No"}],"intent":{"kind":"plan-review","approve":"Do it"}}`
)

func asks(qs ...string) string { return `{"questions":[` + strings.Join(qs, ",") + `]}` }

// answersOf is the answers of a response, as they came.
func answersOf(r response) string {
	var m struct{ Answers json.RawMessage }
	_ = json.Unmarshal([]byte(r.body), &m)
	var b bytes.Buffer
	_ = json.Compact(&b, m.Answers)
	return b.String()
}

func TestSemantics(t *testing.T) {
	b := bed(t, nil)
	for _, c := range []struct{ name, ask, answer, want string }{
		{"single-select: one label, to the letter", asks(single), `{"answers":[{"id":"q","selected":["Yes (Recommended)"]}]}`, `[{"id":"q","selected":["Yes (Recommended)"]}]`},
		{"single-select: own words go to custom", asks(single), `{"answers":[{"id":"q","selected":[],"custom":"later"}]}`, `[{"id":"q","selected":[],"custom":"later"}]`},
		{"single-select: own words override the label", asks(single), `{"answers":[{"id":"q","selected":["No"],"custom":"later"}]}`, `[{"id":"q","selected":[],"custom":"later"}]`},
		{"multi-select: in the order offered", asks(multi), `{"answers":[{"id":"m","selected":["C","A"]}]}`, `[{"id":"m","selected":["A","C"]}]`},
		{"multi-select: custom beside labels", asks(multi), `{"answers":[{"id":"m","selected":["B"],"custom":"& <more>"}]}`, `[{"id":"m","selected":["B"],"custom":"& <more>"}]`},
		{"no options: custom", asks(free), `{"answers":[{"id":"f","selected":[],"custom":"因为"}]}`, `[{"id":"f","selected":[],"custom":"因为"}]`},
		{"multi-select alone may be skipped", asks(multi), `{"answers":[{"id":"m","skip":true}]}`, `[{"id":"m","selected":[]}]`},
		{"of several, each may be skipped, and they come in the order asked", asks(free, single), `{"answers":[{"id":"q","selected":["No"]},{"id":"f","skip":true}]}`, `[{"id":"f","selected":[]},{"id":"q","selected":["No"]}]`},
		{"plan-review changes presentation only", asks(plan), `{"answers":[{"id":"p","selected":["Do it"]}]}`, `[{"id":"p","selected":["Do it"]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, got := b.ask(c.ask)
			if r := b.answer(id, c.answer); r.status != 200 {
				t.Fatal(r)
			}
			if diff := cmp.Diff(c.want, answersOf(<-got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, c := range []struct{ name, ask, answer string }{
		{"a form with nothing chosen and nothing written", asks(multi), `{"answers":[{"id":"m","selected":[]}]}`},
		{"skip of a single single-select", asks(single), `{"answers":[{"id":"q","skip":true}]}`},
		{"skip of a plan", asks(plan, free), `{"answers":[{"id":"p","skip":true}]}`},
		{"two labels of one", asks(single), `{"answers":[{"id":"q","selected":["Yes (Recommended)","No"]}]}`},
		{"a label without its mark", asks(single), `{"answers":[{"id":"q","selected":["Yes"]}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, got := b.ask(c.ask)
			if r := b.answer(id, c.answer); r.status != 422 || r.field("code") != "INVALID_ANSWER" {
				t.Error(r)
			}
			b.do("ci", "DELETE", "/v1/requests/"+id, "")
			<-got
		})
	}
}

// TestErrors has a row for each code that the door can give without a fault of the machine.
func TestErrors(t *testing.T) {
	b := bed(t, func(c *config.Config) { c.CallerOpen = 3 })
	alive, stale := b.agent(`{"name":"a"}`), b.agent(`{"name":"b"}`)
	b.agent(fmt.Sprintf(`{"name":"b","agent":%q}`, stale[0]))
	child := b.agent(fmt.Sprintf(`{"name":"c","owner":%q}`, alive[0]))
	from := func(a [2]string) string {
		return strings.TrimSuffix(asks(single), "}") + fmt.Sprintf(`,"agent":%q,"instance":%q}`, a[0], a[1])
	}
	badPlan := strings.Replace(plan, `"approve":"Do it"`, `"approve":"Yes"`, 1)
	keyed := strings.TrimSuffix(asks(single), "}") + `,"key":"k"}`
	standing, first := b.ask(keyed)
	for _, c := range []struct {
		code            seam.Code
		status          int
		who, call, body string
	}{
		{seam.ErrEmptyQuestions, 422, "ci", "POST /v1/ask", `{"questions":[]}`},
		{seam.ErrInvalidQuestions, 422, "ci", "POST /v1/ask", asks(single, single)},
		{seam.ErrInvalidQuestions, 422, "ci", "POST /v1/ask", strings.TrimSuffix(asks(single), "}") + `,"route":"nowhere"}`},
		{seam.ErrInvalidQuestions, 422, "ci", "POST /v1/ask", strings.TrimSuffix(asks(single), "}") + `,"deadline":"2020-01-01T00:00:00Z"}`},
		{seam.ErrInvalidQuestions, 422, "ci", "POST /v1/ask", strings.TrimSuffix(asks(single), "}") + `,"deadline":"1h","default":{"q":{"selected":[]}}}`},
		{seam.ErrBadIntent, 422, "ci", "POST /v1/ask", asks(badPlan)},
		{seam.ErrMalformed, 400, "ci", "POST /v1/ask", `{"questions":[{"id":"q","question":"x","colour":"red"}]}`},
		{seam.ErrMalformed, 400, "ci", "POST /v1/ask?wait=soon", asks(single)},
		{seam.ErrTooLarge, 413, "ci", "POST /v1/ask", asks(`{"id":"q","question":"` + strings.Repeat("x", 1<<20) + `"}`)},
		{seam.ErrKeyReused, 409, "ci", "POST /v1/ask", strings.Replace(keyed, "Deploy", "Delete", 1)},
		{seam.ErrNotFound, 404, "ci", "GET /v1/requests/" + seam.NewRequestID(), ""},
		{seam.ErrNotFound, 404, "cd", "GET /v1/requests/" + standing, ""},
		{seam.ErrNotFound, 404, "cd", "DELETE /v1/requests/" + standing, ""},
		{seam.ErrInvalidAnswer, 422, "ann", "POST /v1/requests/" + standing + "/answers", `{"answers":[{"id":"q","selected":["Maybe"]}]}`},
		{seam.ErrCallerNotLive, 403, "ci", "POST /v1/ask", from(stale)},
		{seam.ErrCallerNotLive, 403, "cd", "POST /v1/ask", from(alive)},
		{seam.ErrDelegatedCaller, 403, "ci", "POST /v1/ask", from(child)},
		{seam.ErrUnauthenticated, 401, "", "POST /v1/ask", asks(single)},
		{seam.ErrUnauthenticated, 401, "nobody", "POST /v1/ask", asks(single)},
		{seam.ErrForbidden, 403, "ann", "POST /v1/ask", asks(single)},
		{seam.ErrForbidden, 403, "ops", "POST /v1/ask", asks(single)},
		{seam.ErrForbidden, 403, "ci", "POST /v1/requests/" + standing + "/answers", `{"cancel":true}`},
		{seam.ErrForbidden, 403, "ops", "POST /v1/requests/" + standing + "/answers", `{"cancel":true}`},
	} {
		t.Run(fmt.Sprint(c.code, " ", c.who, " ", c.call), func(t *testing.T) {
			method, path, _ := strings.Cut(c.call, " ")
			r := b.do(c.who, method, path, c.body)
			if r.status != c.status || r.field("code") != string(c.code) || r.field("type") != "urn:bridge:"+string(c.code) {
				t.Error(r.status, r.body)
			}
			if got := r.header.Get("Content-Type"); got != "application/problem+json" {
				t.Error(got)
			}
		})
	}
	t.Run("ALREADY_SETTLED names who won", func(t *testing.T) {
		if r := b.answer(standing, `{"answers":[{"id":"q","selected":["No"]}]}`); r.status != 200 {
			t.Fatal(r)
		}
		<-first
		r := b.do("bob", "POST", "/v1/requests/"+standing+"/answers", `{"answers":[{"id":"q","selected":["No"]}]}`)
		if r.status != 409 || r.field("code") != "ALREADY_SETTLED" || !strings.Contains(r.field("detail"), "ann") {
			t.Error(r)
		}
	})
	t.Run("RATE_LIMITED says when to try again", func(t *testing.T) {
		for range 3 {
			b.do("ci", "POST", "/v1/ask?wait=0s", asks(free))
		}
		r := b.do("ci", "POST", "/v1/ask", asks(free))
		if r.status != 429 || r.field("code") != "RATE_LIMITED" || r.header.Get("Retry-After") == "" {
			t.Error(r)
		}
	})
	t.Run("NO_PROVIDER where the inbox is off", func(t *testing.T) {
		off := bed(t, func(c *config.Config) { c.Inbox = false })
		if r := off.do("ci", "POST", "/v1/ask", asks(single)); r.status != 503 || r.field("code") != "NO_PROVIDER" {
			t.Error(r)
		}
	})
}

func (b *testbed) agent(body string) [2]string {
	b.t.Helper()
	r := b.do("ci", "POST", "/v1/agents", body)
	return [2]string{r.field("agent"), r.field("instance")}
}

// TestHowARequestEnds walks the table of endings.
func TestHowARequestEnds(t *testing.T) {
	b := bed(t, func(c *config.Config) {
		c.Linger, c.Grace, c.Handover = 300*time.Millisecond, 2*time.Second, time.Second
	})
	becomes := func(t *testing.T, id, state string) response {
		t.Helper()
		var r response
		if !until(func() bool { r = b.do("ops", "GET", "/v1/requests/"+id, ""); return r.field("status") == state }) {
			t.Fatalf("want %s: %s", state, r.body)
		}
		return r
	}
	is := func(t *testing.T, r response, status int, code string) {
		t.Helper()
		if r.status != status || r.field("code") != code {
			t.Error(r.status, r.body)
		}
	}
	t.Run("answered", func(t *testing.T) {
		id, got := b.ask(asks(single))
		b.answer(id, `{"answers":[{"id":"q","selected":["No"]}]}`)
		r := <-got
		if r.status != 200 || r.field("status") != "answered" || !strings.Contains(r.body, `"answered_by":[{"id":"q","answerer":"api","person":"ann"`) {
			t.Error(r)
		}
	})
	t.Run("cancelled, with what was recorded", func(t *testing.T) {
		id, got := b.ask(asks(single, free))
		b.answer(id, `{"answers":[{"id":"q","selected":["No"]}]}`)
		b.answer(id, `{"cancel":true}`)
		r := <-got
		is(t, r, 409, "ASK_CANCELLED")
		if !strings.Contains(r.body, `"partial":[{"id":"q","selected":["No"]}]`) {
			t.Error(r.body)
		}
	})
	t.Run("aborted by DELETE", func(t *testing.T) {
		id, got := b.ask(asks(single))
		if r := b.do("ci", "DELETE", "/v1/requests/"+id, ""); r.status != 200 || r.field("status") != "aborted" {
			t.Error(r)
		}
		is(t, <-got, 409, "ASK_ABORTED")
	})
	t.Run("lost connection: detached, kept, delivered by key", func(t *testing.T) {
		body := strings.TrimSuffix(asks(single), "}") + `,"key":"lost"}`
		before := len(b.ids())
		ctx, hangUp := context.WithCancel(t.Context())
		go func() { _, _ = b.call(ctx, "ci", "POST", "/v1/ask", body) }()
		until(func() bool { return len(b.ids()) > before })
		hangUp()
		id := b.ids()[0]
		if !until(func() bool { return b.do("ops", "GET", "/v1/requests/"+id, "").field("detached") == "true" }) {
			t.Fatal("not detached")
		}
		b.answer(id, `{"answers":[{"id":"q","selected":["No"]}]}`)
		r := b.do("ci", "POST", "/v1/ask", body)
		if r.status != 200 || r.field("request") != id || r.field("replayed") == "<nil>" {
			t.Error(r)
		}
	})
	t.Run("lost connection, nobody comes back: abandoned", func(t *testing.T) {
		before := len(b.ids())
		ctx, hangUp := context.WithCancel(t.Context())
		go func() { _, _ = b.call(ctx, "ci", "POST", "/v1/ask", asks(single)) }()
		until(func() bool { return len(b.ids()) > before })
		hangUp()
		becomes(t, b.ids()[0], "abandoned")
	})
	t.Run("handed over: pending, not detached, then abandoned", func(t *testing.T) {
		r := b.do("ci", "POST", "/v1/ask?wait=1ms", asks(single))
		if r.status != 202 || r.field("status") != "pending" {
			t.Fatal(r)
		}
		if now := b.do("ci", "GET", "/v1/requests/"+r.field("request"), ""); now.field("detached") != "false" {
			t.Error(now.body)
		}
		becomes(t, r.field("request"), "abandoned")
	})
	t.Run("expired", func(t *testing.T) {
		_, got := b.ask(strings.TrimSuffix(asks(single), "}") + `,"deadline":"300ms"}`)
		is(t, <-got, 410, "ASK_EXPIRED")
	})
	t.Run("expired with the caller's default", func(t *testing.T) {
		_, got := b.ask(strings.TrimSuffix(asks(single), "}") + `,"deadline":"300ms","default":{"q":{"selected":["No"]}}}`)
		r := <-got
		if r.status != 200 || r.field("status") != "expired" || answersOf(r) != `[{"id":"q","selected":["No"]}]` || r.field("defaulted") != "[q]" {
			t.Error(r)
		}
	})
}

func TestFiftyPeopleAtOnce(t *testing.T) {
	b := bed(t, nil)
	id, got := b.ask(asks(single))
	replies := make([]response, 50)
	var people sync.WaitGroup
	for i := range replies {
		people.Go(func() {
			who := []string{"ann", "bob"}[i%2]
			replies[i] = b.do(who, "POST", "/v1/requests/"+id+"/answers", `{"answers":[{"id":"q","custom":"`+fmt.Sprint(who, i)+`"}]}`)
		})
	}
	people.Wait()
	answered := <-got
	taken := 0
	for _, r := range replies {
		winner := strings.Contains(answered.body, `"person":"ann"`)
		switch {
		case r.status == 200:
			taken++
		case r.status != 409 || strings.Contains(r.field("detail"), "ann") != winner:
			t.Error(r)
		}
	}
	if taken != 1 {
		t.Errorf("%d were taken", taken)
	}
}

func TestOldAnswersNeverLeak(t *testing.T) {
	b := bed(t, nil)
	with := func(extra string) string { return strings.TrimSuffix(asks(single), "}") + extra + "}" }
	yes := `{"answers":[{"id":"q","selected":["Yes (Recommended)"]}]}`
	t.Run("two jobs with one token and the same question are two questions", func(t *testing.T) {
		one, first := b.ask(with(""))
		two, second := b.ask(with(""))
		if one == two {
			t.Fatal("joined")
		}
		b.answer(one, yes)
		<-first
		if r := b.do("ops", "GET", "/v1/requests/"+two, ""); r.field("status") != "pending" {
			t.Error(r.body)
		}
		b.answer(two, yes)
		<-second
	})
	t.Run("a key is its token's alone", func(t *testing.T) {
		id, got := b.ask(with(`,"key":"shared"`))
		b.answer(id, yes)
		<-got
		if r := b.do("cd", "POST", "/v1/ask?wait=0s", with(`,"key":"shared"`)); r.status != 202 || r.field("request") == id {
			t.Error(r)
		}
	})
	t.Run("a session gets no answer that was delivered", func(t *testing.T) {
		id, got := b.ask(with(`,"session":"s"`))
		b.answer(id, yes)
		<-got
		fresh := func() bool {
			r := b.do("ci", "POST", "/v1/ask?wait=0s", with(`,"session":"s"`))
			return r.status == 202 && r.field("request") != id
		}
		if !until(func() bool { return strings.Contains(b.log(), `"delivered"`) }) || !fresh() {
			t.Error("an old answer leaked")
		}
	})
	t.Run("readers do not collect", func(t *testing.T) {
		r := b.do("ci", "POST", "/v1/ask?wait=0s", with(`,"session":"r"`))
		id := r.field("request")
		b.answer(id, yes)
		b.do("ann", "GET", "/v1/requests/"+id, "")
		if r := b.do("ci", "POST", "/v1/ask", with(`,"session":"r"`)); r.field("request") != id || r.field("replayed") == "<nil>" {
			t.Error("the answer was taken for collected:", r.body)
		}
	})
}

// log is the whole log, as text.
func (b *testbed) log() string {
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Second)
	defer cancel()
	entries, _ := b.store.Tail(ctx, "0", 10_000)
	raw, _ := json.Marshal(entries)
	return string(raw)
}

func TestDrainIsInOrder(t *testing.T) {
	b := bed(t, nil)
	_, got := b.ask(strings.TrimSuffix(asks(single), "}") + `,"key":"k"}`)
	b.door.Drain()
	if err := b.seam.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r.status != 503 || r.field("code") != "DRAINING" || r.header.Get("Retry-After") == "" {
		t.Error(r)
	}
	recs, _, err := b.store.List(t.Context(), seam.Query{Limit: 1})
	if err != nil || recs[0].State != seam.Pending || recs[0].Detached.IsZero() {
		t.Errorf("%v %+v", err, recs)
	}
}

// TestRebinding: a page that rebinds its own name to this machine reaches nothing but the health of the process.
func TestRebinding(t *testing.T) {
	b := bed(t, nil)
	for path, want := range map[string]int{
		"/": 403, "/metrics": 403, "/v1/requests": 403, "/v1/ask": 403, "/login?code=x": 403, "/healthz": 200, "/readyz": 200,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		req.Header.Set("Authorization", "Bearer "+secretOf("ops"))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if path == "/v1/ask" && resp.StatusCode == http.StatusMethodNotAllowed {
			continue // there is no GET of it
		}
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// TestMetrics: they count, and hold nothing that anybody wrote.
func TestMetrics(t *testing.T) {
	b := bed(t, nil)
	id, got := b.ask(asks(`{"id":"secret-id","question":"secret question","options":[{"label":"secret label"}]}`))
	b.answer(id, `{"answers":[{"id":"secret-id","custom":"secret answer"}]}`)
	<-got
	r := b.do("", "GET", "/metrics", "")
	if !strings.Contains(r.body, `bridge_events_total{answerer="",event="asked"`) || strings.Contains(r.body, "secret") {
		t.Error(r.body)
	}
}

// TestNewestFirst: also of requests that come within one millisecond.
func TestNewestFirst(t *testing.T) {
	b := bed(t, nil)
	var want []string
	for range 30 {
		out, err := b.seam.Ask(t.Context(), seam.Request{
			Questions: []seam.Question{{ID: "q", Text: "x"}}, Caller: seam.Caller{Token: "ci"}, Wait: time.Nanosecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{out.Record.ID}, want...)
	}
	if diff := cmp.Diff(want, b.ids()); diff != "" {
		t.Error(diff)
	}
}
