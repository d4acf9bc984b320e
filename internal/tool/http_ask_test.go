package tool_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestAskBlocksUntilAnswered(t *testing.T) {
	h := open(t)
	blocked := h.start("POST", "/v1/ask", ci, deploy)
	id := h.asked(1)
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	rec, _ := h.store.Get(t.Context(), id)
	at := rec.Items[0].At.Format("2006-01-02T15:04:05.999Z07:00")
	(<-blocked).is(200).json(`{"request":"` + id + `","status":"answered","answers":[{"id":"d","selected":["Yes"]}],
		"answered_by":[{"id":"d","answerer":"api","person":"ann","name":"ann","at":"` + at + `"}]}`)
	if got := <-h.asker.delivered; got != id || !h.wasDelivered(id) {
		t.Error("not delivered:", got)
	}
}

// Each row of section 3 that an ask can meet at the door, in one place: what was done, and how it ends.
func TestHowAnAskEnds(t *testing.T) {
	two := `{"questions":[{"id":"a","question":"A?","options":[{"label":"x"},{"label":"y"}]},{"id":"b","question":"B?"}]}`
	multi := `{"questions":[{"id":"d","question":"Which?","multi_select":true,"options":[{"label":"x"},{"label":"y"},{"label":"z"}]}]}`
	for _, c := range []struct{ name, ask, say, answers string }{
		{"a label", deploy, sayYes, `[{"id":"d","selected":["Yes"]}]`},
		{"own words", deploy, `{"answers":[{"id":"d","custom":"later"}]}`, `[{"id":"d","selected":[],"custom":"later"}]`},
		{"own words override the label", deploy, `{"answers":[{"id":"d","selected":["Yes"],"custom":"later"}]}`, `[{"id":"d","selected":[],"custom":"later"}]`},
		{"labels in the order offered", multi, `{"answers":[{"id":"d","selected":["z","x"]}]}`, `[{"id":"d","selected":["x","z"]}]`},
		{"own words beside labels", multi, `{"answers":[{"id":"d","selected":["z"],"custom":"and w"}]}`, `[{"id":"d","selected":["z"],"custom":"and w"}]`},
		{"none", multi, `{"answers":[{"id":"d","skip":true}]}`, `[{"id":"d","selected":[]}]`},
		{
			"in the order asked, one skipped", two, `{"answers":[{"id":"b","custom":"hm"},{"id":"a","skip":true}]}`,
			`[{"id":"a","selected":[]},{"id":"b","selected":[],"custom":"hm"}]`,
		},
		{
			"the original label", strings.Replace(deploy, `"Yes"`, `"Yes & <b> (Recommended)"`, 1),
			`{"answers":[{"id":"d","selected":["Yes & <b> (Recommended)"]}]}`, `[{"id":"d","selected":["Yes & <b> (Recommended)"]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			h.t = t
			blocked := h.start("POST", "/v1/ask", ci, c.ask)
			h.call("POST", "/v1/requests/"+h.asked(1)+"/answers", ann, c.say).is(200)
			if got := (<-blocked).is(200); !strings.Contains(got.body, `"answers":`+c.answers) {
				t.Errorf("%s\nlacks %s", got.body, c.answers)
			}
		})
	}
}

func TestAskFails(t *testing.T) {
	plan := func(question string) string { return `{"questions":[{"id":"d","question":"Go?",` + question + `}]}` }
	for _, c := range []struct {
		name, ask string
		status    int
		code      seam.Code
		path      string
	}{
		{"no questions", `{"questions":[]}`, 422, seam.ErrEmptyQuestions, ""},
		{"questions left out", `{}`, 422, seam.ErrEmptyQuestions, ""},
		{"no id", `{"questions":[{"question":"?"}]}`, 422, seam.ErrInvalidQuestions, "questions[0].id"},
		{"an id twice", `{"questions":[{"id":"a","question":"?"},{"id":"a","question":"?"}]}`, 422, seam.ErrInvalidQuestions, "questions[1].id"},
		{"a label twice", plan(`"options":[{"label":"x"},{"label":"x"}]`), 422, seam.ErrInvalidQuestions, "questions[0].options[1].label"},
		{"unknown intent", plan(`"intent":{"kind":"vote"}`), 422, seam.ErrInvalidQuestions, "questions[0].intent.kind"},
		{"deadline in the past", `{"deadline":"2001-01-01T00:00:00Z",` + deploy[1:], 422, seam.ErrInvalidQuestions, "deadline"},
		{"deadline at the year 1", `{"deadline":"0001-01-01T00:00:00Z",` + deploy[1:], 422, seam.ErrInvalidQuestions, "deadline"},
		{"no time", `{"deadline":"0s",` + deploy[1:], 422, seam.ErrInvalidQuestions, "deadline"},
		{"negative time", `{"deadline":"-5m",` + deploy[1:], 422, seam.ErrInvalidQuestions, "deadline"},
		{"deadline is no time", `{"deadline":"soon",` + deploy[1:], 400, seam.ErrMalformed, "deadline"},
		{"unknown route", `{"route":"prod",` + deploy[1:], 422, seam.ErrInvalidQuestions, "route"},
		{"illegal default", `{"default":{"d":{"selected":["Maybe"]}},` + deploy[1:], 422, seam.ErrInvalidQuestions, `default["d"]`},
		{"approve is no option", plan(`"detail":"the plan","intent":{"kind":"plan-review","approve":"Yes"}`), 422, seam.ErrBadIntent, "questions[0].intent.approve"},
		{"agent without instance", `{"agent":"a_aaaaaaaaaaaaaaaaaaaaaaaaaa",` + deploy[1:], 403, seam.ErrCallerNotLive, ""},
		{"nobody took it", `{"questions":[{"id":"nobody","question":"?"}]}`, 503, seam.ErrNoProvider, ""},
		{"everybody refused it", `{"questions":[{"id":"refused","question":"?"}]}`, 502, seam.ErrDeliveryFailed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			h.t = t
			p := h.call("POST", "/v1/ask", ci, c.ask).is(c.status).problem(c.code)
			if c.path != "" && (len(p.Faults) != 1 || p.Faults[0].Path != c.path || !strings.Contains(p.Detail, c.path)) {
				t.Errorf("%+v, want one fault at %s", p, c.path)
			}
			if c.code == seam.ErrDeliveryFailed && !strings.Contains(p.Detail, "wall: it is raining") {
				t.Error(p.Detail)
			}
			recs, _, _ := h.store.List(t.Context(), seam.Query{Status: seam.Pending, Limit: 10})
			if len(recs) != 0 {
				t.Error("something was asked")
			}
		})
	}
}

func TestAskHandsOver(t *testing.T) {
	h := open(t)
	for _, wait := range []string{"1ms", "0s"} {
		r := h.call("POST", "/v1/ask?wait="+wait, ci, deploy).is(202)
		var p struct{ Request string }
		r.into(&p)
		r.json(`{"request":"` + p.Request + `","status":"pending"}`)
		rec, err := h.store.Get(t.Context(), p.Request)
		if err != nil || rec.HandedOver.IsZero() || !rec.Detached.IsZero() {
			t.Errorf("not handed over: %+v %v", rec.Life, err)
		}
	}
	for _, wait := range []string{"", "soon", "10", "-1s"} {
		p := h.call("POST", "/v1/ask?wait="+wait, ci, deploy).is(400).problem(seam.ErrMalformed)
		if len(p.Faults) != 1 || p.Faults[0].Path != "wait" {
			t.Errorf("%q: %+v", wait, p)
		}
	}
	p := h.call("POST", "/v1/ask?wait=soon", ci, `{"question":1}`).is(400).problem(seam.ErrMalformed)
	if len(p.Faults) != 2 {
		t.Errorf("one of two faults: %+v", p.Faults)
	}
}

func TestEndingsReachTheAsk(t *testing.T) {
	two := `{"questions":[{"id":"d","question":"A?"},{"id":"b","question":"B?"}]}`
	t.Run("dismissed, with what was recorded", func(t *testing.T) {
		h := open(t)
		blocked := h.start("POST", "/v1/ask", ci, two)
		id := h.asked(1)
		h.call("POST", "/v1/requests/"+id+"/answers", ann, `{"answers":[{"id":"b","custom":"yes"}]}`).is(200)
		h.call("POST", "/v1/requests/"+id+"/answers", ann, `{"cancel":true}`).is(200)
		r := (<-blocked).is(409)
		r.problem(seam.ErrCancelled)
		r.json(`{"type":"urn:bridge:ASK_CANCELLED","title":"Dismissed","status":409,"code":"ASK_CANCELLED","request":"` + id + `",
			"detail":"the user dismissed the request without answering; do not ask the same thing again",
			"partial":[{"id":"b","selected":[],"custom":"yes"}]}`)
	})
	t.Run("aborted by its own token", func(t *testing.T) {
		h := open(t)
		blocked := h.start("POST", "/v1/ask", ci, deploy)
		var now struct{ Status string }
		h.call("DELETE", "/v1/requests/"+h.asked(1), ci, "").is(200).into(&now)
		if now.Status != "aborted" {
			t.Error(now)
		}
		(<-blocked).is(409).problem(seam.ErrAborted)
	})
	t.Run("the default at the deadline", func(t *testing.T) {
		h := open(t)
		run, stop := context.WithCancel(t.Context())
		ran := make(chan struct{})
		go func() { defer close(ran); _ = h.seam.Run(run) }()
		defer func() { stop(); <-ran }()
		r := h.call("POST", "/v1/ask", ci, `{"deadline":"1ms","default":{"d":{"selected":["No"]}},`+deploy[1:]).is(200)
		var got struct{ Request string }
		r.into(&got)
		r.json(`{"request":"` + got.Request + `","status":"expired","answers":[{"id":"d","selected":["No"]}],"defaulted":["d"]}`)
		if h.wasDelivered(got.Request) {
			t.Error("a default is no answer to be delivered")
		}
		h.call("POST", "/v1/ask", ci, `{"deadline":"1ms",`+deploy[1:]).is(410).problem(seam.ErrExpired)
	})
	t.Run("the daemon stops", func(t *testing.T) {
		h := open(t)
		blocked := h.start("POST", "/v1/ask", ci, deploy)
		id := h.asked(1)
		h.http.Drain()
		if err := h.seam.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := (<-blocked).is(503)
		if p := r.problem(seam.ErrDraining); p.Request != id || r.header.Get("Retry-After") != "1" {
			t.Error(p, r.header)
		}
		h.call("POST", "/v1/ask", ci, deploy).is(503).problem(seam.ErrDraining)
		h.call("GET", "/readyz", "", "").is(503)
		h.call("GET", "/healthz", "", "").is(200)
	})
}

func TestAskAgain(t *testing.T) {
	h := open(t)
	blocked := h.start("POST", "/v1/ask", ci, keyed("k"))
	id := h.asked(1)
	again := h.start("POST", "/v1/ask", ci, keyed("k"))
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	for _, c := range []<-chan reply{blocked, again} {
		if r := (<-c).is(200); !strings.Contains(r.body, id) {
			t.Error(r.body)
		}
	}
	var got struct {
		Request  string
		Replayed string
	}
	h.call("POST", "/v1/ask", ci, keyed("k")).is(200).into(&got)
	if got.Request != id || got.Replayed == "" {
		t.Errorf("not replayed: %+v", got)
	}
	h.call("POST", "/v1/ask", ci, strings.Replace(keyed("k"), "Deploy?", "Delete?", 1)).is(409).problem(seam.ErrKeyReused)
}

func TestTooManyOpenRequests(t *testing.T) {
	h := open(t)
	for range 5 {
		h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	}
	r := h.call("POST", "/v1/ask", ci, deploy).is(429)
	if p := r.problem(seam.ErrRateLimited); !strings.Contains(p.Detail, "5") || !strings.Contains(p.Detail, "try again in") || r.header.Get("Retry-After") == "" {
		t.Error(p.Detail, r.header)
	}
	h.call("POST", "/v1/ask?wait=0s", cd, deploy).is(202)
}

// A connection that is lost is no abort, and nothing is delivered to it.
func TestLostConnection(t *testing.T) {
	h := open(t)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan reply, 1)
	go func() { left <- h.callWith(ctx, "POST", "/v1/ask", ci, deploy) }()
	id := h.asked(1)
	leave()
	if r := <-left; r.err == nil {
		t.Fatal(r.body)
	}
	<-h.asker.returned
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	if h.wasDelivered(id) {
		t.Error("delivered to nobody")
	}
	var got struct{ Status string }
	h.call("GET", "/v1/requests/"+id, ci, "").is(200).into(&got)
	if got.Status != "answered" || <-h.asker.delivered != id {
		t.Error(got)
	}
}

func TestBodyLimit(t *testing.T) {
	h := open(t)
	pad := func(n int) string { return strings.Repeat(" ", n-len(deploy)) + deploy }
	h.call("POST", "/v1/ask?wait=0s", ci, pad(1<<20)).is(202)
	h.call("POST", "/v1/ask?wait=0s", ci, pad(1<<20+1)).is(413).problem(seam.ErrTooLarge)
}

func TestRoutesOfAToken(t *testing.T) {
	h := open(t)
	if err := h.tokens.Replace(parseTokens(t, line("ci", "ask", ci, "routes=other"))); err != nil {
		t.Fatal(err)
	}
	h.call("POST", "/v1/ask", ci, deploy).is(http.StatusForbidden).problem(seam.ErrForbidden)
}

// The limits that a body can reach, at n and one over.
func TestLimitsAtTheDoor(t *testing.T) {
	h := open(t)
	x := func(n int) string { return strings.Repeat("é", n) }
	options := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"label":"%d"},`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	questions := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"id":"%d","question":"?"},`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	one := func(field string, n int) string {
		return `{"questions":[{"question":"?",` + fmt.Sprintf(field, x(n)) + `}]}`
	}
	for _, c := range []struct {
		path  string
		limit int
		body  func(n int) string
	}{
		{"questions", 20, func(n int) string { return `{"questions":[` + questions(n) + `]}` }},
		{"questions[0].options", 100, func(n int) string { return `{"questions":[{"id":"a","question":"?","options":[` + options(n) + `]}]}` }},
		{"questions[0].id", 200, func(n int) string { return one(`"id":"%s"`, n) }},
		{"questions[0].header", 200, func(n int) string { return one(`"id":"a","header":"%s"`, n) }},
		{"questions[0].detail", 100_000, func(n int) string { return one(`"id":"a","detail":"%s"`, n) }},
		{"questions[0].options[0].label", 500, func(n int) string { return one(`"id":"a","options":[{"label":"%s"}]`, n) }},
		{"questions[0].options[0].description", 2000, func(n int) string { return one(`"id":"a","options":[{"label":"l","description":"%s"}]`, n) }},
		{"key", 200, func(n int) string { return keyed(x(n)) }},
		{"session", 200, func(n int) string { return `{"session":"` + x(n) + `",` + deploy[1:] }},
	} {
		r := h.call("POST", "/v1/ask?wait=0s", ci, c.body(c.limit)).is(202)
		var p tool.Pending
		r.into(&p)
		h.call("DELETE", "/v1/requests/"+p.Request, ci, "").is(200)
		bad := h.call("POST", "/v1/ask?wait=0s", ci, c.body(c.limit+1)).is(422).problem(seam.ErrInvalidQuestions)
		if len(bad.Faults) != 1 || bad.Faults[0].Path != c.path {
			t.Errorf("one over: %+v, want a fault at %s", bad.Faults, c.path)
		}
	}
	h.call("POST", "/v1/ask?wait=0s", ci, `{"questions":[{"id":"d","question":"?"}],"key":"c"}`).is(202)
	recs, _, _ := h.store.List(t.Context(), seam.Query{Status: seam.Pending, Limit: 1})
	say := func(n int) reply {
		return h.call("POST", "/v1/requests/"+recs[0].ID+"/answers", ann, `{"answers":[{"id":"d","custom":"`+x(n)+`"}]}`)
	}
	say(10_001).is(422).problem(seam.ErrInvalidAnswer)
	say(10_000).is(200)
}
