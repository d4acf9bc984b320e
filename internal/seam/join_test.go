package seam_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// asking is a request with a key and a session.
func asking(text, key, session string) seam.Request {
	r := request(question(func(q *seam.Question) { q.Text = text }))
	r.Key, r.Caller.Session = key, session
	return r
}

func (h *house) pending() int {
	synctest.Wait()
	recs, _, err := h.store.List(h.t.Context(), seam.Query{Status: seam.Pending, Limit: 200})
	if err != nil {
		h.t.Fatal(err)
	}
	return len(recs)
}

func TestAskingAgain(t *testing.T) {
	inBubble(t, "neither key nor session: two jobs with one token are two questions", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "", ""))
		h.ask(asking("Deploy?", "", ""))
		if n := h.pending(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
	inBubble(t, "same key and questions: one card, both get the answer", func(t *testing.T, h *house) {
		a, b := h.ask(asking("Deploy?", "k", "")), h.ask(asking("Deploy?", "k", "other session"))
		h.answer(h.one(seam.Pending), 1, "Yes")
		for _, c := range []*call{a, b} {
			if out, err := c.result(); err != nil || !out.Replayed.IsZero() {
				t.Error(out.Replayed, err)
			}
		}
		if h.desk.cards() != 1 {
			t.Error("posted", h.desk.cards(), "times")
		}
	})
	inBubble(t, "same key, other text", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k", ""))
		_, err := h.ask(asking("Delete?", "k", "")).result()
		wantCode(t, err, seam.ErrKeyReused)
	})
	inBubble(t, "a key belongs to its token", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k", ""))
		other := asking("Delete?", "k", "")
		other.Caller.Token = "cd"
		if c := h.ask(other); !c.blocked() {
			t.Error(c.result())
		}
		if n := h.pending(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
	inBubble(t, "answered is replayed under its key for RETENTION, then the key is free", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k", ""))
		h.answer(h.one(seam.Pending), 1, "Yes")
		pass(retention - time.Minute)
		if out, err := h.ask(asking("Deploy?", "k", "")).result(); err != nil || out.Replayed.IsZero() {
			t.Error(out.Replayed, err)
		}
		pass(2 * time.Minute)
		if c := h.ask(asking("Delete?", "k", "")); !c.blocked() {
			t.Error(c.result())
		}
	})
	inBubble(t, "cancelled is replayed under its key", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k", ""))
		rec := h.one(seam.Pending)
		if _, err := h.store.End(t.Context(), rec.ID, seam.Ending{State: seam.Cancelled, Token: "p"}); err != nil {
			t.Fatal(err)
		}
		_, err := h.ask(asking("Deploy?", "k", "")).result()
		wantCode(t, err, seam.ErrCancelled)
	})
	inBubble(t, "aborted frees the key", func(t *testing.T, h *house) {
		c := h.ask(asking("Deploy?", "k", ""))
		c.cancel(seam.ErrAborted)
		c.result()
		if again := h.ask(asking("Deploy?", "k", "")); !again.blocked() {
			t.Error(again.result())
		}
	})
	inBubble(t, "session joins while pending, and an undelivered answer for GRACE", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "", "s")).cancel(errGone)
		again := h.ask(asking("Deploy?", "", "s"))
		if n := h.pending(); n != 1 {
			t.Fatalf("%d requests", n)
		}
		h.answer(h.one(seam.Pending), 1, "Yes")
		again.result() // and it dies before the answer is written
		if out, err := h.ask(asking("Deploy?", "", "s")).result(); err != nil || out.Replayed.IsZero() {
			t.Error(out.Replayed, err)
		}
		pass(grace + slack)
		if late := h.ask(asking("Deploy?", "", "s")); !late.blocked() {
			t.Error("an old answer leaked:", late.out)
		}
	})
	inBubble(t, "a delivered answer is never joined by session", func(t *testing.T, h *house) {
		c := h.ask(asking("Deploy?", "", "s"))
		h.answer(h.one(seam.Pending), 1, "Yes")
		out, _ := c.result()
		h.Delivered(t.Context(), out.Record.ID)
		if again := h.ask(asking("Deploy?", "", "s")); !again.blocked() {
			t.Error("an old answer leaked:", again.out)
		}
	})
	inBubble(t, "a dismissal is not replayed by session", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "", "s"))
		rec := h.one(seam.Pending)
		if _, err := h.store.End(t.Context(), rec.ID, seam.Ending{State: seam.Cancelled, Token: "p"}); err != nil {
			t.Fatal(err)
		}
		if again := h.ask(asking("Deploy?", "", "s")); !again.blocked() {
			t.Error(again.result())
		}
	})
	inBubble(t, "an unknown key with a session joins by session and is bound", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k1", "s"))
		h.ask(asking("Deploy?", "k2", "s"))
		if n := h.pending(); n != 1 {
			t.Fatalf("%d requests", n)
		}
		_, err := h.ask(asking("Delete?", "k2", "other")).result()
		wantCode(t, err, seam.ErrKeyReused)
	})
	inBubble(t, "a joiner's deadline, default and route are ignored", func(t *testing.T, h *house) {
		h.ask(asking("Deploy?", "k", ""))
		joiner := asking("Deploy?", "k", "")
		joiner.Deadline, joiner.Route = time.Now().Add(-time.Hour), "nowhere"
		joiner.Default = map[string]seam.DefaultOf{"q": {Selected: []string{"nonsense"}}}
		c := h.ask(joiner)
		if !c.blocked() || h.pending() != 1 {
			t.Fatal(c.result())
		}
		joiner.Key = "new"
		_, err := h.ask(joiner).result()
		if e := wantCode(t, err, seam.ErrInvalidQuestions); len(e.Faults) != 3 {
			t.Errorf("%+v", e.Faults)
		}
	})
}

