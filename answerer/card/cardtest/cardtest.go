// Package cardtest is a gallery of cards: one named state for every kind of question and every stage of a card, and the
// texts that most want to break out of one. All renderers draw the same gallery, so a golden file per platform shows
// what the platform makes of it.
//
// It holds records only; it draws nothing and judges nothing.
package cardtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// State is one card worth looking at: question N of a record.
type State struct {
	Name   string
	Record seam.Record
	N      int
	Moved  bool // its answerer did not take the whole request
}

// Placement is where the card stands, for seam.Record.Stage and card.DrawAt.
func (s State) Placement() seam.Placement { return seam.Placement{N: s.N, Moved: s.Moved} }

// Request is the id of every record of the gallery.
const Request = "r_0abcdefghijklmnopqrstuvwxyz"

// The clock of the gallery.
var (
	Asked    = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	Pressed  = Asked.Add(3 * time.Minute)
	Over     = Asked.Add(10 * time.Minute)
	Deadline = Asked.Add(30 * time.Minute)
)

// The people of the gallery.
var (
	Ann = seam.Person{Answerer: "slack", ID: "U1", Name: "Ann"}
	Bob = seam.Person{Answerer: "discord", ID: "9", Name: "Bob"}
)

// Pending is an open request with these questions, each edited by nobody yet.
func Pending(qs ...seam.Question) seam.Record {
	rec := seam.Record{
		Body: seam.Body{
			ID: Request, Caller: seam.Caller{Token: "deploy-bot"}, Questions: qs, Hash: seam.HashQuestions(qs),
			Plan: seam.Plan{Route: "default", Answerers: []string{"slack", "discord"}}, Created: Asked,
		},
		Life: seam.Life{Rev: 1, State: seam.Pending, Owners: []string{"p_1"}, Placed: true},
	}
	for range qs {
		rec.Items = append(rec.Items, seam.Item{State: seam.ItemPending})
	}
	return rec
}

// Vote is rec with a vote on question n that does not settle it.
func Vote(rec seam.Record, n int, who seam.Person, custom string, labels ...string) seam.Record {
	rec = rec.Clone()
	it := &rec.Items[n-1]
	it.Votes = append(it.Votes, seam.Vote{
		N: n, Answer: answer(rec.Questions[n-1], custom, labels), Person: who, At: Pressed,
		Token: fmt.Sprintf("%s-%d-%d", who.ID, n, len(it.Votes)),
	})
	return rec
}

// Answer is rec with question n answered; the last answer ends the request.
func Answer(rec seam.Record, n int, who seam.Person, custom string, labels ...string) seam.Record {
	rec = Vote(rec, n, who, custom, labels...)
	it := &rec.Items[n-1]
	it.State, it.Answer, it.At = seam.ItemAnswered, it.Votes[len(it.Votes)-1].Answer, Pressed
	return complete(rec)
}

// Skip is rec with question n skipped.
func Skip(rec seam.Record, n int, who seam.Person) seam.Record {
	rec = Vote(rec, n, who, "")
	it := &rec.Items[n-1]
	it.Votes[len(it.Votes)-1].Skip = true
	it.State, it.Answer, it.At = seam.ItemSkipped, it.Votes[len(it.Votes)-1].Answer, Pressed
	return complete(rec)
}

// End is rec ended without having been answered.
func End(rec seam.Record, s seam.State) seam.Record {
	rec = rec.Clone()
	rec.State, rec.Ended = s, Over
	if s == seam.Cancelled {
		rec.By, rec.Token = Ann, "dismissal"
	}
	for i := range rec.Items {
		it := &rec.Items[i]
		if it.State != seam.ItemPending {
			continue
		}
		it.State = seam.ItemClosed
		if s == seam.Expired && len(rec.Default) > 0 {
			it.Answer, it.Defaulted = rec.Default[i], true
		}
	}
	return rec
}

// Edit is a changed copy of rec.
func Edit(rec seam.Record, change func(*seam.Record)) seam.Record {
	rec = rec.Clone()
	change(&rec)
	return rec
}

func complete(rec seam.Record) seam.Record {
	if len(rec.Open()) == 0 {
		rec.State, rec.Ended = seam.Answered, Pressed
	}
	return rec
}

func answer(q seam.Question, custom string, labels []string) seam.Answer {
	return seam.Answer{ID: q.ID, Selected: append([]string{}, labels...), Custom: custom}
}

// Options are n options with these labels; a label may hold its description after " = ".
func Options(labels ...string) []seam.Option {
	var out []seam.Option
	for _, l := range labels {
		label, description, _ := strings.Cut(l, " = ")
		out = append(out, seam.Option{Label: label, Description: description})
	}
	return out
}

// Many are n labels.
func Many(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("Region %03d", i+1))
	}
	return out
}

// Gallery is every state.
func Gallery() []State { return slices.Concat(kinds(), stages(), hostile()) }
