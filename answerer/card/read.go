package card

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// Read is what a press asks for, given the record. It judges what was pressed, never who pressed; only that an offer is
// its author's own.
func Read(rec seam.Record, p seam.Press) Move {
	if p.N < 1 || p.N > len(rec.Items) {
		return refuse(seam.ReasonInvalid)
	}
	r := reading{rec: rec, p: p, q: rec.Questions[p.N-1], it: rec.Items[p.N-1]}
	read, known := readers[p.Control]
	switch {
	case !known:
		return refuse(seam.ReasonInvalid)
	case p.Control == seam.PressReply:
		return r.reply()
	case r.closed():
		return refuse(seam.ReasonLate)
	}
	return read(r)
}

// readers know what each control asks for while the question is open.
var readers = map[seam.Control]func(reading) Move{
	seam.PressOption:  reading.option,
	seam.PressOther:   reading.other,
	seam.PressChoose:  reading.choose,
	seam.PressForm:    reading.form,
	seam.PressSkip:    reading.skip,
	seam.PressDismiss: reading.dismiss,
	seam.PressReply:   reading.reply,
	seam.PressSend:    reading.send,
}

// reading is one press while it is read.
type reading struct {
	rec seam.Record
	p   seam.Press
	q   seam.Question
	it  seam.Item
}

func (r reading) closed() bool { return r.rec.State.Ended() || r.it.State != seam.ItemPending }

func refuse(why seam.Reason) Move { return Move{Kind: MoveRefuse, Reason: why} }

func (r reading) option() Move {
	if r.q.Multi() {
		return refuse(seam.ReasonInvalid)
	}
	return r.chosen([]int{r.p.Option}, "")
}

func (r reading) other() Move {
	if r.q.Multi() {
		return refuse(seam.ReasonInvalid)
	}
	return Move{Kind: MoveForm}
}

func (r reading) choose() Move {
	if !r.q.Multi() {
		return refuse(seam.ReasonInvalid)
	}
	return Move{Kind: MoveForm}
}

func (r reading) form() Move { return r.chosen(r.p.Chosen, r.p.Text) }

func (r reading) skip() Move {
	switch {
	case !r.q.MaySkip(len(r.rec.Questions)):
		return refuse(seam.ReasonInvalid)
	case !r.p.Sure:
		return Move{Kind: MoveConfirm}
	}
	return r.settle(seam.Answer{ID: r.q.ID, Selected: []string{}}, true)
}

func (r reading) dismiss() Move {
	if !r.p.Sure {
		return Move{Kind: MoveConfirm}
	}
	return Move{Kind: MoveDismiss}
}

// send answers with the text that an offer was made for, not with what its author may have made of it since.
func (r reading) send() Move {
	i := slices.IndexFunc(r.it.Offers, func(o seam.Offer) bool { return o.ID == r.p.Offer })
	switch {
	case i < 0:
		return refuse(seam.ReasonInvalid)
	case !same(r.it.Offers[i].Person, r.p.Person):
		return refuse(seam.ReasonNotYours)
	}
	a, _ := understand(r.q, r.it.Offers[i].Text, numbered(r.rec, r.p.N, r.p.Person.Answerer))
	return r.answer(a)
}

// chosen answers with options, by their numbers, and own words.
func (r reading) chosen(options []int, custom string) Move {
	a := seam.Answer{Custom: custom}
	for _, o := range options {
		if o < 1 || o > len(r.q.Options) {
			return refuse(seam.ReasonInvalid)
		}
		a.Selected = append(a.Selected, r.q.Options[o-1].Label)
	}
	return r.answer(a)
}

// answer settles with an answer if it is a legal one.
func (r reading) answer(a seam.Answer) Move {
	a.Custom = strings.ToValidUTF8(a.Custom, string(utf8.RuneError))
	legal, err := r.q.Legal(a)
	switch {
	case err == nil:
		return r.settle(legal, false)
	case utf8.RuneCountInString(a.Custom) > seam.MaxCustom:
		return refuse(seam.ReasonTooLong)
	case a.Empty():
		return refuse(seam.ReasonEmpty)
	}
	return refuse(seam.ReasonInvalid)
}

func (r reading) settle(a seam.Answer, skip bool) Move {
	return Move{Kind: MoveSettle, Vote: seam.Vote{N: r.p.N, Answer: a, Skip: skip, Person: r.p.Person, Token: r.p.Token}}
}

// numbered reports whether the card of question n on an answerer prints numbers with its options.
func numbered(rec seam.Record, n int, answerer string) bool {
	return slices.ContainsFunc(rec.Placements, func(p seam.Placement) bool {
		return p.N == n && p.Answerer == answerer && p.Numbered
	})
}

// bareNumber reports whether a label is itself a number.
func bareNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil
}
