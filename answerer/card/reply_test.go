package card_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

type edit = func(*seam.Record)

func talk(r *seam.Record)   { r.Items[0].Talk = true }
func quorum(r *seam.Record) { r.Plan.Quorum = 2 }
func printed(r *seam.Record) {
	r.Placements = []seam.Placement{{N: 1, Answerer: cardtest.Ann.Answerer, Numbered: true}}
}
func mode(m string) edit { return func(r *seam.Record) { r.Plan.Replies = m } }

func TestReply(t *testing.T) {
	single, multi, free, plan := cardtest.Single, cardtest.Multi, cardtest.Free, cardtest.Plan
	ask := func(labels ...string) seam.Question {
		return seam.Question{ID: "q", Text: "?", Options: cardtest.Options(labels...)}
	}
	commas := ask("Red, or green", "Blue", "Red")
	commas.MultiSelect = true
	alike, numbers, mixed := ask("Go", "go ", "Stop"), ask("1", "2", "10"), ask("A", "2 (Recommended)", "C")
	tooLong := strings.Repeat("x", seam.MaxCustom+1)
	canary := settles(1, single, "", "Canary (Recommended)")
	for _, c := range []struct {
		name string
		q    seam.Question
		edit edit
		p    seam.Press
		want card.Move
	}{
		{"without options it is the answer", free, nil, seam.Press{Text: " because \n"}, settles(1, free, " because \n")},
		{"without options, too long", free, nil, seam.Press{Text: tooLong}, refuses(seam.ReasonTooLong)},
		{"without options, nothing in it", free, nil, seam.Press{Text: " "}, refuses(seam.ReasonEmpty)},
		{"without options, a conversation", free, talk, seam.Press{Text: "x"}, settles(1, free, "x")},

		{"exact label", single, nil, seam.Press{Text: "Canary (Recommended)"}, canary},
		{"without the suffix", single, nil, seam.Press{Text: "Canary"}, canary},
		{"other case and spaces", single, nil, seam.Press{Text: " cAnary(RECOMMENDED)\n"}, canary},
		{"other words", single, nil, seam.Press{Text: "canary please"}, offers("canary please")},
		{"part of a label", single, nil, seam.Press{Text: "Y"}, offers("Y")},
		{"two labels", single, nil, seam.Press{Text: "Yes, No"}, offers("Yes, No")},
		{"a picture", single, nil, seam.Press{Text: ""}, ignores},
		{"too long for an offer", single, nil, seam.Press{Text: tooLong}, refuses(seam.ReasonTooLong)},
		{"exact first", alike, nil, seam.Press{Text: "Go"}, settles(1, alike, "", "Go")},
		{"exact to the space", alike, nil, seam.Press{Text: "go "}, settles(1, alike, "", "go ")},
		{"as near to two labels", alike, nil, seam.Press{Text: "GO"}, offers("GO")},
		{"conversation has begun", single, talk, seam.Press{Text: "Yes"}, offers("Yes")},

		{"a number that is not printed", single, nil, seam.Press{Text: "2"}, offers("2")},
		{"a printed number", single, printed, seam.Press{Text: " 2 "}, canary},
		{"printed on another surface", single, printed, seam.Press{Text: "2", Person: seam.Person{Answerer: "discord", ID: "U1"}}, offers("2")},
		{"number 0", single, printed, seam.Press{Text: "0"}, offers("0")},
		{"number 4 of 3", single, printed, seam.Press{Text: "4"}, offers("4")},
		{"no number", single, printed, seam.Press{Text: "+2"}, offers("+2")},
		{"labels that are numbers", numbers, nil, seam.Press{Text: "2"}, settles(1, numbers, "", "2")},
		{"… whose number says another", numbers, printed, seam.Press{Text: "10"}, settles(1, numbers, "", "10")},
		{"… printed beside numbers", numbers, printed, seam.Press{Text: "3"}, offers("3")},
		{"a label that is its own number", mixed, printed, seam.Press{Text: "2"}, settles(1, mixed, "", "2 (Recommended)")},
		{"a label that another number stands beside", ask("2", "B"), printed, seam.Press{Text: "2"}, offers("2")},

		{"one of several", multi, nil, seam.Press{Text: "unit tests"}, settles(1, multi, "", "Unit tests")},
		{"a list of commas", multi, nil, seam.Press{Text: "licences, LINT,"}, settles(1, multi, "", "Lint", "Licences")},
		{"a list of lines and semicolons", multi, nil, seam.Press{Text: "Lint\r\n\nunittests; Licences"}, settles(1, multi, "", "Lint", "Unit tests", "Licences")},
		{"numbers in a list", multi, printed, seam.Press{Text: "3, 1"}, settles(1, multi, "", "Lint", "Licences")},
		{"one part does not match", multi, nil, seam.Press{Text: "Lint, docs"}, offers("Lint, docs")},
		{"only separators", multi, nil, seam.Press{Text: ",;"}, offers(",;")},
		{"a label with a comma", commas, nil, seam.Press{Text: "red, or green"}, settles(1, commas, "", "Red, or green")},
		{"a label with a comma in a list", commas, nil, seam.Press{Text: "Blue; Red, or green"}, settles(1, commas, "", "Red, or green", "Blue")},

		{"a plan is always asked back", plan, nil, seam.Press{Text: "Approve"}, offers("Approve")},
		{"a plan, answer", plan, mode("answer"), seam.Press{Text: "Approve"}, offers("Approve")},
		{"quorum", single, quorum, seam.Press{Text: "Yes"}, offers("Yes")},
		{"quorum without options", free, quorum, seam.Press{Text: "x"}, offers("x")},
		{"to somebody else", free, nil, seam.Press{Text: "@bob what do you think?", Aside: true}, ignores},
		{"to somebody else, answer", free, mode("answer"), seam.Press{Text: "x", Aside: true, Mention: true}, ignores},

		{"auto by its name", single, mode("auto"), seam.Press{Text: "hm"}, offers("hm")},
		{"answer: a label", single, mode("answer"), seam.Press{Text: "yes"}, settles(1, single, "", "Yes")},
		{"answer: any words", single, mode("answer"), seam.Press{Text: "not today"}, settles(1, single, "not today")},
		{"answer: in a conversation", single, func(r *seam.Record) { talk(r); mode("answer")(r) }, seam.Press{Text: "yes"}, settles(1, single, "", "Yes")},
		{"mention: not mentioned", free, mode("mention"), seam.Press{Text: "x"}, ignores},
		{"mention: mentioned", free, mode("mention"), seam.Press{Text: "x", Mention: true}, settles(1, free, "x")},
		{"mention: mentioned with other words", single, mode("mention"), seam.Press{Text: "hm", Mention: true}, offers("hm")},
		{"off", free, mode("off"), seam.Press{Text: "x", Mention: true}, ignores},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := cardtest.Pending(c.q)
			if c.edit != nil {
				rec = cardtest.Edit(rec, c.edit)
			}
			c.p.Control = seam.PressReply
			if diff := cmp.Diff(c.want, card.Read(rec, by(c.p))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReplyToAClosedQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		rec  seam.Record
		text string
		want card.Move
	}{
		"would have been the answer":  {cardtest.Answer(cardtest.Pending(cardtest.Free), 1, cardtest.Bob, "so"), "no, so", refuses(seam.ReasonLate)},
		"a label":                     {cardtest.End(cardtest.Pending(cardtest.Single), seam.Aborted), "yes", refuses(seam.ReasonLate)},
		"would have been asked back":  {cardtest.End(cardtest.Pending(cardtest.Single), seam.Aborted), "thanks", ignores},
		"would have been refused":     {cardtest.End(cardtest.Pending(cardtest.Free), seam.Aborted), "", ignores},
		"recorded, its batch is open": {cardtest.Answer(cardtest.Pending(cardtest.Single, cardtest.Free), 1, cardtest.Bob, "", "No"), "Yes", refuses(seam.ReasonLate)},
	} {
		if diff := cmp.Diff(c.want, card.Read(c.rec, by(seam.Press{Control: seam.PressReply, Text: c.text}))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
