package card_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

// apply is the smallest store: what a move does to a record.
func apply(rec seam.Record, p seam.Press, m card.Move) seam.Record {
	rec = rec.Clone()
	switch m.Kind {
	case card.MoveDismiss:
		return cardtest.Edit(cardtest.End(rec, seam.Cancelled), func(r *seam.Record) { r.By, r.Token = p.Person, p.Token })
	case card.MoveOffer:
		it := &rec.Items[p.N-1]
		it.Talk, it.Offers = true, append(it.Offers, seam.Offer{ID: fmt.Sprint("o", len(it.Offers)), Person: p.Person, Text: m.Text})
	case card.MoveSettle:
		it := &rec.Items[m.Vote.N-1]
		it.Votes = append(it.Votes, m.Vote)
		settled := *it
		settled.State, settled.Answer = seam.ItemAnswered, m.Vote.Answer
		if m.Vote.Skip {
			settled.State = seam.ItemSkipped
		}
		if len(settled.Winners()) >= rec.Plan.Need() {
			*it = settled
		}
		if len(rec.Open()) == 0 {
			rec.State, rec.Ended = seam.Answered, cardtest.Over
		}
	}
	return rec
}

func anyQuestion(t *rapid.T, i int) seam.Question {
	q := seam.Question{
		ID: fmt.Sprint("q", i), Text: rapid.SampledFrom(cardtest.Hostile).Draw(t, "text"), MultiSelect: rapid.Bool().Draw(t, "multi"),
		Detail: rapid.SampledFrom([]string{"", "# plan"}).Draw(t, "detail"),
	}
	labels := append([]string{"Yes", "yes", "No (Recommended)", "1", "2", "a, b", "\u200b"}, cardtest.Hostile...)
	chosen := rapid.Permutation(labels).Draw(t, "labels")[:rapid.IntRange(0, len(labels)).Draw(t, "options")]
	q.Options = cardtest.Options(chosen...)
	if len(chosen) > 0 && q.Detail != "" && !q.MultiSelect {
		q.Intent = &seam.Intent{Kind: seam.PlanReview, Approve: chosen[0]}
	}
	return q
}

func anyRecord(t *rapid.T) seam.Record {
	var qs []seam.Question
	for i := range rapid.IntRange(1, 3).Draw(t, "questions") {
		qs = append(qs, anyQuestion(t, i))
	}
	return cardtest.Edit(cardtest.Pending(qs...), func(r *seam.Record) {
		r.Plan.Replies = rapid.SampledFrom([]string{"", "auto", "answer", "mention", "off"}).Draw(t, "replies")
		r.Plan.Quorum = rapid.IntRange(0, 2).Draw(t, "quorum")
		for n := range qs {
			r.Placements = append(r.Placements, seam.Placement{N: n + 1, Answerer: "slack", Numbered: rapid.Bool().Draw(t, "numbered")})
		}
	})
}

func anyPress(t *rapid.T, rec seam.Record) seam.Press {
	texts := []string{"", "Yes", "YES", "no", "2", "a, b", "yes; 1", "own words", "\xff"}
	for _, q := range rec.Questions {
		for _, o := range q.Options {
			texts = append(texts, o.Label)
		}
	}
	return seam.Press{
		Token:   rapid.StringMatching(`[a-z]{8}`).Draw(t, "token"),
		Person:  rapid.SampledFrom([]seam.Person{cardtest.Ann, cardtest.Bob}).Draw(t, "who"),
		Request: rec.ID, N: rapid.IntRange(0, len(rec.Items)+1).Draw(t, "n"),
		Control: rapid.SampledFrom(append([]seam.Control{seam.PressReply, "none"}, pressable...)).Draw(t, "control"),
		Option:  rapid.IntRange(-1, 9).Draw(t, "option"),
		Chosen:  rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "chosen"),
		Text:    rapid.SampledFrom(texts).Draw(t, "text"),
		Sure:    rapid.Bool().Draw(t, "sure"), Offer: rapid.SampledFrom([]string{"", "o0", "o1"}).Draw(t, "offer"),
		Mention: rapid.Bool().Draw(t, "mention"), Aside: rapid.IntRange(0, 9).Draw(t, "aside") == 0,
	}
}

