package answerer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// How long a press tries before the person is answered in any case (DESIGN section 8): platforms drop a click that is
// not answered within 3 s.
const (
	pressBudget = 1 * time.Second
	formBudget  = 2 * time.Second
	openBudget  = 500 * time.Millisecond
)

func budget(c seam.Control) time.Duration {
	switch c {
	case seam.PressForm:
		return formBudget
	case seam.PressOther, seam.PressChoose:
		return openBudget
	}
	return pressBudget
}

// Press carries out what a person did to a card and says what to tell them. It never takes longer than the budget of the
// press. Adapters call it from many goroutines, and again with the same token when their platform repeats itself.
func (d *Desk) Press(ctx context.Context, p seam.Press) Reply {
	ctx, cancel := context.WithTimeout(ctx, budget(p.Control))
	defer cancel()
	start := d.cfg.Now()
	r := d.press(ctx, p)
	if r.Kind == seam.Taken || r.Kind == seam.Refused || r.Kind == seam.Unknown {
		r.Say = d.words.Say(r.Verdict, p.N)
	}
	d.after(p, r, d.cfg.Now().Sub(start))
	return r
}

func (d *Desk) press(ctx context.Context, p seam.Press) Reply {
	rec, err := d.store.Get(ctx, p.Request)
	switch {
	case err != nil:
		return failed(err)
	case p.N < 1 || p.N > len(rec.Items):
		return refused(seam.ReasonInvalid, rec)
	case rec.Took(p.N, p.Token):
		return verdict(seam.Taken, rec)
	}
	if !opens(p) { // authority is checked when the form is sent
		if reason := d.may(ctx, rec, p.Person); reason != "" {
			return refused(reason, rec)
		}
		rec = d.adopt(ctx, rec, p)
	}
	m := card.Read(rec, p)
	return moves[m.Kind](d, ctx, rec, p, m)
}

func opens(p seam.Press) bool { return p.Control == seam.PressOther || p.Control == seam.PressChoose }

// moves is what the desk does for each move of a press.
var moves = map[card.MoveKind]func(*Desk, context.Context, seam.Record, seam.Press, card.Move) Reply{
	card.MoveSettle:  (*Desk).settle,
	card.MoveDismiss: (*Desk).dismiss,
	card.MoveOffer:   (*Desk).offer,
	card.MoveRefuse: func(_ *Desk, _ context.Context, rec seam.Record, _ seam.Press, m card.Move) Reply {
		return refused(m.Reason, rec)
	},
	card.MoveIgnore: func(_ *Desk, _ context.Context, rec seam.Record, _ seam.Press, _ card.Move) Reply {
		return verdict(seam.Ignored, rec)
	},
	card.MoveForm: func(d *Desk, _ context.Context, rec seam.Record, p seam.Press, _ card.Move) Reply {
		form := card.FormOf(rec, p.N, d.words)
		return Reply{Verdict: seam.Verdict{Kind: seam.Asked, Record: rec}, Form: &form}
	},
	card.MoveConfirm: func(d *Desk, _ context.Context, rec seam.Record, p seam.Press, _ card.Move) Reply {
		confirm := card.ConfirmOf(rec, p.N, p.Control, d.words)
		return Reply{Verdict: seam.Verdict{Kind: seam.Asked, Record: rec}, Confirm: &confirm}
	},
}

func (d *Desk) settle(ctx context.Context, _ seam.Record, p seam.Press, m card.Move) Reply {
	rec, err := d.store.Settle(ctx, p.Request, []seam.Vote{m.Vote})
	switch {
	case err == nil:
		return verdict(seam.Taken, rec)
	case errors.Is(err, seam.ErrAlreadySettled):
		return refused(seam.ReasonLate, rec)
	}
	return failed(err)
}

