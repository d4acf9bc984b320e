package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
)

var logging = []scene{
	{"a note gets a cursor and the time", func(b *bench) {
		in := seam.Entry{
			Event: seam.EventRefused, Request: "r", Question: "q", Status: seam.Pending, Caller: "ci", Person: ann("ann"),
			Reason: seam.ReasonLate,
		}
		if err := b.Note(b.ctx(), in); err != nil {
			b.Fatal(err)
		}
		got := b.entries()
		if len(got) != 1 || got[0].ID == "" {
			b.Fatalf("%+v", got)
		}
		in.ID, in.At = got[0].ID, b.now()
		if diff := cmp.Diff(in, got[0]); diff != "" {
			b.Error(diff)
		}
	}},
	{"it goes on after the cursor, in order, none twice", func(b *bench) {
		for range 10 {
			b.ask(1)
		}
		all := b.entries()
		var got []seam.Entry
		for cursor := "0"; len(got) < len(all); cursor = got[len(got)-1].ID {
			page, err := b.Tail(b.ctx(), cursor, 3)
			if err != nil || len(page) == 0 || len(page) > 3 {
				b.Fatalf("%+v %v", page, err)
			}
			got = append(got, page...)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			b.Error(diff)
		}
	}},
	{"it waits for the next entry", func(b *bench) {
		b.ask(1)
		all := b.entries()
		for _, cursor := range []string{"", all[len(all)-1].ID} {
			tailed := make(chan []seam.Entry)
			ready, stop := context.WithCancel(b.ctx())
			go func() {
				defer close(tailed)
				stop()
				for got := []seam.Entry(nil); len(got) == 0; {
					var err error
					if got, err = b.Tail(context.Background(), cursor, 10); err != nil {
						b.Error(err)
						return
					}
					tailed <- got
				}
			}()
			<-ready.Done()
			// From now on may begin after the first note: notes go on until one is heard.
			var got []seam.Entry
			for got == nil {
				if err := b.Note(b.ctx(), seam.Entry{Event: "ping"}); err != nil {
					b.Fatal(err)
				}
				select {
				case got = <-tailed:
				default:
				}
			}
			if got[0].Event != "ping" {
				b.Errorf("after %q: %+v", cursor, got)
			}
			for range tailed {
				b.Error("more")
			}
		}
	}},
	{"it ends with its context", func(b *bench) {
		ctx, cancel := context.WithCancelCause(b.ctx())
		gone := errors.New("gone")
		cancel(gone)
		if got, err := b.Tail(ctx, "", 10); !errors.Is(err, gone) || len(got) != 0 {
			b.Error(got, err)
		}
	}},
	{"a cursor of another log is told of from now on", func(b *bench) {
		b.ask(1)
		ctx, cancel := context.WithCancel(b.ctx())
		got := make(chan error)
		go func() {
			_, err := b.Tail(ctx, "999999", 10)
			got <- err
		}()
		for {
			if err := b.Note(b.ctx(), seam.Entry{Event: "ping"}); err != nil {
				b.Fatal(err)
			}
			select {
			case err := <-got:
				cancel()
				if err != nil {
					b.Error(err)
				}
				return
			default:
			}
		}
	}},
	{"a cursor that is none", func(b *bench) {
		_, err := b.Tail(b.ctx(), "x", 10)
		b.want(err, seam.ErrMalformed)
	}},
	{"entries are kept for RETENTION, and none is given twice after", func(b *bench) {
		b.ask(1)
		first := b.entries()[0]
		b.clock.Pass(retention - time.Hour)
		b.ask(1, text("later"))
		b.clock.Pass(time.Hour)
		b.lapse()
		got := b.entries()
		for _, e := range got {
			if e.ID == first.ID {
				b.Error("an old entry was kept")
			}
		}
		b.clock.Pass(retention)
		b.lapse()
		b.clock.Pass(retention)
		b.lapse()
		if err := b.Note(b.ctx(), seam.Entry{Event: "ping"}); err != nil {
			b.Fatal(err)
		}
		after, err := b.Tail(b.ctx(), got[len(got)-1].ID, 100)
		if err != nil || after[len(after)-1].Event != "ping" {
			b.Errorf("%+v %v", after, err)
		}
	}},
	{"each change is one line, told once", func(b *bench) {
		rec := b.ask(1)
		p := b.place(rec.ID, 1)
		b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, true))
		b.hold(rec.ID, "A", seam.Release)
		b.hold(rec.ID, "A", seam.Release)
		v := b.vote(1, "Yes", "ann")
		for range 2 {
			b.drawn(b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v})))
			b.drawn(b.must(b.Deliver(b.ctx(), rec.ID)))
		}
		b.wantEvents("asked  pending", "placed q1 pending", "detached  pending", "answered q1 answered",
			"retired q1 answered", "delivered  answered")
	}},
}

var granting = []scene{
	{"a session is read as often as it is shown", func(b *bench) {
		g := seam.Grant{Hash: "h", Person: "ann", Expires: b.now().Add(time.Hour)}
		if err := b.PutGrant(b.ctx(), g); err != nil {
			b.Fatal(err)
		}
		for range 2 {
			if got, err := b.Grant(b.ctx(), "h"); err != nil || got != g {
				b.Error(got, err)
			}
		}
		_, err := b.TakeGrant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		if err := b.DropGrant(b.ctx(), "h"); err != nil {
			b.Fatal(err)
		}
		_, err = b.Grant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		if err := b.DropGrant(b.ctx(), "h"); err != nil {
			b.Error("dropped twice:", err)
		}
	}},
	{"a link is taken once, by one of many", func(b *bench) {
		g := seam.Grant{Hash: "h", Person: "ann", Once: true, Expires: b.now().Add(time.Hour)}
		if err := b.PutGrant(b.ctx(), g); err != nil {
			b.Fatal(err)
		}
		_, err := b.Grant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		taken := race(20, func(int) bool {
			got, err := b.TakeGrant(context.Background(), "h")
			return err == nil && got == g
		})
		if taken != 1 {
			b.Errorf("taken %d times", taken)
		}
	}},
	{"both end in time", func(b *bench) {
		for hash, once := range map[string]bool{"link": true, "session": false} {
			if err := b.PutGrant(b.ctx(), seam.Grant{Hash: hash, Once: once, Expires: b.now().Add(time.Hour)}); err != nil {
				b.Fatal(err)
			}
		}
		b.clock.Pass(time.Hour)
		_, err := b.TakeGrant(b.ctx(), "link")
		b.want(err, seam.ErrNotFound)
		_, err = b.Grant(b.ctx(), "session")
		b.want(err, seam.ErrNotFound)
	}},
	{"a new grant does not touch the others", func(b *bench) {
		for _, hash := range []string{"a", "b", "c"} {
			if err := b.PutGrant(b.ctx(), seam.Grant{Hash: hash, Expires: b.now().Add(time.Hour)}); err != nil {
				b.Fatal(err)
			}
		}
		for _, hash := range []string{"a", "b", "c"} {
			if _, err := b.Grant(b.ctx(), hash); err != nil {
				b.Error(hash, err)
			}
		}
	}},
}

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
