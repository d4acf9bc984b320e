package seam_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

const (
	linger    = 60 * time.Second
	grace     = 15 * time.Minute
	handover  = 2 * time.Hour
	retention = 3 * time.Hour
	slack     = 2 * time.Second // the loop's tick, generously
)

// pass lets time go by in the bubble.
func pass(d time.Duration) { <-time.After(d) }

var errGone = errors.New("the client is gone")

// house is a seam over a memory store, in a bubble where time is free.
type house struct {
	*seam.Seam
	t     *testing.T
	store *storetest.Memory
	gap   *gap
	desk  *fakeDesk
	stop  func()
}

// gap runs something just before a store operation.
type gap struct {
	*storetest.Memory
	hold, end func()
	stalled   atomic.Bool // heartbeats do not arrive
}

func (g *gap) Beat(ctx context.Context, replica string, live []seam.Caller) error {
	if g.stalled.Load() {
		return seam.ErrStore
	}
	return g.Memory.Beat(ctx, replica, live)
}

func run(f *func()) {
	if g := *f; g != nil {
		*f = nil
		g()
	}
}

func (g *gap) Hold(ctx context.Context, id string, h seam.Hold) (seam.Record, error) {
	run(&g.hold)
	return g.Memory.Hold(ctx, id, h)
}

func (g *gap) End(ctx context.Context, id string, e seam.Ending) (seam.Record, error) {
	run(&g.end)
	return g.Memory.End(ctx, id, e)
}

func build(t *testing.T) *house {
	t.Helper()
	mem := storetest.NewMemory(store.Config{
		Grace: grace, Handover: handover, Retention: retention, Lease: 30 * time.Second, AgentTTL: 60 * time.Second,
	})
	h := &house{t: t, store: mem, gap: &gap{Memory: mem}}
	h.desk = &fakeDesk{store: mem}
	h.open("replica-1")
	return h
}

// open starts a replica on the store of the house.
func (h *house) open(replica string) {
	h.Seam = seam.NewSeam(seam.Config{Replica: replica, Linger: linger, Limit: 5}, seam.Ports{
		Store: h.gap, Sweep: h.gap, Agents: h.store, Desk: h.desk, Router: router{},
	})
	ctx, cancel := context.WithCancelCause(h.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = h.Run(ctx) })
	synctest.Wait()
	h.stop = func() { cancel(errors.New("stopped")); wg.Wait() }
}

func (h *house) close() {
	h.stop()
	if err := h.Drain(context.Background()); err != nil {
		h.t.Error("drain:", err)
	}
}

type router struct{}

func (router) Plan(r seam.Request) (seam.Plan, error) {
	if r.Route != "" && r.Route != "default" {
		return seam.Plan{}, &seam.Error{Code: seam.ErrInvalidQuestions, Faults: []seam.Fault{{Path: "route", Problem: "is unknown"}}}
	}
	return seam.Plan{Route: "default", Answerers: []string{"wall"}}, nil
}

func (router) Defaults(string) bool { return true }

// fakeDesk puts cards on a wall.
type fakeDesk struct {
	mu     sync.Mutex
	store  *storetest.Memory
	posted int
	before func(seam.Record) // runs before the placements are recorded
	err    error
}

func (d *fakeDesk) Present(ctx context.Context, rec seam.Record) (seam.Record, error) {
	d.mu.Lock()
	d.posted++
	before, err := d.before, d.err
	d.mu.Unlock()
	if err != nil {
		return rec, err
	}
	if before != nil {
		before(rec)
	}
	var cards []seam.Placement
	for _, n := range rec.Open() {
		cards = append(cards, seam.Placement{N: n, Answerer: "wall", Channel: "c", Message: fmt.Sprint(rec.ID, n), Drawn: seam.StageOpen})
	}
	return d.store.Place(ctx, rec.ID, cards, true)
}

func (d *fakeDesk) Redraw(ctx context.Context, rec seam.Record) {
	cards := rec.Stale()
	for i, p := range cards {
		cards[i].Drawn = rec.Stage(p)
	}
	_, _ = d.store.Drawn(ctx, rec.ID, cards)
}

func (d *fakeDesk) cards() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.posted
}

// call is one blocked ask.
type call struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	out    seam.Outcome
	err    error
}

func (h *house) ask(r seam.Request) *call {
	return h.begin(func(ctx context.Context) (seam.Outcome, error) { return h.Ask(ctx, r) })
}

func (h *house) begin(f func(context.Context) (seam.Outcome, error)) *call {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &call{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.out, c.err = f(ctx)
	}()
	synctest.Wait()
	return c
}

