package seam_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// outage is a house whose store sleeps and wakes.
func outage(t *testing.T, f func(t *testing.T, h *house, s *storetest.Flaky)) {
	synctest.Test(t, func(t *testing.T) {
		mem := storetest.NewMemory(store.Config{Grace: grace, Handover: handover, Retention: retention})
		flaky := storetest.NewFlaky(mem)
		h := &house{t: t, store: mem, desk: &fakeDesk{store: mem}}
		h.Seam = seam.NewSeam(seam.Config{Replica: "r", Linger: linger}, seam.Ports{
			Store: flaky, Sweep: flaky, Agents: flaky, Desk: h.desk, Router: router{},
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { _ = h.Run(ctx); close(done) }()
		f(t, h, flaky)
		flaky.Wakeup()
		cancel()
		<-done
		if err := h.Drain(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestTheStoreIsAway(t *testing.T) {
	yes := request(question(nil))
	t.Run("an ask is refused, nothing was asked", func(t *testing.T) {
		outage(t, func(t *testing.T, h *house, s *storetest.Flaky) {
			s.Sleep()
			_, err := h.ask(yes).result()
			wantCode(t, err, seam.ErrStore)
			s.Wakeup()
			pass(10 * time.Second)
			if n := h.pending(); n != 0 || h.desk.cards() != 0 {
				t.Errorf("%d pending, %d posted", n, h.desk.cards())
			}
		})
	})
	t.Run("a reply that was lost leaves no orphan", func(t *testing.T) {
		outage(t, func(t *testing.T, h *house, s *storetest.Flaky) {
			s.Lose()
			_, err := h.ask(yes).result()
			wantCode(t, err, seam.ErrStore)
			s.Wakeup()
			pass(10 * time.Second)
			h.one(seam.Aborted)
			if h.desk.cards() != 0 {
				t.Error("a question that was refused was posted")
			}
		})
	})
	t.Run("the same key after a lost reply joins what was stored", func(t *testing.T) {
		outage(t, func(t *testing.T, h *house, s *storetest.Flaky) {
			keyed := yes
			keyed.Key = "k"
			s.Lose()
			h.ask(keyed).result()
			s.Wakeup()
			c := h.ask(keyed)
			pass(2 * time.Minute) // posting is taken over
			if n := h.pending(); n != 1 || h.desk.cards() == 0 {
				t.Fatalf("%d pending, %d posted", n, h.desk.cards())
			}
			h.answer(h.one(seam.Pending), 1, "Yes")
			if _, err := c.result(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("callers keep waiting, and are served afterwards", func(t *testing.T) {
		outage(t, func(t *testing.T, h *house, s *storetest.Flaky) {
			c := h.ask(yes)
			rec := h.one(seam.Pending)
			s.Sleep()
			pass(5 * time.Minute)
			if !c.blocked() {
				t.Fatal(c.result())
			}
			s.Wakeup()
			pass(time.Minute)
			h.answer(rec, 1, "No")
			if out, err := c.result(); err != nil || out.Record.Answers()[0].Selected[0] != "No" {
				t.Error(err)
			}
		})
	})
	t.Run("an abort that could not be recorded is recorded later", func(t *testing.T) {
		outage(t, func(t *testing.T, h *house, s *storetest.Flaky) {
			c := h.ask(yes)
			s.Sleep()
			c.cancel(seam.ErrAborted)
			_, err := c.result()
			wantCode(t, err, seam.ErrAborted)
			pass(time.Minute)
			h.one(seam.Pending)
			s.Wakeup()
			pass(5 * time.Second)
			h.one(seam.Aborted)
		})
	})
}
