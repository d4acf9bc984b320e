package storetest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// race runs f n times at once and counts those that say true.
func race(n int, f func(i int) bool) int {
	var wg sync.WaitGroup
	var count atomic.Int32
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			if f(i) {
				count.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(count.Load())
}

// items are the states of a record's questions.
func items(rec seam.Record) (out []seam.ItemState) {
	for _, it := range rec.Items {
		out = append(out, it.State)
	}
	return out
}

func (b *bench) wantItems(rec seam.Record, want ...seam.ItemState) {
	b.Helper()
	for i, s := range items(rec) {
		if s != want[i] {
			b.Fatalf("items are %v, want %v", items(rec), want)
		}
	}
}

var endings = []scene{
	{"answered by its last question", func(b *bench) {
		rec := b.ask(2)
		b.clock.Pass(time.Second)
		rec = b.answer(rec.ID, 2, "No")
		b.state(rec, seam.Pending)
		b.wantItems(rec, seam.ItemPending, seam.ItemAnswered)
		b.clock.Pass(time.Second)
		rec = b.answer(rec.ID, 1, "Yes")
		b.state(rec, seam.Answered)
		if rec.Ended != b.now() || rec.Kept || rec.Items[1].At != b.now().Add(-time.Second) || rec.Items[0].At != b.now() {
			b.Errorf("%+v", rec.Life)
		}
		if a := rec.Answers(); a[0].ID != "q1" || a[0].Selected[0] != "Yes" || a[1].Selected[0] != "No" {
			b.Errorf("%+v", a)
		}
		b.wantEvents("asked  pending", "answered q2 pending", "answered q1 answered")
		if e := b.entries()[2]; e.Person != ann("ann") || e.Caller != "ci" || e.Request != rec.ID || e.At != b.now() {
			b.Errorf("%+v", e)
		}
	}},
	{"answered while nobody waited", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "A", seam.Release)
		if rec = b.answer(rec.ID, 1, "Yes"); !rec.Kept {
			b.Error("not kept")
		}
	}},
	{"skipped counts as settled", func(b *bench) {
		rec := b.ask(2)
		b.answer(rec.ID, 1, "Yes")
		v := b.vote(2, "", "ann")
		v.Skip, v.Answer.Selected = true, []string{}
		rec = b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		b.state(rec, seam.Answered)
		b.wantItems(rec, seam.ItemAnswered, seam.ItemSkipped)
		if !rec.Answers()[1].Empty() {
			b.Errorf("%+v", rec.Answers())
		}
		b.wantEvents("asked  pending", "answered q1 pending", "skipped q2 answered")
	}},
	{"dismissed: recorded answers stand, the rest is closed", func(b *bench) {
		rec := b.ask(2)
		b.answer(rec.ID, 1, "Yes")
		rec = b.end(rec.ID, seam.Ending{State: seam.Cancelled, By: ann("bob"), Token: "p"})
		b.state(rec, seam.Cancelled)
		b.wantItems(rec, seam.ItemAnswered, seam.ItemClosed)
		if rec.By != ann("bob") || rec.Token != "p" || rec.Ended != b.now() || len(rec.Partial()) != 1 || !rec.Took(1, "p") {
			b.Errorf("%+v", rec.Life)
		}
		again := b.end(rec.ID, seam.Ending{State: seam.Cancelled, By: ann("bob"), Token: "p"})
		if again.Rev != rec.Rev || again.Token != "p" {
			b.Error("the same press dismissed it twice")
		}
		if late := b.end(rec.ID, seam.Ending{State: seam.Cancelled, By: ann("cy"), Token: "other"}); late.By != ann("bob") {
			b.Error("the second dismissal won")
		}
		b.wantEvents("asked  pending", "answered q1 pending", "closed  cancelled")
		if e := b.entries()[2]; e.Person != ann("bob") {
			b.Errorf("%+v", e)
		}
	}},
	{"aborted and failed", func(b *bench) {
		rec := b.ask(1)
		b.state(b.end(rec.ID, seam.Ending{State: seam.Aborted}), seam.Aborted)
		rec = b.ask(1)
		rec = b.end(rec.ID, seam.Ending{State: seam.Failed, Fail: seam.ErrDeliveryFailed, Why: "slack: not_in_channel"})
		b.state(rec, seam.Failed)
		if rec = b.read(rec.ID); rec.Fail != seam.ErrDeliveryFailed || rec.Why != "slack: not_in_channel" {
			b.Errorf("%+v", rec.Life)
		}
		b.wantItems(rec, seam.ItemClosed)
	}},
	{"the first ending stands", func(b *bench) {
		rec := b.ask(1)
		b.answer(rec.ID, 1, "Yes")
		for _, s := range []seam.State{seam.Aborted, seam.Cancelled, seam.Failed} {
			b.state(b.end(rec.ID, seam.Ending{State: s, Token: "p", Why: "w"}), seam.Answered)
		}
		if rec = b.read(rec.ID); rec.Token != "" || rec.Why != "" {
			b.Errorf("%+v", rec.Life)
		}
		b.clock.Pass(grace)
		b.lapse()
		b.state(b.read(rec.ID), seam.Answered)
	}},
	{"an abort that must be alone", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "B", seam.Attach)
		b.state(b.end(rec.ID, seam.Ending{State: seam.Aborted, Alone: "A"}), seam.Pending)
		b.hold(rec.ID, "B", seam.Release)
		b.state(b.end(rec.ID, seam.Ending{State: seam.Aborted, Alone: "A"}), seam.Aborted)
		rec = b.ask(1)
		b.hold(rec.ID, "A", seam.Release)
		b.state(b.end(rec.ID, seam.Ending{State: seam.Aborted, Alone: "A"}), seam.Aborted)
	}},
	{"the deadline", func(b *bench) {
		rec := b.ask(2, within(lease/2))
		b.answer(rec.ID, 1, "Yes")
		b.clock.Pass(lease/2 - time.Millisecond)
		b.lapse()
		b.state(b.read(rec.ID), seam.Pending)
		b.clock.Pass(time.Millisecond)
		b.lapse()
		rec = b.read(rec.ID)
		b.state(rec, seam.Expired)
		b.wantItems(rec, seam.ItemAnswered, seam.ItemClosed)
		if len(rec.Defaulted()) != 0 || len(rec.Partial()) != 1 || rec.Ended != b.now() {
			b.Errorf("%+v", rec.Life)
		}
		b.wantEvents("asked  pending", "answered q1 pending", "closed  expired")
	}},
	{"the deadline with a default: what people answered stands", func(b *bench) {
		rec := b.ask(2, within(time.Hour), byDefault)
		b.answer(rec.ID, 1, "Yes")
		b.clock.Pass(time.Hour)
		b.lapse()
		rec = b.read(rec.ID)
		b.state(rec, seam.Expired)
		b.wantItems(rec, seam.ItemAnswered, seam.ItemClosed)
		a, d := rec.Answers(), rec.Defaulted()
		if a[0].Selected[0] != "Yes" || a[1].Selected[0] != "No" || len(d) != 1 || d[0] != "q2" || len(rec.Partial()) != 1 {
			b.Errorf("%+v %v", a, d)
		}
	}},
	{"a press after the deadline finds it expired, swept or not", func(b *bench) {
		rec := b.ask(1, within(time.Hour))
		b.clock.Pass(time.Hour)
		got, err := b.Settle(b.ctx(), rec.ID, []seam.Vote{b.vote(1, "Yes", "ann")})
		b.want(err, seam.ErrAlreadySettled)
		b.state(got, seam.Expired)
		if len(got.Items[0].Votes) != 0 {
			b.Error("the vote was kept")
		}
	}},
	{"abandoned GRACE after it was detached", func(b *bench) {
		rec := b.ask(1)
		b.clock.Pass(time.Hour)
		rec = b.hold(rec.ID, "A", seam.Release)
		if rec.Detached != b.now() {
			b.Errorf("detached at %v, want %v", rec.Detached, b.now())
		}
		b.clock.Pass(grace - time.Millisecond)
		b.lapse()
		b.state(b.read(rec.ID), seam.Pending)
		b.clock.Pass(time.Millisecond)
		b.lapse()
		b.state(b.read(rec.ID), seam.Abandoned)
		b.wantEvents("asked  pending", "detached  pending", "closed  abandoned")
	}},
	{"abandoned HANDOVER after it was handed over", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "A", seam.HandOver)
		b.clock.Pass(handover - time.Millisecond)
		b.lapse()
		b.state(b.read(rec.ID), seam.Pending)
		b.clock.Pass(time.Millisecond)
		b.lapse()
		b.state(b.read(rec.ID), seam.Abandoned)
		b.wantEvents("asked  pending", "closed  abandoned")
	}},
	{"delivered: the first time stands", func(b *bench) {
		rec := b.ask(1)
		b.must(b.Deliver(b.ctx(), rec.ID))
		if !b.read(rec.ID).Delivered.IsZero() {
			b.Error("a pending request was delivered")
		}
		b.answer(rec.ID, 1, "Yes")
		first := b.must(b.Deliver(b.ctx(), rec.ID)).Delivered
		b.clock.Pass(time.Second)
		if again := b.must(b.Deliver(b.ctx(), rec.ID)).Delivered; first.IsZero() || again != first {
			b.Error(first, again)
		}
		b.clock.Pass(grace)
		b.lapse()
		if b.read(rec.ID).Uncollected {
			b.Error("uncollected although delivered")
		}
	}},
	{"never collected, then collected after all", func(b *bench) {
		rec := b.ask(1)
		b.answer(rec.ID, 1, "Yes")
		b.clock.Pass(grace - time.Millisecond)
		b.lapse()
		if b.read(rec.ID).Uncollected {
			b.Error("uncollected too early")
		}
		b.clock.Pass(time.Millisecond)
		b.lapse()
		if !b.read(rec.ID).Uncollected {
			b.Error("not uncollected")
		}
		if rec = b.must(b.Deliver(b.ctx(), rec.ID)); rec.Uncollected || rec.Delivered != b.now() {
			b.Errorf("%+v", rec.Life)
		}
	}},
	{"a default is delivered, an ending without answers is not", func(b *bench) {
		with, without := b.ask(1, within(time.Minute), byDefault), b.ask(1, within(time.Minute))
		b.clock.Pass(time.Minute)
		b.lapse()
		if b.must(b.Deliver(b.ctx(), with.ID)).Delivered.IsZero() {
			b.Error("the default was not delivered")
		}
		if !b.must(b.Deliver(b.ctx(), without.ID)).Delivered.IsZero() {
			b.Error("nothing was delivered")
		}
	}},
	{"RETENTION deletes the record and everything about it", func(b *bench) {
		rec := b.ask(1, key("k"), session("s"))
		b.place(rec.ID, 1)
		b.drawn(b.answer(rec.ID, 1, "Yes"))
		b.clock.Pass(retention - time.Millisecond)
		b.lapse()
		b.read(rec.ID)
		b.clock.Pass(time.Millisecond)
		b.lapse()
		_, err := b.Get(b.ctx(), rec.ID)
		b.want(err, seam.ErrNotFound)
		for _, q := range []seam.Query{{}, {Caller: "ci"}, {Status: seam.Answered}} {
			q.Limit = 10
			if recs, _, err := b.List(b.ctx(), q); err != nil || len(recs) != 0 {
				b.Errorf("%+v: %d records, %v", q, len(recs), err)
			}
		}
		b.ask(1, key("k"), session("s"), text("the key is free"))
	}},
}