func (c *call) result() (seam.Outcome, error) {
	<-c.done
	return c.out, c.err
}

func (c *call) blocked() bool {
	synctest.Wait()
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// one is the only request of the store that is in a state.
func (h *house) one(state seam.State) seam.Record {
	h.t.Helper()
	synctest.Wait()
	recs, _, err := h.store.List(context.Background(), seam.Query{Status: state, Limit: 10})
	if err != nil || len(recs) != 1 {
		h.t.Fatalf("%d requests are %s, want 1 (%v)", len(recs), state, err)
	}
	return recs[0]
}

var press int

// answer settles question n by a label, as the desk would.
func (h *house) answer(rec seam.Record, n int, label string) {
	h.t.Helper()
	press++
	q := rec.Questions[n-1]
	_, err := h.store.Settle(context.Background(), rec.ID, []seam.Vote{{
		N: n, Answer: seam.Answer{ID: q.ID, Selected: []string{label}},
		Person: seam.Person{Answerer: "wall", ID: "ann"}, Token: fmt.Sprint("press-", press),
	}})
	if err != nil {
		h.t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code seam.Code) *seam.Error {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
	e, _ := seam.AsError(err)
	return e
}

func inBubble(t *testing.T, name string, f func(t *testing.T, h *house)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := build(t)
			defer h.close()
			f(t, h)
		})
	})
}