func TestCaller(t *testing.T) {
	register := func(t *testing.T, h *house, a seam.Agent) seam.Agent {
		t.Helper()
		a.Token = "ci"
		got, err := h.store.Register(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	as := func(agent, instance string) seam.Request {
		r := request(question(nil))
		r.Caller.Agent, r.Caller.Instance = agent, instance
		return r
	}
	inBubble(t, "an open call keeps its instance alive", func(t *testing.T, h *house) {
		a := register(t, h, seam.Agent{})
		c := h.ask(as(a.ID, a.Instance))
		pass(10 * time.Minute)
		if err := h.store.Check(t.Context(), seam.Caller{Token: "ci", Agent: a.ID, Instance: a.Instance}); err != nil {
			t.Error(err)
		}
		c.cancel(seam.ErrAborted)
		c.result()
		pass(2 * time.Minute)
		_, err := h.ask(as(a.ID, a.Instance)).result()
		wantCode(t, err, seam.ErrCallerNotLive)
	})
	inBubble(t, "stale instance", func(t *testing.T, h *house) {
		a := register(t, h, seam.Agent{})
		register(t, h, seam.Agent{ID: a.ID})
		_, err := h.ask(as(a.ID, a.Instance)).result()
		wantCode(t, err, seam.ErrCallerNotLive)
	})
	inBubble(t, "a child of a live owner, then of one that is gone", func(t *testing.T, h *house) {
		owner := register(t, h, seam.Agent{})
		child := register(t, h, seam.Agent{Owner: owner.ID})
		_, err := h.ask(as(child.ID, child.Instance)).result()
		wantCode(t, err, seam.ErrDelegatedCaller)
		if err := h.store.Unregister(t.Context(), "ci", owner.ID); err != nil {
			t.Fatal(err)
		}
		if c := h.ask(as(child.ID, child.Instance)); !c.blocked() {
			t.Error(c.result())
		}
	})
	inBubble(t, "more than the limit", func(t *testing.T, h *house) {
		for range 5 {
			h.ask(request(question(nil)))
		}
		_, err := h.ask(request(question(nil))).result()
		wantCode(t, err, seam.ErrRateLimited)
		keyed := asking("Deploy?", "", "")
		keyed.Caller.Token = "cd"
		if c := h.ask(keyed); !c.blocked() {
			t.Error("another token is limited too")
		}
	})
}

func TestOrderOfChecks(t *testing.T) {
	inBubble(t, "each check comes before the next", func(t *testing.T, h *house) {
		ctx, cancel := context.WithCancelCause(t.Context())
		bad := seam.Request{Caller: seam.Caller{Token: "ci", Agent: "a_none", Instance: "i_none"}}
		step := func(want seam.Code) {
			t.Helper()
			_, err := h.Ask(ctx, bad)
			wantCode(t, err, want)
		}
		cancel(errGone)
		step(seam.ErrAborted)
		ctx, cancel = context.WithCancelCause(t.Context())
		defer cancel(nil)
		step(seam.ErrEmptyQuestions)
		bad.Questions = []seam.Question{question(func(q *seam.Question) {
			q.Text, q.Intent = "", &seam.Intent{Kind: seam.PlanReview, Approve: "none"}
		})}
		step(seam.ErrInvalidQuestions)
		bad.Questions[0].Text = "Deploy?"
		step(seam.ErrCallerNotLive)
		bad.Caller.Agent, bad.Caller.Instance = "", ""
		step(seam.ErrBadIntent)
		if n := h.pending(); n != 0 || h.desk.cards() != 0 {
			t.Error("something was stored or posted")
		}
	})
}
