package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/web"
	"github.com/askbridge/bridge/internal/seam"
)

func TestEveryKindOfQuestionIsAnsweredWithoutAScript(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	for _, c := range []struct {
		name string
		q    seam.Question
		act  func(g page, rec seam.Record) page
		want seam.Answer
		says string
	}{
		{
			"an option", single, func(g page, rec seam.Record) page { return g.press(rec, 1, seam.PressOption, "2") },
			seam.Answer{ID: "deploy", Selected: []string{"Canary (Recommended)"}},
			"Recorded: “Canary”.",
		},
		{"own words", single, func(g page, rec seam.Record) page {
			f, id := g.control(rec, 1, seam.PressForm, "")
			return f.set("text", "only\r\nEurope").send(id)
		}, seam.Answer{ID: "deploy", Selected: []string{}, Custom: "only\nEurope"}, "Recorded"},
		{"several", multi, func(g page, rec seam.Record) page {
			f, id := g.control(rec, 1, seam.PressForm, "")
			return f.set("chosen", "3", "1").set("text", "just today").send(id)
		}, seam.Answer{ID: "checks", Selected: []string{"Lint", "Licences"}, Custom: "just today"}, "Recorded"},
		{"words alone", free, func(g page, rec seam.Record) page {
			f, id := g.control(rec, 1, seam.PressForm, "")
			return f.set("text", "nobody moved it").send(id)
		}, seam.Answer{ID: "why", Selected: []string{}, Custom: "nobody moved it"}, "nobody moved it"},
		{"a plan", plan, func(g page, rec seam.Record) page {
			return g.has("<h4>Steps</h4>", "<strong>Move</strong>", "☑ backup taken").press(rec, 1, seam.PressOption, "1")
		}, seam.Answer{ID: "plan", Selected: []string{"Approve"}}, "Recorded: “Approve”."},
		{"a skip", multi, func(g page, rec seam.Record) page {
			return g.press(rec, 1, seam.PressSkip, "").has("Skip this question?").
				form("/r/" + rec.ID).send(card.Encode(rec.ID, 1, seam.PressSkip, "", true))
		}, seam.Answer{ID: "checks", Selected: []string{}}, "Your skip is recorded."},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := s.ask(c.q)
			after := c.act(ann.request(rec.ID).is(200), rec).is(200).has(c.says, "ann")
			if diff := cmp.Diff([]seam.Answer{c.want}, s.answers(rec.ID)); diff != "" {
				t.Error(diff)
			}
			if after.at != "/r/"+rec.ID {
				t.Error("led to", after.at)
			}
			if ann.request(rec.ID).hasNot("say-taken"); s.get(rec.ID).Items[0].Winners()[0].Person.Answerer != web.Name {
				t.Error("not by the inbox")
			}
		})
	}
}

func TestDismissAsksOnceMore(t *testing.T) {
	s := stage(t, nil)
	rec := s.ask(single, free)
	g := s.signIn("ann").request(rec.ID).press(rec, 1, seam.PressDismiss, "").has("Dismiss all 2 questions?", "Keep it open")
	if s.get(rec.ID).State != seam.Pending {
		t.Fatal("dismissed at once")
	}
	g.form("/r/" + rec.ID).send(card.Encode(rec.ID, 1, seam.PressDismiss, "", true)).has("Dismissed by ann")
	if s.get(rec.ID).State != seam.Cancelled {
		t.Error("not dismissed")
	}
}

func TestTheSameFormSentTwiceIsOnePress(t *testing.T) {
	s := stage(t, nil)
	rec := s.ask(single)
	f, id := s.signIn("ann").request(rec.ID).control(rec, 1, seam.PressOption, "1")
	for range 2 {
		f.send(id).is(200).has("Recorded: “Yes”.")
	}
	if n := len(s.get(rec.ID).Items[0].Votes); n != 1 {
		t.Errorf("%d votes", n)
	}
	f.send(card.Encode(rec.ID, 1, seam.PressOption, "3", false)).is(409).has("Too late: ann answered “Yes”")
}

func TestRefusedFormsKeepWhatWasTyped(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	t.Run("empty", func(t *testing.T) {
		rec := s.ask(multi)
		f, id := ann.request(rec.ID).control(rec, 1, seam.PressForm, "")
		f.set("text", " ").send(id).is(422).has("Nothing is chosen")
	})
	t.Run("too long", func(t *testing.T) {
		rec := s.ask(multi)
		f, id := ann.request(rec.ID).control(rec, 1, seam.PressForm, "")
		long := strings.Repeat("长", seam.MaxCustom+1)
		f.set("text", long).set("chosen", "2").send(id).is(422).has("at most 10000", long, `data-option="2" checked`)
	})
	t.Run("the longest is taken", func(t *testing.T) {
		rec := s.ask(free)
		f, id := ann.request(rec.ID).control(rec, 1, seam.PressForm, "")
		f.set("text", strings.Repeat("😀", seam.MaxCustom)).send(id).is(200)
		s.answers(rec.ID)
	})
	t.Run("late", func(t *testing.T) {
		rec := s.ask(single)
		f, id := ann.request(rec.ID).control(rec, 1, seam.PressForm, "")
		s.elsewhere(rec, 1, 3, "Bob")
		f.set("text", "my words").send(id).is(409).has("Too late: Bob answered “No”", "Not sent.", "my words")
	})
}

