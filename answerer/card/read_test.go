package card_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

func settles(n int, q seam.Question, custom string, labels ...string) card.Move {
	return card.Move{Kind: card.MoveSettle, Vote: seam.Vote{
		N: n, Answer: seam.Answer{ID: q.ID, Selected: append([]string{}, labels...), Custom: custom}, Person: cardtest.Ann, Token: "t",
	}}
}

func refuses(why seam.Reason) card.Move { return card.Move{Kind: card.MoveRefuse, Reason: why} }

var (
	opens    = card.Move{Kind: card.MoveForm}
	confirms = card.Move{Kind: card.MoveConfirm}
	ignores  = card.Move{Kind: card.MoveIgnore}
)

func offers(text string) card.Move { return card.Move{Kind: card.MoveOffer, Text: text} }

// by Ann, with a token.
func by(p seam.Press) seam.Press {
	p.Token = "t"
	if p.Person == (seam.Person{}) {
		p.Person = cardtest.Ann
	}
	if p.N == 0 {
		p.N = 1
	}
	return p
}

func TestRead(t *testing.T) {
	single, multi, free, plan := cardtest.Single, cardtest.Multi, cardtest.Free, cardtest.Plan
	batch := cardtest.Pending(single, multi, free)
	planned := cardtest.Pending(single, plan)
	skipped := settles(1, single, "")
	skipped.Vote.Skip = true
	none := settles(1, multi, "")
	none.Vote.Skip = true
	long := strings.Repeat("😀", seam.MaxCustom)
	for _, c := range []struct {
		name string
		rec  seam.Record
		p    seam.Press
		want card.Move
	}{
		{"an option", batch, seam.Press{Control: seam.PressOption, Option: 2}, settles(1, single, "", "Canary (Recommended)")},
		{"option 0", batch, seam.Press{Control: seam.PressOption}, refuses(seam.ReasonInvalid)},
		{"option 4 of 3", batch, seam.Press{Control: seam.PressOption, Option: 4}, refuses(seam.ReasonInvalid)},
		{"option of a multi-select", batch, seam.Press{N: 2, Control: seam.PressOption, Option: 1}, refuses(seam.ReasonInvalid)},
		{"option of none", batch, seam.Press{N: 3, Control: seam.PressOption, Option: 1}, refuses(seam.ReasonInvalid)},
		{"question 0", batch, seam.Press{N: -1, Control: seam.PressOption, Option: 1}, refuses(seam.ReasonInvalid)},
		{"question 4 of 3", batch, seam.Press{N: 4, Control: seam.PressOption, Option: 1}, refuses(seam.ReasonInvalid)},
		{"no control", batch, seam.Press{}, refuses(seam.ReasonInvalid)},
		{"an unknown control", batch, seam.Press{Control: "approve"}, refuses(seam.ReasonInvalid)},

		{"Other…", batch, seam.Press{Control: seam.PressOther}, opens},
		{"Answer…", batch, seam.Press{N: 3, Control: seam.PressOther}, opens},
		{"Other… of a multi-select", batch, seam.Press{N: 2, Control: seam.PressOther}, refuses(seam.ReasonInvalid)},
		{"Choose…", batch, seam.Press{N: 2, Control: seam.PressChoose}, opens},
		{"Choose… of a single-select", batch, seam.Press{Control: seam.PressChoose}, refuses(seam.ReasonInvalid)},
		{"Choose… of none", batch, seam.Press{N: 3, Control: seam.PressChoose}, refuses(seam.ReasonInvalid)},

		{"form of a single-select", batch, seam.Press{Control: seam.PressForm, Text: " later\n"}, settles(1, single, " later\n")},
		{"own words override", batch, seam.Press{Control: seam.PressForm, Chosen: []int{1}, Text: "later"}, settles(1, single, "later")},
		{"two of a single-select", batch, seam.Press{Control: seam.PressForm, Chosen: []int{1, 2}}, refuses(seam.ReasonInvalid)},
		{"form of a multi-select, in the order offered", batch, seam.Press{N: 2, Control: seam.PressForm, Chosen: []int{3, 1, 3}}, settles(2, multi, "", "Lint", "Licences")},
		{"labels and own words", batch, seam.Press{N: 2, Control: seam.PressForm, Chosen: []int{2}, Text: "x"}, settles(2, multi, "x", "Unit tests")},
		{"own words of a multi-select", batch, seam.Press{N: 2, Control: seam.PressForm, Text: "x"}, settles(2, multi, "x")},
		{"empty multi-select", batch, seam.Press{N: 2, Control: seam.PressForm, Text: " \n"}, refuses(seam.ReasonEmpty)},
		{"empty own words", batch, seam.Press{N: 3, Control: seam.PressForm}, refuses(seam.ReasonEmpty)},
		{"blank own words of a single-select", batch, seam.Press{Control: seam.PressForm, Text: "\t"}, refuses(seam.ReasonEmpty)},
		{"choice out of range", batch, seam.Press{N: 2, Control: seam.PressForm, Chosen: []int{1, 4}}, refuses(seam.ReasonInvalid)},
		{"choice of none", batch, seam.Press{N: 3, Control: seam.PressForm, Chosen: []int{1}, Text: "x"}, refuses(seam.ReasonInvalid)},
		{"10,000 characters", batch, seam.Press{N: 3, Control: seam.PressForm, Text: long}, settles(3, free, long)},
		{"10,001 characters", batch, seam.Press{N: 3, Control: seam.PressForm, Text: long + "!"}, refuses(seam.ReasonTooLong)},
		{"10,001 characters beside a choice", batch, seam.Press{N: 2, Control: seam.PressForm, Chosen: []int{1}, Text: long + "!"}, refuses(seam.ReasonTooLong)},
		{"no UTF-8", batch, seam.Press{N: 3, Control: seam.PressForm, Text: "a\xffb"}, settles(3, free, "a\uFFFDb")},

		{"Skip asks once more", batch, seam.Press{Control: seam.PressSkip}, confirms},
		{"Skip, sure", batch, seam.Press{Control: seam.PressSkip, Sure: true}, skipped},
		{"None / skip", cardtest.Pending(multi), seam.Press{Control: seam.PressSkip, Sure: true}, none},
		{"Skip of the only question", cardtest.Pending(single), seam.Press{Control: seam.PressSkip, Sure: true}, refuses(seam.ReasonInvalid)},
		{"Skip of a plan", planned, seam.Press{N: 2, Control: seam.PressSkip}, refuses(seam.ReasonInvalid)},
		{"Dismiss asks once more", batch, seam.Press{Control: seam.PressDismiss}, confirms},
		{"Dismiss, sure", batch, seam.Press{Control: seam.PressDismiss, Sure: true}, card.Move{Kind: card.MoveDismiss}},

		{"approval of a plan", planned, seam.Press{N: 2, Control: seam.PressOption, Option: 1}, settles(2, plan, "", "Approve")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, card.Read(c.rec, by(c.p))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatHasEndedIsLate(t *testing.T) {
	begun := cardtest.Answer(cardtest.Pending(cardtest.Single, cardtest.Multi), 1, cardtest.Bob, "", "No")
	for name, rec := range map[string]seam.Record{
		"recorded":  begun,
		"answered":  cardtest.Answer(cardtest.Pending(cardtest.Single), 1, cardtest.Bob, "", "No"),
		"cancelled": cardtest.End(cardtest.Pending(cardtest.Single), seam.Cancelled),
		"expired":   cardtest.End(cardtest.Pending(cardtest.Single), seam.Expired),
	} {
		for _, control := range pressable {
			p := by(seam.Press{Control: control, Option: 1, Sure: true, Text: "x", Offer: "o"})
			if m := card.Read(rec, p); m.Kind != card.MoveRefuse || m.Reason != seam.ReasonLate {
				t.Errorf("%s, %s: %+v", name, control, m)
			}
		}
	}
	if m := card.Read(begun, by(seam.Press{N: 2, Control: seam.PressChoose})); m.Kind != card.MoveForm {
		t.Errorf("the other question of the batch: %+v", m)
	}
}

func TestOfferIsItsAuthorsAndSendsWhatItWasMadeFor(t *testing.T) {
	with := func(rec seam.Record, offers ...seam.Offer) seam.Record {
		return cardtest.Edit(rec, func(r *seam.Record) { r.Items[0].Talk, r.Items[0].Offers = true, offers })
	}
	offer := func(id, text string) seam.Offer { return seam.Offer{ID: id, Person: cardtest.Ann, Text: text} }
	rec := with(cardtest.Pending(cardtest.Single), offer("o1", "maybe"), offer("o2", " yes"), offer("o3", "3"))
	numbered := cardtest.Edit(rec, func(r *seam.Record) {
		r.Placements = []seam.Placement{{N: 1, Answerer: cardtest.Ann.Answerer, Numbered: true}}
	})
	press := func(offer string, who seam.Person) seam.Press {
		return by(seam.Press{Control: seam.PressSend, Offer: offer, Person: who, Text: "something else"})
	}
	namesake := cardtest.Ann
	namesake.Answerer = "discord"
	for _, c := range []struct {
		name string
		rec  seam.Record
		p    seam.Press
		want card.Move
	}{
		{"own words", rec, press("o1", cardtest.Ann), settles(1, cardtest.Single, "maybe")},
		{"a label", rec, press("o2", cardtest.Ann), settles(1, cardtest.Single, "", "Yes")},
		{"a number that is not printed", rec, press("o3", cardtest.Ann), settles(1, cardtest.Single, "3")},
		{"a printed number", numbered, press("o3", cardtest.Ann), settles(1, cardtest.Single, "", "No")},
		{"somebody else's", rec, press("o1", cardtest.Bob), refuses(seam.ReasonNotYours)},
		{"a namesake on another surface", rec, press("o1", namesake), refuses(seam.ReasonNotYours)},
		{"unknown", rec, press("o9", cardtest.Ann), refuses(seam.ReasonInvalid)},
	} {
		if diff := cmp.Diff(c.want, card.Read(c.rec, c.p)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	for id, want := range map[string]string{"o1": "maybe", "o2": "“Yes”"} {
		i := map[string]int{"o1": 0, "o2": 1}[id]
		o := card.OfferOf(rec, 1, rec.Items[0].Offers[i])
		if !strings.HasPrefix(o.Text, "Send this as the answer?") || !strings.HasSuffix(o.Text, want) {
			t.Errorf("%q", o.Text)
		}
		if p := pressed(t, o.ID); p.Offer != id || p.Control != seam.PressSend {
			t.Errorf("%+v", p)
		}
	}
	long := card.OfferOf(rec, 1, offer("o4", strings.Repeat("word ", 500)))
	if !strings.Contains(long.Text, "… (2500 characters in all)") {
		t.Errorf("%q", long.Text)
	}
}