func TestEndings(t *testing.T) {
	yes := request(question(nil))
	inBubble(t, "answered", func(t *testing.T, h *house) {
		c := h.ask(yes)
		h.answer(h.one(seam.Pending), 1, "Yes")
		out, err := c.result()
		if err != nil || out.Record.Answers()[0].Selected[0] != "Yes" || !out.Replayed.IsZero() {
			t.Errorf("%+v %v", out, err)
		}
		h.settleDown()
		if rec := h.one(seam.Answered); len(rec.Stale()) != 0 || rec.Kept {
			t.Errorf("cards left stale: %+v", rec.Placements)
		}
	})
	inBubble(t, "a batch ends with its last question", func(t *testing.T, h *house) {
		c := h.ask(request(question(nil), question(func(q *seam.Question) { q.ID = "r" })))
		rec := h.one(seam.Pending)
		h.answer(rec, 2, "No")
		if !c.blocked() {
			t.Fatal("came back with one of two")
		}
		h.answer(rec, 1, "Yes")
		out, err := c.result()
		if got := out.Record.Answers(); err != nil || got[0].ID != "q" || got[1].ID != "r" {
			t.Errorf("%+v %v", got, err)
		}
	})
	inBubble(t, "dismissed", func(t *testing.T, h *house) {
		c := h.ask(request(question(nil), question(func(q *seam.Question) { q.ID = "r" })))
		rec := h.one(seam.Pending)
		h.answer(rec, 1, "Yes")
		_, err := h.store.End(t.Context(), rec.ID, seam.Ending{State: seam.Cancelled, By: seam.Person{Answerer: "wall", ID: "ann"}, Token: "p"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.result()
		if e := wantCode(t, err, seam.ErrCancelled); len(e.Partial) != 1 || e.Request != rec.ID {
			t.Errorf("%+v", e)
		}
	})
	inBubble(t, "explicit abort", func(t *testing.T, h *house) {
		c := h.ask(yes)
		c.cancel(seam.ErrAborted)
		_, err := c.result()
		wantCode(t, err, seam.ErrAborted)
		h.settleDown()
		if rec := h.one(seam.Aborted); len(rec.Stale()) != 0 {
			t.Error("live card left behind")
		}
	})
	inBubble(t, "an abort ends its own wait while others wait", func(t *testing.T, h *house) {
		keyed := yes
		keyed.Key = "k"
		a, b := h.ask(keyed), h.ask(keyed)
		a.cancel(seam.ErrAborted)
		_, err := a.result()
		wantCode(t, err, seam.ErrAborted)
		h.answer(h.one(seam.Pending), 1, "No")
		if out, err := b.result(); err != nil || out.Record.State != seam.Answered {
			t.Error(out, err)
		}
	})
	inBubble(t, "DELETE of an answered request leaves it", func(t *testing.T, h *house) {
		h.ask(yes)
		rec := h.one(seam.Pending)
		h.answer(rec, 1, "Yes")
		if rec, err := h.Abort(t.Context(), rec.ID, "ci"); err != nil || rec.State != seam.Answered {
			t.Error("an abort undid an answer:", rec.State, err)
		}
	})
	inBubble(t, "an abort bows to the press that came first", func(t *testing.T, h *house) {
		c := h.ask(yes)
		rec := h.one(seam.Pending)
		h.gap.end = func() { h.answer(rec, 1, "Yes") }
		c.cancel(seam.ErrAborted)
		if out, err := c.result(); err != nil || out.Record.State != seam.Answered {
			t.Error(out, err)
		}
	})
	inBubble(t, "lost connection: detached after LINGER, abandoned after GRACE", func(t *testing.T, h *house) {
		c := h.ask(yes)
		c.cancel(errGone)
		if _, err := c.result(); !errors.Is(err, errGone) {
			t.Error(err)
		}
		pass(linger - slack)
		if rec := h.one(seam.Pending); !rec.Detached.IsZero() {
			t.Error("detached before LINGER was over")
		}
		pass(2 * slack)
		rec := h.one(seam.Pending)
		if rec.Detached.IsZero() || rec.Placements[0].Drawn != seam.StageDetached {
			t.Fatalf("not detached: %+v", rec.Life)
		}
		pass(time.Until(rec.Detached.Add(grace)) - slack)
		h.one(seam.Pending)
		pass(2 * slack)
		h.one(seam.Abandoned)
	})
	inBubble(t, "who comes back within LINGER was never away", func(t *testing.T, h *house) {
		keyed := yes
		keyed.Key = "k"
		a := h.ask(keyed)
		a.cancel(errGone)
		pass(linger / 2)
		b := h.ask(keyed)
		pass(2 * linger)
		if rec := h.one(seam.Pending); !rec.Detached.IsZero() {
			t.Error("detached although somebody waits")
		}
		h.answer(h.one(seam.Pending), 1, "Yes")
		if _, err := b.result(); err != nil {
			t.Error(err)
		}
		if h.desk.cards() != 1 {
			t.Errorf("%d postings, want 1", h.desk.cards())
		}
	})
	inBubble(t, "answered while nobody waited, delivered when it asks again", func(t *testing.T, h *house) {
		keyed := yes
		keyed.Key = "k"
		h.ask(keyed).cancel(errGone)
		pass(linger + slack)
		h.answer(h.one(seam.Pending), 1, "Yes")
		given := h.one(seam.Answered).Ended
		pass(grace + slack)
		if rec := h.one(seam.Answered); !rec.Uncollected || rec.Placements[0].Drawn != seam.StageUncollected {
			t.Errorf("%+v", rec.Life)
		}
		out, err := h.ask(keyed).result()
		if err != nil || !out.Replayed.Equal(given) {
			t.Error(out.Replayed, given, err)
		}
		h.Delivered(t.Context(), out.Record.ID)
		if rec := h.one(seam.Answered); rec.Delivered.IsZero() {
			t.Error("delivery not recorded")
		}
	})
	inBubble(t, "handed over lives HANDOVER, then abandoned", func(t *testing.T, h *house) {
		waiting := yes
		waiting.Wait = 30 * time.Second
		out, err := h.ask(waiting).result()
		if err != nil || out.Record.State != seam.Pending {
			t.Fatal(out, err)
		}
		pass(handover - time.Minute)
		if rec := h.one(seam.Pending); !rec.Detached.IsZero() || rec.HandedOver.IsZero() {
			t.Errorf("%+v", rec.Life)
		}
		pass(2 * time.Minute)
		h.one(seam.Abandoned)
		_, err = h.Wait(t.Context(), out.Record.ID, "ci", time.Second)
		wantCode(t, err, seam.ErrAbandoned)
	})
	inBubble(t, "waiting by id takes a handover back", func(t *testing.T, h *house) {
		waiting := yes
		waiting.Wait = time.Second
		out, _ := h.ask(waiting).result()
		c := h.begin(func(ctx context.Context) (seam.Outcome, error) { return h.Wait(ctx, out.Record.ID, "ci", 0) })
		h.answer(h.one(seam.Pending), 1, "No")
		if got, err := c.result(); err != nil || got.Record.State != seam.Answered || got.Record.Kept {
			t.Error(got, err)
		}
	})
	inBubble(t, "deadline", func(t *testing.T, h *house) {
		late := yes
		late.Within = time.Hour
		start := time.Now()
		_, err := h.ask(late).result()
		wantCode(t, err, seam.ErrExpired)
		if took := time.Since(start); took < time.Hour || took > time.Hour+slack {
			t.Errorf("expired after %v", took)
		}
	})
	inBubble(t, "deadline with default, recorded answers stand", func(t *testing.T, h *house) {
		late := request(question(nil), question(func(q *seam.Question) { q.ID = "r" }))
		late.Deadline = time.Now().Add(time.Hour)
		late.Default = map[string]seam.DefaultOf{"q": {Selected: []string{"No"}}, "r": {Selected: []string{"No"}}}
		c := h.ask(late)
		h.answer(h.one(seam.Pending), 1, "Yes")
		out, err := c.result()
		if err != nil || out.Record.State != seam.Expired {
			t.Fatal(out, err)
		}
		got, defaulted := out.Record.Answers(), out.Record.Defaulted()
		if got[0].Selected[0] != "Yes" || got[1].Selected[0] != "No" || len(defaulted) != 1 || defaulted[0] != "r" {
			t.Error(got, defaulted)
		}
	})
	inBubble(t, "the replica that waited died", func(t *testing.T, h *house) {
		lost := h.ask(yes)
		h.stop() // no more heartbeats, its waiter is never heard of again
		h.open("replica-2")
		defer lost.cancel(errGone)
		pass(time.Minute)
		if rec := h.one(seam.Pending); rec.Detached.IsZero() || len(rec.Owners) != 0 {
			t.Errorf("%+v", rec.Life)
		}
		rec := h.one(seam.Pending)
		c := h.begin(func(ctx context.Context) (seam.Outcome, error) { return h.Wait(ctx, rec.ID, "ci", 0) })
		h.answer(rec, 1, "Yes")
		if _, err := c.result(); err != nil {
			t.Error(err)
		}
	})
	inBubble(t, "a process that was taken for dead comes back to its waiters", func(t *testing.T, h *house) {
		c := h.ask(yes)
		h.gap.stalled.Store(true)
		pass(45 * time.Second)
		if rec := h.one(seam.Pending); rec.Detached.IsZero() {
			t.Fatal("the lease did not end")
		}
		h.gap.stalled.Store(false)
		pass(30 * time.Second)
		if rec := h.one(seam.Pending); !rec.Detached.IsZero() || len(rec.Owners) != 1 {
			t.Errorf("%+v", rec.Life)
		}
		pass(2 * grace)
		h.answer(h.one(seam.Pending), 1, "Yes")
		if _, err := c.result(); err != nil {
			t.Error(err)
		}
	})
	for _, code := range []seam.Code{seam.ErrNoProvider, seam.ErrDeliveryFailed} {
		inBubble(t, string(code), func(t *testing.T, h *house) {
			h.desk.err = code.With("slack: channel_not_found")
			_, err := h.ask(yes).result()
			if e := wantCode(t, err, code); e.Detail != "slack: channel_not_found" {
				t.Errorf("%+v", e)
			}
			h.one(seam.Failed)
		})
	}
}

// settleDown waits until the sweep has been everywhere.
func (h *house) settleDown() { pass(10 * time.Second); synctest.Wait() }

func TestPressInEveryGap(t *testing.T) {
	inBubble(t, "between Create and Place", func(t *testing.T, h *house) {
		h.desk.before = func(rec seam.Record) { h.answer(rec, 1, "Yes") }
		c := h.ask(request(question(nil)))
		if out, err := c.result(); err != nil || out.Record.State != seam.Answered {
			t.Error(out, err)
		}
		h.settleDown()
		if rec := h.one(seam.Answered); len(rec.Placements) != 1 || len(rec.Stale()) != 0 {
			t.Errorf("the card that came last was not retired: %+v", rec.Placements)
		}
	})
	inBubble(t, "between read and wait of a joiner", func(t *testing.T, h *house) {
		keyed := request(question(nil))
		keyed.Key = "k"
		keyed.Wait = time.Second
		h.ask(keyed).result()
		rec := h.one(seam.Pending)
		h.gap.hold = func() { h.answer(rec, 1, "Yes") }
		keyed.Wait = 0
		if out, err := h.ask(keyed).result(); err != nil || out.Record.State != seam.Answered {
			t.Error(out, err)
		}
	})
}

func TestDrain(t *testing.T) {
	inBubble(t, "blocked calls end, their requests stay", func(t *testing.T, h *house) {
		c := h.ask(request(question(nil)))
		if err := h.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := c.result()
		wantCode(t, err, seam.ErrDraining)
		if rec := h.one(seam.Pending); rec.Detached.IsZero() || len(rec.Owners) != 0 {
			t.Errorf("%+v", rec.Life)
		}
		_, err = h.Ask(t.Context(), request(question(nil)))
		wantCode(t, err, seam.ErrDraining)
	})
}