// mute is a desk that does not answer in time.
type mute struct{}

func (mute) Press(ctx context.Context, _ seam.Press) answerer.Reply {
	<-ctx.Done()
	v := seam.Verdict{Kind: seam.Unknown}
	return answerer.Reply{Verdict: v, Say: card.WordsFor("en").Say(v, 1)}
}

func TestAPressIsAnsweredInTimeAndSaysThatItIsUnknown(t *testing.T) {
	s := stage(t, func(_ *web.Config, p *web.Ports) { p.Desk = mute{} })
	rec := s.ask(free)
	f, id := s.signIn("ann").request(rec.ID).control(rec, 1, seam.PressForm, "")
	start := time.Now()
	g := f.set("text", "my words").send(id).is(503).has("could not confirm", "my words", f.fields.Get("nonce"))
	if took := time.Since(start); took > 3*time.Second {
		t.Error("took", took)
	}
	if again, _ := g.control(rec, 1, seam.PressForm, ""); again.fields.Get("nonce") != f.fields.Get("nonce") {
		t.Error("pressed again it would be another press")
	}
}

func TestWhatNoPageOfOursSentChangesNothing(t *testing.T) {
	s := stage(t, nil)
	rec, other := s.ask(single), s.ask(single)
	ann := s.signIn("ann")
	f, id := ann.request(rec.ID).control(rec, 1, seam.PressOption, "1")
	fields := func(edit func(url.Values)) url.Values {
		v := url.Values{"press": {id}}
		for k, x := range f.fields {
			v[k] = x
		}
		edit(v)
		return v
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	same := func(url.Values) {}
	for _, c := range []struct {
		name   string
		fields url.Values
		edit   func(*http.Request)
		status int
	}{
		{"another site's page", fields(same), header("Sec-Fetch-Site", "cross-site"), 403},
		{"another page of this host", fields(same), header("Sec-Fetch-Site", "same-site"), 403},
		{"another origin", fields(same), header("Origin", "https://evil.example"), 403},
		{"another port", fields(same), header("Origin", "http://127.0.0.1:1"), 403},
		{"no token", fields(func(v url.Values) { v.Del("csrf") }), nil, 403},
		{"another session's token", fields(func(v url.Values) {
			theirs, _ := s.signIn("eve").request(rec.ID).control(rec, 1, seam.PressOption, "1")
			v["csrf"] = theirs.fields["csrf"]
		}), nil, 403},
		{"another host", fields(same), func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"another request's control", fields(func(v url.Values) {
			v.Set("press", card.Encode(other.ID, 1, seam.PressOption, "1", false))
		}), nil, 422},
		{"no control", fields(func(v url.Values) { v.Set("press", "b1:o:1:1") }), nil, 422},
		{"no such option", fields(func(v url.Values) {
			v.Set("press", card.Encode(rec.ID, 1, seam.PressOption, "9", false))
		}), nil, 422},
		{"a choice that is no number", fields(func(v url.Values) {
			v.Set("press", card.Encode(rec.ID, 1, seam.PressForm, "", false))
			v.Set("chosen", "x")
		}), nil, 422},
		{"too much", fields(func(v url.Values) { v.Set("text", strings.Repeat("x", 300<<10)) }), nil, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.edit == nil {
				c.edit = func(*http.Request) {}
			}
			ann.post("/r/"+rec.ID, c.fields, c.edit).is(c.status)
			if s.get(rec.ID).State != seam.Pending || s.get(other.ID).State != seam.Pending {
				t.Fatal("it changed something")
			}
		})
	}
	for name, value := range map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": s.url} {
		rec := s.ask(single)
		f, id := ann.request(rec.ID).control(rec, 1, seam.PressOption, "1")
		f.fields.Set("press", id)
		ann.post("/r/"+rec.ID, f.fields, header(name, value)).is(200)
		s.answers(rec.ID)
	}
}

func TestARequestThatIsNotThere(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	id := seam.NewRequestID()
	ann.request(id).is(404).has("no longer here")
	ann.request("%3Cscript%3E").is(404)
	gone := seam.Record{Body: seam.Body{ID: id}}
	rec := s.ask(free)
	f, _ := ann.request(rec.ID).control(rec, 1, seam.PressForm, "")
	f.action = "/r/" + gone.ID
	f.set("text", "my words").send(card.Encode(id, 1, seam.PressForm, "", false)).is(404).has("closed some time ago", "my words")
}

func TestTheScriptIsToldTheVerdict(t *testing.T) {
	s := stage(t, nil)
	rec := s.ask(single)
	ann := s.signIn("ann")
	f, id := ann.request(rec.ID).control(rec, 1, seam.PressOption, "1")
	f.fields.Set("press", id)
	asJSON := func(r *http.Request) { r.Header.Set("Accept", "application/json") }
	ann.post("/r/"+rec.ID, f.fields, asJSON).is(200).has(`{"n":1,"kind":"taken","say":"Recorded: “Yes”."}`)
}