// Whatever people press, in whatever order: every answer is legal, nothing is answered that nobody answered, nothing
// changes after the end, reading a press twice reads the same, and every card on the way can be drawn.
func TestAnySequenceOfPressesEndsLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := anyRecord(t)
		for range rapid.IntRange(1, 12).Draw(t, "presses") {
			p := anyPress(t, rec)
			before := rec.Clone()
			m := card.Read(rec, p)
			if diff := cmp.Diff(m, card.Read(rec, p)); diff != "" {
				t.Fatalf("read twice: %s", diff)
			}
			next := apply(rec, p, m)
			if diff := cmp.Diff(before, rec); diff != "" {
				t.Fatalf("reading changed the record: %s", diff)
			}
			if changes := m.Kind == card.MoveSettle || m.Kind == card.MoveDismiss || m.Kind == card.MoveOffer; changes {
				mayChange(t, rec, p, m)
			}
			rec = next
			legal(t, rec)
			for n := range rec.Items {
				for _, lim := range platforms {
					card.Draw(rec, n+1, lim)
				}
			}
		}
	})
}

func mayChange(t *rapid.T, rec seam.Record, p seam.Press, m card.Move) {
	t.Helper()
	q, it := rec.Questions[p.N-1], rec.Items[p.N-1]
	switch {
	case rec.State.Ended() || it.State != seam.ItemPending:
		t.Fatalf("%+v on what has ended", m)
	case m.Kind == card.MoveDismiss && (p.Control != seam.PressDismiss || !p.Sure):
		t.Fatalf("%+v dismisses", p)
	case m.Kind == card.MoveSettle && m.Vote.Skip && (p.Control != seam.PressSkip || !p.Sure || !q.MaySkip(len(rec.Items))):
		t.Fatalf("%+v skips", p)
	case m.Kind == card.MoveSettle && p.Control == seam.PressReply && (q.IsPlanReview() || rec.Plan.Need() > 1):
		t.Fatalf("a reply settles %+v", q)
	case m.Kind == card.MoveSettle && (m.Vote.N != p.N || m.Vote.Person != p.Person || m.Vote.Token != p.Token):
		t.Fatalf("%+v is not the vote of %+v", m.Vote, p)
	}
}

func legal(t *rapid.T, rec seam.Record) {
	t.Helper()
	for i, it := range rec.Items {
		skip := slices.ContainsFunc(it.Votes, func(v seam.Vote) bool { return v.Skip })
		switch it.State {
		case seam.ItemAnswered:
			if a, err := rec.Questions[i].Legal(it.Answer); err != nil || !a.Equal(it.Answer) {
				t.Fatalf("%+v is answered with %+v: %v", rec.Questions[i], it.Answer, err)
			}
		case seam.ItemSkipped:
			if !skip || !it.Answer.Empty() || it.Answer.ID != rec.Questions[i].ID {
				t.Fatalf("skipped with %+v", it)
			}
		case seam.ItemPending, seam.ItemClosed:
			if !it.Answer.Empty() {
				t.Fatalf("%s with %+v", it.State, it.Answer)
			}
		}
	}
	if rec.State == seam.Answered && slices.ContainsFunc(rec.Items, func(it seam.Item) bool { return it.State != seam.ItemAnswered && it.State != seam.ItemSkipped }) {
		t.Fatalf("answered with %+v", rec.Items)
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range append(cardtest.Hostile, "", "2", "Yes", "Lint, unit tests", "\xff", "，；、") {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, numbered bool) {
		for _, s := range cardtest.Gallery() {
			rec := cardtest.Edit(s.Record, func(r *seam.Record) {
				r.Placements = []seam.Placement{{N: s.N, Answerer: cardtest.Ann.Answerer, Numbered: numbered}}
			})
			m := card.Read(rec, by(seam.Press{N: s.N, Control: seam.PressReply, Text: text}))
			if m.Kind != card.MoveSettle {
				continue
			}
			q := rec.Questions[s.N-1]
			if a, err := q.Legal(m.Vote.Answer); err != nil || !a.Equal(m.Vote.Answer) {
				t.Errorf("%s: %q settles with %+v: %v", s.Name, text, m.Vote.Answer, err)
			}
			if len(q.Options) > 0 && m.Vote.Answer.Custom != "" {
				t.Errorf("%s: %q is taken as own words without a question", s.Name, text)
			}
		}
	})
}
