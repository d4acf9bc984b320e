package storetest

import (
	"errors"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
)

var creating = []scene{
	{"a new request is stored as asked, pending, owned, by the store's clock", func(b *bench) {
		n := request(2, key("k"), session("s"), within(time.Hour), byDefault)
		rec, joined, err := b.Create(b.ctx(), n)
		if err != nil || joined {
			b.Fatal(joined, err)
		}
		want := seam.Record{Body: n.Body, Life: seam.Life{
			State: seam.Pending, Items: []seam.Item{{State: seam.ItemPending}, {State: seam.ItemPending}},
			Owners: []string{"A"}, Keys: []string{"k"},
		}}
		want.RedrawAt = rec.RedrawAt // when the sweep looks after the posting is the store's to choose, but it does
		if rec.RedrawAt.IsZero() {
			b.Error("nobody will look after the posting should its reply be lost")
		}
		want.Created, want.Deadline, want.Rev = b.clock.Now().UTC().Truncate(time.Microsecond), b.now().Add(time.Hour), rec.Rev
		if diff := cmp.Diff(want, rec); diff != "" {
			b.Error("returned", diff)
		}
		if diff := cmp.Diff(want, b.read(rec.ID)); diff != "" {
			b.Error("stored", diff)
		}
		if diff := cmp.Diff(want, b.heard(rec.ID)); diff != "" {
			b.Error("told", diff)
		}
		b.wantEvents("asked  pending")
	}},
	{"a deadline is kept in UTC to the millisecond", func(b *bench) {
		at := b.clock.Now().Add(time.Hour)
		rec := b.ask(1, func(n *seam.New) { n.Body.Deadline = at })
		if want := at.UTC().Truncate(time.Millisecond); rec.Deadline != want || b.read(rec.ID).Deadline != want {
			b.Errorf("got %v, want %v", rec.Deadline, want)
		}
	}},
	{"no deadline", func(b *bench) {
		if rec := b.ask(1); !rec.Deadline.IsZero() || !b.read(rec.ID).Deadline.IsZero() {
			b.Error(rec.Deadline)
		}
	}},
	{"the limit counts what is open, of one token", func(b *bench) {
		limited := func(n *seam.New) { n.Limit = 2 }
		first := b.ask(1, limited, key("k"))
		second := b.ask(1, limited)
		refuse := func() {
			b.Helper()
			_, _, err := b.Create(b.ctx(), request(1, limited, text("one more")))
			if e := b.want(err, seam.ErrRateLimited); e.Detail == "" || e.Retry <= 0 {
				b.Errorf("%+v says neither the limit nor when to try again", e)
			}
		}
		refuse()
		b.ask(1, limited, token("cd"))
		b.join(first, limited, key("k"))
		b.answer(second.ID, 1, "Yes")
		third := b.ask(1, limited, text("third"))
		refuse()
		b.end(third.ID, seam.Ending{State: seam.Aborted})
		b.ask(1, limited, text("fourth"), within(time.Minute))
		refuse()
		b.clock.Pass(time.Minute)
		b.lapse()
		b.ask(1, limited, text("fifth"))
	}},
	{"what is refused leaves nothing behind", func(b *bench) {
		b.ask(1)
		n := request(1, text("one more"), key("k"), session("s"), func(n *seam.New) { n.Limit = 1 })
		_, _, err := b.Create(b.ctx(), n)
		b.want(err, seam.ErrRateLimited)
		_, err = b.Get(b.ctx(), n.Body.ID)
		b.want(err, seam.ErrNotFound)
		n.JoinOnly = true
		_, _, err = b.Create(b.ctx(), n)
		b.want(err, seam.ErrNotFound)
		b.wantEvents("asked  pending")
	}},
	{"the caller is judged before a join, a join before the limit", func(b *bench) {
		stale := func(n *seam.New) { n.Body.Caller.Agent, n.Body.Caller.Instance = "a_none", "i_none" }
		first := b.ask(1, key("k"))
		_, _, err := b.Create(b.ctx(), request(1, key("k"), stale))
		b.want(err, seam.ErrCallerNotLive)
		_, _, err = b.Create(b.ctx(), request(1, text("other"), stale, func(n *seam.New) { n.Limit = 1 }))
		b.want(err, seam.ErrCallerNotLive)
		b.join(first, key("k"), func(n *seam.New) { n.Limit = 1 })
	}},
	{"an unknown id", func(b *bench) {
		id := seam.NewRequestID()
		for name, call := range map[string]func() (seam.Record, error){
			"get":     func() (seam.Record, error) { return b.Get(b.ctx(), id) },
			"place":   func() (seam.Record, error) { return b.Place(b.ctx(), id, nil, true) },
			"end":     func() (seam.Record, error) { return b.End(b.ctx(), id, seam.Ending{State: seam.Aborted}) },
			"hold":    func() (seam.Record, error) { return b.Hold(b.ctx(), id, seam.Hold{Replica: "A", Kind: seam.Attach}) },
			"deliver": func() (seam.Record, error) { return b.Deliver(b.ctx(), id) },
			"settle":  func() (seam.Record, error) { return b.Settle(b.ctx(), id, []seam.Vote{b.vote(1, "Yes", "ann")}) },
			"offer":   func() (seam.Record, error) { return b.Offer(b.ctx(), id, 1, seam.Offer{ID: "o"}) },
			"drawn":   func() (seam.Record, error) { return b.Drawn(b.ctx(), id, nil) },
		} {
			if _, err := call(); !errors.Is(err, seam.ErrNotFound) {
				b.Errorf("%s: %v", name, err)
			}
		}
	}},
}
