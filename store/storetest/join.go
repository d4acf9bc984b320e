package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
)

var joining = []scene{
	{"with neither key nor session every ask is new", func(b *bench) {
		b.ask(1)
		b.ask(1)
	}},
	{"a key joins what stands under it", func(b *bench) {
		rec := b.ask(1, key("k"), session("s"))
		got := b.join(rec, key("k"), replica("B"), session("another"))
		if len(got.Owners) != 2 || got.Caller.Session != "s" {
			b.Errorf("owners %v, session %q", got.Owners, got.Caller.Session)
		}
		b.wantEvents("asked  pending")
	}},
	{"a joiner's deadline, default and plan are ignored", func(b *bench) {
		rec := b.ask(1, key("k"))
		got := b.join(rec, key("k"), within(time.Hour), byDefault, quorum(3))
		if diff := cmp.Diff(rec.Body, got.Body); diff != "" {
			b.Error(diff)
		}
	}},
	{"a key belongs to its token", func(b *bench) {
		b.ask(1, key("k"))
		b.ask(1, key("k"), token("cd"))
		b.ask(1, key("k"), token("ef"), text("other"))
	}},
	{"token and key are not confused where they meet", func(b *bench) {
		b.ask(1, token("a"), key("b\x00c"))
		b.ask(1, token("a\x00b"), key("c"))
		b.ask(1, token("ab"), key("c"))
	}},
	{"a key with other questions", func(b *bench) {
		rec := b.ask(1, key("k"))
		reuse := func() {
			b.Helper()
			_, _, err := b.Create(b.ctx(), request(1, key("k"), text("other")))
			b.want(err, seam.ErrKeyReused)
		}
		reuse()
		b.answer(rec.ID, 1, "Yes")
		reuse()
	}},
	{"answered is replayed under its key for RETENTION", func(b *bench) {
		rec := b.ask(1, key("k"))
		b.answer(rec.ID, 1, "Yes")
		b.must(b.Deliver(b.ctx(), rec.ID))
		b.clock.Pass(retention - time.Millisecond)
		got := b.join(rec, key("k"), replica("B"))
		if got.State != seam.Answered || got.Answers()[0].Selected[0] != "Yes" || len(got.Owners) != 1 {
			b.Errorf("%+v", got.Life)
		}
		b.wantEvents("asked  pending", "answered q1 answered", "delivered  answered", "replayed  answered")
		b.clock.Pass(time.Millisecond)
		b.ask(1, key("k"), text("the key is free"))
	}},
	{"cancelled is replayed under its key", func(b *bench) {
		rec := b.ask(1, key("k"))
		b.end(rec.ID, seam.Ending{State: seam.Cancelled, By: ann("ann"), Token: "p"})
		if got := b.join(rec, key("k")); got.State != seam.Cancelled {
			b.Error(got.State)
		}
		b.wantEvents("asked  pending", "closed  cancelled", "replayed  cancelled")
	}},
	{"aborted, failed, expired and abandoned free the key", func(b *bench) {
		for name, finish := range map[string]func(id string){
			"aborted": func(id string) { b.end(id, seam.Ending{State: seam.Aborted}) },
			"failed":  func(id string) { b.end(id, seam.Ending{State: seam.Failed, Fail: seam.ErrNoProvider}) },
			"expired": func(string) { b.clock.Pass(48 * time.Hour) },
			"abandoned": func(id string) {
				b.hold(id, "A", seam.Release)
				b.clock.Pass(grace)
			},
		} {
			rec := b.ask(1, key(name), within(48*time.Hour))
			finish(rec.ID)
			again := b.ask(1, key(name), text("other"))
			b.join(again, key(name), text("other"))
		}
	}},
	{"the deletion of an old request leaves its key to the next", func(b *bench) {
		old := b.ask(1, key("k"), session("s"))
		b.end(old.ID, seam.Ending{State: seam.Aborted})
		b.clock.Pass(retention - time.Hour)
		rec := b.ask(1, key("k"), session("s"))
		b.clock.Pass(2 * time.Hour)
		b.lapse()
		_, err := b.Get(b.ctx(), old.ID)
		b.want(err, seam.ErrNotFound)
		b.join(rec, key("k"))
		b.join(rec, session("s"))
	}},
	{"a session joins the newest request with the same questions while it is pending", func(b *bench) {
		rec := b.ask(1, session("s"))
		b.join(rec, session("s"), replica("B"))
		b.ask(1, session("t"))
		b.ask(1, session("s"), text("other"))
		b.ask(1, session("s"), token("cd"))
		b.ask(1)
		b.join(rec, session("s"))
	}},
	{"a session joins an answer that was not delivered, for GRACE", func(b *bench) {
		rec := b.ask(1, session("s"))
		b.answer(rec.ID, 1, "Yes")
		b.clock.Pass(grace - time.Millisecond)
		b.join(rec, session("s"))
		b.clock.Pass(time.Millisecond)
		b.ask(1, session("s"))
	}},
	{"a session never joins an answer that was delivered", func(b *bench) {
		rec := b.ask(1, session("s"))
		b.answer(rec.ID, 1, "Yes")
		b.must(b.Deliver(b.ctx(), rec.ID))
		b.ask(1, session("s"))
	}},
	{"a session joins no other ending", func(b *bench) {
		for _, end := range []seam.State{seam.Cancelled, seam.Aborted, seam.Failed} {
			rec := b.ask(1, session("s"))
			b.end(rec.ID, seam.Ending{State: end})
		}
		b.ask(1, session("s"), within(time.Minute), byDefault)
		b.clock.Pass(time.Minute)
		b.ask(1, session("s"))
	}},
	{"a key that is not known joins by session and is bound", func(b *bench) {
		rec := b.ask(1, key("k1"), session("s"))
		if got := b.join(rec, key("k2"), session("s")); len(got.Keys) != 2 {
			b.Error("keys", got.Keys)
		}
		b.join(rec, key("k2"))
		b.join(rec, key("k1"))
		_, _, err := b.Create(b.ctx(), request(1, key("k2"), text("other")))
		b.want(err, seam.ErrKeyReused)
		b.end(rec.ID, seam.Ending{State: seam.Aborted})
		b.ask(1, key("k1"), text("free"))
		b.ask(1, key("k2"), text("free too"))
	}},
	{"a key that is known beats the session", func(b *bench) {
		keyed := b.ask(1, key("k"))
		b.ask(1, session("s"))
		b.join(keyed, key("k"), session("s"))
	}},
	{"a join clears detached and handed over", func(b *bench) {
		rec := b.ask(1, key("k"))
		for _, kind := range []seam.HoldKind{seam.Release, seam.HandOver} {
			b.hold(rec.ID, "A", kind)
			got := b.join(rec, key("k"))
			if !got.Detached.IsZero() || !got.HandedOver.IsZero() || len(got.Owners) != 1 {
				b.Errorf("after %s: %+v", kind, got.Life)
			}
		}
	}},
	{"a join comes too late for a deadline that nobody has swept", func(b *bench) {
		rec := b.ask(1, key("k"), within(time.Minute))
		b.clock.Pass(time.Minute)
		again := b.ask(1, key("k"))
		b.state(b.read(rec.ID), seam.Expired)
		b.state(again, seam.Pending)
	}},
	{"join only", func(b *bench) {
		only := func(n *seam.New) { n.JoinOnly = true }
		_, _, err := b.Create(b.ctx(), request(1, key("k"), only))
		b.want(err, seam.ErrNotFound)
		rec := b.ask(1, key("k"))
		b.join(rec, key("k"), only)
	}},
	{"fifty at once are one request", func(b *bench) {
		joins := race(50, func(i int) bool {
			_, joined, err := b.Create(b.ctx(), request(1, key("k"), replica("A")))
			if err != nil {
				b.Error(err)
			}
			return joined
		})
		if joins != 49 {
			b.Errorf("%d of 50 joined", joins)
		}
	}},
}