var holds = []scene{
	{"only the last one who leaves detaches", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "B", seam.Attach)
		b.hold(rec.ID, "B", seam.Attach)
		if rec = b.hold(rec.ID, "A", seam.Release); !rec.Detached.IsZero() || len(rec.Owners) != 1 {
			b.Errorf("%+v", rec.Life)
		}
		if rec = b.hold(rec.ID, "B", seam.Release); rec.Detached != b.now() || len(rec.Owners) != 0 {
			b.Errorf("%+v", rec.Life)
		}
		b.clock.Pass(time.Minute)
		if again := b.hold(rec.ID, "B", seam.Release); again.Detached != rec.Detached {
			b.Error("detached twice")
		}
		if rec = b.hold(rec.ID, "C", seam.Attach); !rec.Detached.IsZero() {
			b.Error("detached although somebody waits")
		}
		b.live(2*grace, "C")
		b.wantEvents("asked  pending", "detached  pending")
	}},
	{"handed over is not detached", func(b *bench) {
		rec := b.ask(1)
		rec = b.hold(rec.ID, "A", seam.HandOver)
		if rec.HandedOver != b.now() || !rec.Detached.IsZero() || len(rec.Owners) != 0 {
			b.Errorf("%+v", rec.Life)
		}
		if rec = b.hold(rec.ID, "A", seam.Release); !rec.Detached.IsZero() {
			b.Error("a release after the handover detached it")
		}
		if rec = b.hold(rec.ID, "A", seam.Attach); !rec.HandedOver.IsZero() {
			b.Error("still handed over although somebody waits")
		}
	}},
	{"a handover while others wait leaves the request to them", func(b *bench) {
		rec := b.ask(1)
		b.hold(rec.ID, "B", seam.Attach)
		if rec = b.hold(rec.ID, "A", seam.HandOver); !rec.HandedOver.IsZero() {
			b.Error("handed over")
		}
		if rec = b.hold(rec.ID, "B", seam.Release); rec.Detached != b.now() {
			b.Error("not detached")
		}
	}},
	{"nothing changes after the end", func(b *bench) {
		rec := b.ask(1)
		rec = b.answer(rec.ID, 1, "Yes")
		for _, kind := range []seam.HoldKind{seam.Attach, seam.Release, seam.HandOver} {
			if got := b.hold(rec.ID, "B", kind); got.Rev != rec.Rev {
				b.Errorf("%s: %+v", kind, got.Life)
			}
		}
	}},
	{"the lease of a replica that died", func(b *bench) {
		beat := func(r string) {
			if err := b.Beat(b.ctx(), r, nil); err != nil {
				b.Fatal(err)
			}
		}
		beat("A")
		beat("B")
		alone, both := b.ask(1), b.ask(1)
		handed := b.ask(1)
		b.hold(both.ID, "B", seam.Attach)
		b.hold(handed.ID, "A", seam.HandOver)
		b.clock.Pass(lease - time.Second)
		beat("B")
		b.lapse()
		if rec := b.read(alone.ID); len(rec.Owners) != 1 {
			b.Error("dropped although its lease runs")
		}
		b.clock.Pass(time.Second)
		b.lapse()
		if rec := b.read(alone.ID); len(rec.Owners) != 0 || rec.Detached != b.now() {
			b.Errorf("alone: %+v", rec.Life)
		}
		if rec := b.read(both.ID); len(rec.Owners) != 1 || rec.Owners[0] != "B" || !rec.Detached.IsZero() {
			b.Errorf("both: %+v", rec.Life)
		}
		if rec := b.read(handed.ID); !rec.Detached.IsZero() {
			b.Errorf("handed over: %+v", rec.Life)
		}
	}},
	{"a replica that never beat dies a lease after its first request", func(b *bench) {
		rec := b.ask(1)
		b.clock.Pass(lease - time.Millisecond)
		b.lapse()
		if len(b.read(rec.ID).Owners) != 1 {
			b.Error("dropped too early")
		}
		b.clock.Pass(time.Millisecond)
		b.lapse()
		if len(b.read(rec.ID).Owners) != 0 {
			b.Error("never dropped")
		}
	}},
	{"a dead replica with many requests", func(b *bench) {
		var ids []string
		for range 250 {
			ids = append(ids, b.ask(1).ID)
		}
		b.clock.Pass(lease)
		for range 10 {
			b.lapse()
		}
		for _, id := range ids {
			if rec := b.read(id); len(rec.Owners) != 0 || rec.Detached.IsZero() {
				b.Fatalf("%+v", rec.Life)
			}
		}
	}},
}
