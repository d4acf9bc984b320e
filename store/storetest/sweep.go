package storetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// soon is when the sweep has looked at a change, at the latest.
const soon = 5 * time.Second

var sweeping = []scene{
	{"nothing to do", func(b *bench) {
		rec := b.ask(1)
		b.place(rec.ID, 1)
		if ids := b.live(time.Hour, "A"); len(ids) != 0 {
			b.Error(ids)
		}
		if got := b.read(rec.ID); len(got.Owners) != 1 || got.State != seam.Pending {
			b.Errorf("%+v", got.Life)
		}
	}},
	{"a stale card: first time for whoever changed it, then with growing pauses", func(b *bench) {
		rec := b.ask(1)
		b.place(rec.ID, 1)
		b.answer(rec.ID, 1, "Yes")
		if ids := b.lapse(); len(ids) != 0 {
			b.Fatal("given out at once")
		}
		for _, pause := range []time.Duration{soon, 10 * time.Second, 20 * time.Second, 40 * time.Second} {
			b.clock.Pass(pause - time.Millisecond)
			if ids := b.lapse(); len(ids) != 0 {
				b.Fatalf("given out before %v", pause)
			}
			b.clock.Pass(time.Millisecond)
			if ids := b.lapse(); !slices.Equal(ids, []string{rec.ID}) {
				b.Fatalf("after %v: %v", pause, ids)
			}
		}
		for range 10 {
			b.clock.Pass(10 * time.Minute)
			if ids := b.lapse(); !slices.Contains(ids, rec.ID) {
				b.Fatal("given up")
			}
		}
		b.drawn(b.read(rec.ID))
		b.clock.Pass(time.Hour)
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("given out although nothing is stale")
		}
	}},
	{"a new change is looked at soon, whatever was tried before", func(b *bench) {
		rec := b.ask(2)
		b.place(rec.ID, 1)
		b.place(rec.ID, 2)
		b.answer(rec.ID, 1, "Yes")
		b.live(time.Hour, "A")
		b.answer(rec.ID, 2, "Yes")
		b.clock.Pass(soon)
		if ids := b.lapse(); len(ids) != 1 {
			b.Error(ids)
		}
	}},
	{"a step without effect leaves the pauses alone", func(b *bench) {
		rec := b.ask(1)
		p := b.place(rec.ID, 1)
		b.answer(rec.ID, 1, "Yes")
		b.clock.Pass(soon)
		b.lapse()
		b.clock.Pass(2 * soon)
		b.lapse()
		b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, true))
		b.must(b.Drawn(b.ctx(), rec.ID, []seam.Placement{p}))
		b.clock.Pass(soon)
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("the pause began anew")
		}
	}},
	{"what the sweep itself ends is given out at once", func(b *bench) {
		rec := b.ask(1, within(lease/2))
		b.place(rec.ID, 1)
		b.clock.Pass(lease / 2)
		recs, err := b.Lapse(b.ctx(), 10)
		if err != nil || len(recs) != 1 || recs[0].State != seam.Expired || len(recs[0].Stale()) != 1 {
			b.Fatalf("%+v %v", recs, err)
		}
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("given out twice")
		}
	}},
	{"each is given to one caller", func(b *bench) {
		const n = 40
		for range n {
			rec := b.ask(1)
			b.place(rec.ID, 1)
			b.answer(rec.ID, 1, "Yes")
		}
		b.clock.Pass(soon)
		var mu sync.Mutex
		got := map[string]int{}
		race(8, func(int) bool {
			for {
				recs, err := b.Lapse(context.Background(), 3)
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				for _, r := range recs {
					got[r.ID]++
				}
				mu.Unlock()
				if len(recs) > 3 {
					b.Errorf("%d records, 3 were asked for", len(recs))
				}
				if len(recs) < 3 {
					return true
				}
			}
		})
		for id, times := range got {
			if times != 1 {
				b.Errorf("%s was given out %d times", id, times)
			}
		}
		if len(got) != n {
			b.Errorf("%d of %d were given out", len(got), n)
		}
	}},
	{"what a dead replica had not posted is posted by another", func(b *bench) {
		rec := b.ask(1)
		b.clock.Pass(lease)
		if ids := b.lapse(); !slices.Equal(ids, []string{rec.ID}) {
			b.Fatal("nobody posts it:", ids)
		}
		b.clock.Pass(time.Minute)
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("given out again while it may still be posted")
		}
		b.clock.Pass(2 * time.Minute)
		if ids := b.lapse(); len(ids) != 1 {
			b.Error("given up")
		}
		b.place(rec.ID, 1)
		b.drawn(b.read(rec.ID))
		b.clock.Pass(8 * time.Minute)
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("given out although it is posted")
		}
	}},
	{"even when somebody else has joined it meanwhile", func(b *bench) {
		rec := b.ask(1, key("k"))
		b.clock.Pass(lease / 2)
		b.join(rec, key("k"), replica("B"))
		got := b.live(2*time.Minute, "B")
		if !slices.Equal(got, []string{rec.ID}) {
			b.Error("nobody posts it:", got)
		}
	}},
	{"a joiner that dies does not make the card of who still posts a second one", func(b *bench) {
		rec := b.ask(1, key("k"))
		b.join(rec, key("k"), replica("B"))
		if ids := b.live(time.Minute, "A"); len(ids) != 0 {
			b.Error("given out while it is being posted")
		}
		if got := b.read(rec.ID); !slices.Equal(got.Owners, []string{"A"}) {
			b.Errorf("%+v", got.Life)
		}
		b.place(rec.ID, 1)
		if ids := b.live(time.Hour, "A"); len(ids) != 0 {
			b.Error("given out although it is posted")
		}
	}},
	{"who posts is given time, and is not doubled when its caller leaves", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "A", seam.HandOver)
		b.clock.Pass(time.Minute)
		if ids := b.lapse(); len(ids) != 0 {
			b.Error("given out while it is being posted")
		}
		b.clock.Pass(time.Minute)
		if ids := b.lapse(); len(ids) != 1 {
			b.Error("never posted")
		}
	}},
	{"a card that has moved on does not make the sweep post the request again", func(b *bench) {
		rec := b.ask(1)
		p := seam.Placement{N: 1, Answerer: "wall", Channel: "c", Message: "m", Drawn: seam.StageOpen, Moved: true}
		b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, false))
		if ids := b.live(time.Minute, "A"); len(ids) != 0 {
			b.Fatal("given out while it is being posted")
		}
		p.Message, p.Moved = "m2", false
		b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, true))
		b.clock.Pass(soon)
		if ids := b.lapse(); len(ids) != 1 {
			b.Error("nobody retires the card that moved")
		}
	}},
	{"a storm of deadlines", func(b *bench) {
		const n = 150
		for range n {
			b.ask(1, within(time.Minute))
		}
		b.clock.Pass(time.Minute)
		for range n {
			b.lapse()
		}
		recs, _, err := b.List(b.ctx(), seam.Query{Status: seam.Expired, Limit: 200})
		if err != nil || len(recs) != n {
			b.Errorf("%d of %d expired, %v", len(recs), n, err)
		}
	}},
}