func (d *Desk) dismiss(ctx context.Context, _ seam.Record, p seam.Press, _ card.Move) Reply {
	rec, err := d.store.End(ctx, p.Request, seam.Ending{State: seam.Cancelled, By: p.Person, Token: p.Token})
	switch {
	case err != nil:
		return failed(err)
	case rec.State == seam.Cancelled && rec.Token == p.Token:
		return verdict(seam.Taken, rec)
	}
	return refused(seam.ReasonLate, rec)
}

// offer keeps the reply and asks its author. The same reply is the same offer.
func (d *Desk) offer(ctx context.Context, _ seam.Record, p seam.Press, m card.Move) Reply {
	sum := sha256.Sum256([]byte(p.Person.Answerer + "\x00" + p.Token))
	o := seam.Offer{ID: hex.EncodeToString(sum[:8]), Person: p.Person, Text: m.Text}
	rec, err := d.store.Offer(ctx, p.Request, p.N, o)
	if err != nil {
		return failed(err)
	}
	made := card.OfferOf(rec, p.N, o, d.words)
	return Reply{Verdict: seam.Verdict{Kind: seam.Asked, Record: rec}, Offer: &made}
}

// may is why the person may not answer, or "".
func (d *Desk) may(ctx context.Context, rec seam.Record, who seam.Person) seam.Reason {
	ok, err := d.cfg.Gate.May(ctx, rec, who)
	switch {
	case err != nil:
		d.cfg.Log.Warn("authority not verified", "request", rec.ID, "answerer", who.Answerer, "error", err)
		return seam.ReasonUnverified
	case !ok:
		return seam.ReasonNotAllowed
	}
	return ""
}

// adopt takes in a card that the record does not know: a copy that was posted before a crash. A press on either counts,
// and both are retired in the end.
func (d *Desk) adopt(ctx context.Context, rec seam.Record, p seam.Press) seam.Record {
	if p.Card.Message == "" {
		return rec
	}
	for _, known := range rec.Placements {
		if known.At(p.Card) {
			return rec
		}
	}
	with, err := d.store.Place(ctx, rec.ID, []seam.Placement{p.Card}, rec.Placed)
	if err != nil {
		d.cfg.Log.Warn("copy of a card not recorded", "request", rec.ID, "answerer", p.Card.Answerer, "error", err)
		return rec
	}
	return with
}

// after is what follows a press without anybody waiting for it: the other cards, the log, the metrics.
func (d *Desk) after(p seam.Press, r Reply, took time.Duration) {
	d.cfg.Observer.Observe(seam.Event{
		Name: "pressed", Request: p.Request, Answerer: p.Person.Answerer, Result: string(r.Kind), Took: took,
	})
	if r.Kind == seam.Taken && len(r.Record.Stale()) > 0 {
		d.background(redrawing, func(ctx context.Context) { d.Redraw(ctx, r.Record) })
	}
	if r.Kind != seam.Refused || r.Record.ID == "" {
		return
	}
	e := seam.Entry{
		Event: seam.EventRefused, Request: p.Request, Status: r.Record.State,
		Caller: r.Record.Caller.Token, Person: p.Person, Reason: r.Reason,
	}
	if p.N >= 1 && p.N <= len(r.Record.Questions) {
		e.Question = r.Record.Questions[p.N-1].ID
	}
	d.background(redrawing, func(ctx context.Context) {
		if err := d.store.Note(ctx, e); err != nil {
			d.cfg.Log.Warn("refused press not logged", "request", p.Request, "error", err)
		}
	})
}

func verdict(k seam.VerdictKind, rec seam.Record) Reply {
	return Reply{Verdict: seam.Verdict{Kind: k, Record: rec}}
}

func refused(why seam.Reason, rec seam.Record) Reply {
	return Reply{Verdict: seam.Verdict{Kind: seam.Refused, Reason: why, Record: rec}}
}

// failed is the verdict when the store gave no record: it knows none, or it did not say.
func failed(err error) Reply {
	if errors.Is(err, seam.ErrNotFound) {
		return refused(seam.ReasonGone, seam.Record{})
	}
	return verdict(seam.Unknown, seam.Record{})
}
