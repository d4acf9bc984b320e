package storetest

import (
	"fmt"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

var drawing = []scene{
	{"where cards stand", func(b *bench) {
		rec := b.ask(2)
		p := seam.Placement{N: 2, Answerer: "wall", Channel: "c", Message: "m", Drawn: seam.StageOpen}
		rec = b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, false))
		if rec.Placed || len(rec.Placements) != 1 || rec.Placements[0] != p {
			b.Errorf("%+v", rec.Life)
		}
		if rec = b.must(b.Place(b.ctx(), rec.ID, nil, true)); !rec.Placed {
			b.Error("not accepted")
		}
		if rec = b.must(b.Place(b.ctx(), rec.ID, nil, false)); !rec.Placed {
			b.Error("accepted no more")
		}
		b.wantEvents("asked  pending", "placed q2 pending")
		if e := b.entries()[1]; e.Answerer != "wall" {
			b.Errorf("%+v", e)
		}
	}},
	{"a placement that is known keeps what it shows", func(b *bench) {
		rec := b.ask(1)
		p := b.place(rec.ID, 1)
		rec = b.drawn(b.answer(rec.ID, 1, "Yes"))
		again := b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, true))
		if again.Rev != rec.Rev || len(again.Placements) != 1 || again.Placements[0].Drawn != seam.StageAnswered {
			b.Errorf("%+v", again.Placements)
		}
	}},
	{"moved is told by placing again, and stays", func(b *bench) {
		rec := b.ask(1)
		p := b.place(rec.ID, 1)
		moved := p
		moved.Moved = true
		b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{moved}, false))
		rec = b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, false))
		if len(rec.Placements) != 1 || !rec.Placements[0].Moved || rec.Stage(rec.Placements[0]) != seam.StageElsewhere {
			b.Errorf("%+v", rec.Placements)
		}
	}},
	{"a copy is a placement of its own", func(b *bench) {
		rec := b.ask(1)
		p := b.place(rec.ID, 1)
		p.Message = "copy"
		if rec = b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, rec.Placed)); len(rec.Placements) != 2 {
			b.Errorf("%+v", rec.Placements)
		}
	}},
	{"the human was faster than the placement", func(b *bench) {
		rec := b.ask(1)
		b.answer(rec.ID, 1, "Yes")
		p := seam.Placement{N: 1, Answerer: "wall", Channel: "c", Message: "m", Drawn: seam.StageOpen}
		rec = b.must(b.Place(b.ctx(), rec.ID, []seam.Placement{p}, true))
		if rec.State != seam.Answered || len(rec.Stale()) != 1 {
			b.Errorf("%+v", rec.Life)
		}
		b.clock.Pass(time.Minute)
		if ids := b.lapse(); len(ids) != 1 {
			b.Error("nobody retires the late card")
		}
	}},
	{"what cards show is recorded, and when they retire", func(b *bench) {
		rec := b.ask(2)
		b.place(rec.ID, 1)
		b.place(rec.ID, 2)
		rec = b.drawn(b.answer(rec.ID, 1, "Yes"))
		if rec.Placements[0].Drawn != seam.StageRecorded || rec.Placements[1].Drawn != seam.StageOpen || len(rec.Stale()) != 0 {
			b.Errorf("%+v", rec.Placements)
		}
		rec = b.drawn(b.end(rec.ID, seam.Ending{State: seam.Cancelled}))
		if len(rec.Stale()) != 0 {
			b.Errorf("%+v", rec.Placements)
		}
		if again := b.drawn(rec); again.Rev != rec.Rev {
			b.Error("drawn twice")
		}
		b.wantEvents("asked  pending", "placed q1 pending", "placed q2 pending", "answered q1 pending",
			"closed  cancelled", "retired q1 cancelled", "retired q2 cancelled")
	}},
	{"an unknown card is not drawn", func(b *bench) {
		rec := b.ask(1)
		got := b.must(b.Drawn(b.ctx(), rec.ID, []seam.Placement{{N: 1, Answerer: "wall", Message: "none", Drawn: seam.StageOpen}}))
		if got.Rev != rec.Rev {
			b.Errorf("%+v", got.Life)
		}
	}},
	{"an offer is kept and begins conversation", func(b *bench) {
		rec := b.ask(2)
		o := seam.Offer{ID: "o1", Person: ann("ann"), Text: "well, yes"}
		rec = b.must(b.Offer(b.ctx(), rec.ID, 2, o))
		if it := rec.Items[1]; !it.Talk || len(it.Offers) != 1 || it.Offers[0] != o || rec.Items[0].Talk {
			b.Errorf("%+v", rec.Items)
		}
		if again := b.must(b.Offer(b.ctx(), rec.ID, 2, o)); again.Rev != rec.Rev {
			b.Error("the same offer was kept twice")
		}
		for i := range 100 {
			rec = b.must(b.Offer(b.ctx(), rec.ID, 2, seam.Offer{ID: fmt.Sprint("more-", i), Person: ann("ann")}))
		}
		if n := len(rec.Items[1].Offers); n > 50 || rec.Items[1].Offers[n-1].ID != "more-99" {
			b.Errorf("%d offers are kept", n)
		}
		_, err := b.Offer(b.ctx(), rec.ID, 3, o)
		b.want(err, seam.ErrInvalidAnswer)
	}},
}
