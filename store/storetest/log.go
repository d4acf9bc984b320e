package storetest

import (
	"context"
	"errors"
	"fmt"
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
	{"what comes after the head is what happens from now on", func(b *bench) {
		for round := range 3 {
			head, err := b.Head(b.ctx())
			if err != nil {
				b.Fatal(err)
			}
			rec := b.ask(1, text(fmt.Sprint(round)))
			got, err := b.Tail(b.ctx(), head, 10)
			if err != nil || len(got) != 1 || got[0].Request != rec.ID {
				b.Errorf("after %q: %+v %v", head, got, err)
			}
			b.clock.Pass(retention)
			b.lapse()
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
