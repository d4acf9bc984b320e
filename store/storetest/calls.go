package storetest

import (
	"context"

	"github.com/askbridge/bridge/internal/seam"
)

var calling = []scene{
	{"a call whose context has ended changes nothing", func(b *bench) {
		ctx, cancel := context.WithCancel(b.ctx())
		cancel()
		n := request(1)
		_, _, err := b.Create(ctx, n)
		b.want(err, seam.ErrStore)
		_, err = b.Get(ctx, n.Body.ID)
		b.want(err, seam.ErrStore)
		_, err = b.Get(b.ctx(), n.Body.ID)
		b.want(err, seam.ErrNotFound)
	}},
	{"a closed store says so", func(b *bench) {
		rec := b.ask(1)
		waiting := make(chan error)
		go func() {
			_, err := b.Tail(context.Background(), "", 1)
			waiting <- err
		}()
		if err := b.Close(); err != nil {
			b.Fatal(err)
		}
		b.want(<-waiting, seam.ErrStore)
		_, err := b.Get(b.ctx(), rec.ID)
		b.want(err, seam.ErrStore)
		_, err = b.Settle(b.ctx(), rec.ID, []seam.Vote{b.vote(1, "Yes", "ann")})
		b.want(err, seam.ErrStore)
		b.want(b.Note(b.ctx(), seam.Entry{}), seam.ErrStore)
	}},
	{"every change is told before its call returns", func(b *bench) {
		rec := b.ask(1)
		for _, step := range []func() seam.Record{
			func() seam.Record { return b.hold(rec.ID, "B", seam.Attach) },
			func() seam.Record { b.place(rec.ID, 1); return b.read(rec.ID) },
			func() seam.Record { return b.answer(rec.ID, 1, "Yes") },
			func() seam.Record { return b.must(b.Deliver(b.ctx(), rec.ID)) },
		} {
			before := rec.Rev
			if rec = step(); rec.Rev <= before || b.heard(rec.ID).Rev != rec.Rev {
				b.Errorf("revision %d after %d, told %d", rec.Rev, before, b.heard(rec.ID).Rev)
			}
		}
	}},
	{"asleep, forgetful, awake: a lost reply is made good by asking again", func(b *bench) {
		f := NewFlaky(b.Store)
		rec := b.ask(1, key("k"))
		v := b.vote(1, "Yes", "ann")
		f.Sleep()
		_, err := f.Settle(b.ctx(), rec.ID, []seam.Vote{v})
		b.want(err, seam.ErrStore)
		b.state(b.read(rec.ID), seam.Pending)
		f.Lose()
		_, err = f.Settle(b.ctx(), rec.ID, []seam.Vote{v})
		b.want(err, seam.ErrStore)
		b.state(b.read(rec.ID), seam.Answered)
		f.Wakeup()
		b.must(f.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		if got, joined, err := f.Create(b.ctx(), request(1, key("k"))); err != nil || !joined || got.State != seam.Answered {
			b.Error(got.State, joined, err)
		}
	}},
}
