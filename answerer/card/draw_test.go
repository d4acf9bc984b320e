package card_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

// platforms are limits like those of the surfaces that there are.
var platforms = map[string]card.Limits{
	"inbox":   {},
	"slack":   {Button: 75, Choice: 75, Buttons: 20, Body: 10_000, Measure: escaped, Label: escaped, Replies: true},
	"discord": {Button: 80, Choice: 100, Buttons: 20, Body: 4_000, Measure: escaped, Replies: true, Words: card.WordsFor("zh")},
	"plain":   {Body: 2_000, Replies: true, Plain: true},
	"narrow":  {Button: 10, Choice: 10, Buttons: 1, Body: 1_000},
}

// escaped is a length after an escaping that makes text longer.
func escaped(s string) int {
	return utf8.RuneCountInString(s) + 4*strings.Count(s, "<") + 4*strings.Count(s, "&") + strings.Count(s, "*")
}

func labels(p card.Picture) (out []string) {
	for _, c := range p.Controls {
		s := c.Label
		if c.Primary {
			s += " !"
		}
		if c.Confirm != nil {
			s += " ?"
		}
		out = append(out, s)
	}
	return out
}

func state(t *testing.T, name string) cardtest.State {
	t.Helper()
	all := cardtest.Gallery()
	i := slices.IndexFunc(all, func(s cardtest.State) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("the gallery has no %q", name)
	}
	return all[i]
}

func draw(t *testing.T, name string, lim card.Limits) card.Picture {
	t.Helper()
	s := state(t, name)
	return card.DrawAt(s.Record, s.Placement(), lim)
}

func TestControls(t *testing.T) {
	for name, want := range map[string][]string{
		"single":                     {"Yes", "Canary !", "No", "Other…", "Dismiss ?"},
		"multi":                      {"Choose…", "None / skip ?", "Dismiss ?"},
		"free":                       {"Answer…", "Dismiss ?"},
		"free-multi-without-options": {"Answer…", "Dismiss ?"},
		"plan":                       {"Approve !", "Reject", "Other…", "Dismiss ?"},
		"plan-other-recommended":     {"Approve", "Reject !", "Other…", "Dismiss ?"},
		"batch-first":                {"Yes", "Canary !", "No", "Other…", "Skip ?", "Dismiss ?"},
		"batch-multi":                {"Choose…", "None / skip ?", "Dismiss ?"},
		"batch-free":                 {"Answer…", "Skip ?", "Dismiss ?"},
		"batch-plan":                 {"Approve !", "Reject", "Other…", "Dismiss ?"},
		"long-label":                 {"Short", "2", "Other", "Other…", "Dismiss ?"},
		"labels-alike":               {"1", "2", "3", "go", "Go (Recommended) !", "6", "Other…", "Dismiss ?"},
		"detached":                   {"Yes", "Canary !", "No", "Other…", "Dismiss ?"},
		"votes-1-of-2":               {"Yes", "Canary !", "No", "Other…", "Dismiss ?"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, labels(draw(t, name, card.Limits{Button: 75}))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOnlyLiveCardsHaveControls(t *testing.T) {
	for _, s := range cardtest.Gallery() {
		p := card.DrawAt(s.Record, s.Placement(), card.Limits{})
		live := s.Record.Stage(s.Placement()).Live()
		if live != (len(p.Controls) > 0) {
			t.Errorf("%s: live %v with controls %q", s.Name, live, labels(p))
		}
		if tells := p.Note != "" && (s.Moved || !p.At.IsZero()); !live && !tells {
			t.Errorf("%s: note %q at %v", s.Name, p.Note, p.At)
		}
	}
}

func TestEveryControlIsReadAsWhatItIs(t *testing.T) {
	want := map[seam.Control]card.MoveKind{
		seam.PressOption: card.MoveSettle, seam.PressOther: card.MoveForm, seam.PressChoose: card.MoveForm,
		seam.PressSkip: card.MoveConfirm, seam.PressDismiss: card.MoveConfirm,
	}
	sure := map[seam.Control]card.MoveKind{seam.PressSkip: card.MoveSettle, seam.PressDismiss: card.MoveDismiss}
	for _, s := range cardtest.Gallery() {
		p := card.DrawAt(s.Record, s.Placement(), card.Limits{Buttons: 5})
		for _, c := range p.Controls {
			m := card.Read(s.Record, pressed(t, c.ID))
			if m.Kind != want[c.Kind] {
				t.Errorf("%s: %q asks for %q", s.Name, c.Label, m.Kind)
			}
			if m.Kind == card.MoveSettle && m.Vote.Answer.Selected[0] != s.Record.Questions[s.N-1].Options[c.Option-1].Label {
				t.Errorf("%s: %q selects %q", s.Name, c.Label, m.Vote.Answer.Selected)
			}
			if c.Confirm != nil {
				if m := card.Read(s.Record, pressed(t, c.Confirm.ID)); m.Kind != sure[c.Kind] {
					t.Errorf("%s: the yes of %q asks for %q", s.Name, c.Label, m.Kind)
				}
			}
		}
	}
}

// pressed is the press that a control with this id makes.
func pressed(t *testing.T, id string) seam.Press {
	t.Helper()
	c, ok := decode(id)
	if !ok {
		t.Fatalf("no control has the id %q", id)
	}
	p := seam.Press{Token: "t", Person: cardtest.Ann, Request: c.request, N: c.n, Control: c.kind, Sure: c.sure}
	if c.kind == seam.PressOption {
		fmt.Sscan(c.arg, &p.Option)
	}
	if c.kind == seam.PressSend {
		p.Offer = c.arg
	}
	return p
}

func TestNotes(t *testing.T) {
	for name, want := range map[string]string{
		"single":              "",
		"votes-1-of-2":        "1 of 2 for “Yes” (Ann)",
		"votes-split":         "1 of 2 for “Yes” (Ann); 1 of 2 for “not on a Friday” (Bob)",
		"votes-2-of-2":        "Ann, Bob answered “Yes”",
		"detached":            "Still open: the agent disconnected, your answer will be kept",
		"detached-votes":      "Still open: the agent disconnected, your answer will be kept · 1 of 2 for “Yes” (Ann)",
		"recorded":            "Ann answered “Yes” – recorded; sent when all 3 are answered",
		"recorded-skip":       "Bob skipped this question – recorded; sent when all 3 are answered",
		"answered":            "Ann answered “Canary”",
		"answered-own-words":  "Ann answered “after the *freeze*”",
		"answered-multi":      "Ann answered “Lint”, “Licences” and added “and the docs”",
		"answered-skip":       "Ann skipped this question",
		"kept":                "Ann answered “Canary” – kept until the agent asks again",
		"delivered":           "Ann answered “Canary” – kept, then delivered",
		"uncollected":         "Ann answered “Canary” – never collected by the agent",
		"cancelled":           "Dismissed by Ann",
		"cancelled-recorded":  "Dismissed by Ann – not used: Ann answered “Yes”",
		"aborted":             "Withdrawn: the agent stopped waiting",
		"aborted-recorded":    "Withdrawn: the agent stopped waiting – not used: Ann answered “Yes”",
		"expired":             "Too late: the deadline passed",
		"expired-recorded":    "Too late: the deadline passed – not used: Ann answered “Yes”",
		"defaulted":           "Too late: the deadline passed, the agent got its default (“No”)",
		"defaulted-recorded":  "Ann answered “Yes” – sent at the deadline, with defaults for the rest",
		"abandoned":           "The agent went away",
		"abandoned-recorded":  "The agent went away – not used: Ann answered “Yes”",
		"failed":              "Not asked: the request could not be delivered",
		"failed-recorded":     "Not asked: the request could not be delivered – not used: Ann answered “Yes”",
		"elsewhere":           "Asked elsewhere",
		"answered-lines":      "Ann answered",
		"answered-many-words": "Ann answered",
	} {
		if got := draw(t, name, card.Limits{}).Note; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestWhenIsThatOfWhatTheNoteTells(t *testing.T) {
	for name, want := range map[string]any{
		"recorded": cardtest.Pressed, "answered": cardtest.Pressed, "delivered": cardtest.Pressed, "votes-1-of-2": cardtest.Pressed,
		"cancelled": cardtest.Over, "aborted-recorded": cardtest.Over, "defaulted": cardtest.Over, "defaulted-recorded": cardtest.Pressed,
	} {
		if got := draw(t, name, card.Limits{}).At; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestChosenOptionsAreMarkedWhereTheyCount(t *testing.T) {
	for name, want := range map[string][]int{
		"single": nil, "recorded": {1}, "answered": {2}, "answered-multi": {1, 3}, "answered-own-words": nil,
		"answered-skip": nil, "votes-1-of-2": nil, "cancelled-recorded": nil, "defaulted": {3}, "defaulted-recorded": {1},
	} {
		var got []int
		for _, o := range draw(t, name, card.Limits{}).Options {
			if o.Chosen {
				got = append(got, o.Index)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestLongAnswersAreWhole(t *testing.T) {
	for _, name := range []string{"answered-lines", "answered-many-words"} {
		s := state(t, name)
		if got := draw(t, name, platforms["discord"]).Answer; got != s.Record.Items[0].Answer.Custom {
			t.Errorf("%s: the answer has %d characters", name, len(got))
		}
	}
	if p := draw(t, "answered-many-words", platforms["discord"]); !p.Overflow.Answer || !strings.Contains(p.Foot[len(p.Foot)-1], "答复") {
		t.Errorf("the card does not say where the answer is: %+v %q", p.Overflow, p.Foot)
	}
}

func TestFoot(t *testing.T) {
	for _, c := range []struct {
		name, replies string
		lim           card.Limits
		want          []string
	}{
		{"batch-multi", "", card.Limits{}, []string{"Asked by deploy-bot", "question 2 of 3", "Press “Choose…”."}},
		{"single", "", card.Limits{Replies: true}, []string{"Asked by deploy-bot", "Press a button or reply to this card."}},
		{"free", "mention", card.Limits{Replies: true}, []string{"Asked by deploy-bot", "Press “Answer…” or mention me in a reply to this card."}},
		{"single", "off", card.Limits{Replies: true}, []string{"Asked by deploy-bot", "Press a button."}},
		{"free", "", card.Limits{Replies: true, Plain: true}, []string{"Asked by deploy-bot", "Reply to this card with your answer."}},
		{"answered", "", card.Limits{Replies: true}, []string{"Asked by deploy-bot"}},
	} {
		rec := state(t, c.name).Record
		rec.Plan.Replies = c.replies
		if diff := cmp.Diff(c.want, card.Draw(rec, state(t, c.name).N, c.lim).Foot); diff != "" {
			t.Errorf("%s, replies %q: %s", c.name, c.replies, diff)
		}
	}
}

func TestFirstRefAndDeadline(t *testing.T) {
	first, second := draw(t, "batch-first", card.Limits{}), draw(t, "batch-multi", card.Limits{})
	if !first.First || second.First || second.Ref != cardtest.Request+".2" || second.N != 2 || second.Of != 3 {
		t.Errorf("%+v", second)
	}
	due := draw(t, "deadline", card.Limits{})
	if due.Due != "Answer by" || !due.DueAt.Equal(cardtest.Deadline) {
		t.Errorf("%q %v", due.Due, due.DueAt)
	}
	if p := draw(t, "deadline-default", card.Limits{}); !strings.Contains(p.Due, "“No”") {
		t.Errorf("the default is not told: %q", p.Due)
	}
	if p := draw(t, "single", card.Limits{}); p.Due != "" || !p.DueAt.IsZero() {
		t.Errorf("a deadline without one: %q", p.Due)
	}
}

func TestDismissSaysThatItDismissesAll(t *testing.T) {
	s := state(t, "batch-first")
	for control, want := range map[seam.Control]string{seam.PressDismiss: "Dismiss all 3 questions?", seam.PressSkip: "Skip this question?"} {
		c := card.ConfirmOf(s.Record, 1, control)
		if c.Title != want || control == seam.PressDismiss && !strings.Contains(c.Text, "all 3 questions") {
			t.Errorf("%+v", c)
		}
	}
	if c := card.ConfirmOf(state(t, "single").Record, 1, seam.PressDismiss); strings.Contains(c.Title+c.Text, "all") {
		t.Errorf("one question: %+v", c)
	}
}

func TestForm(t *testing.T) {
	for name, want := range map[string]struct {
		label    string
		optional bool
		options  int
	}{"free": {"Your answer", false, 0}, "single": {"Your own words", false, 0}, "multi": {"Your own words (optional)", true, 3}} {
		f := card.FormOf(state(t, name).Record, 1)
		if f.TextLabel != want.label || f.Optional != want.optional || len(f.Options) != want.options || f.MaxText != seam.MaxCustom {
			t.Errorf("%s: %+v", name, f)
		}
		if c, ok := decode(f.ID); !ok || c.kind != seam.PressForm || c.n != 1 {
			t.Errorf("%s: id %q", name, f.ID)
		}
	}
}

func TestSelect(t *testing.T) {
	long := state(t, "long-label").Record
	lim := card.Limits{Button: 75, Choice: 40, Buttons: 2}
	p := card.Draw(long, 1, lim)
	want := []string{"1 · Short", "2 · A label that no button can hold A l…", "3 · Other"}
	if got := labels(p)[:3]; !p.Select || !slices.Equal(got, want) || !p.Numbered() {
		t.Errorf("%q", got)
	}
	if p := card.Draw(long, 1, card.Limits{Buttons: 3}); p.Select || p.Numbered() {
		t.Error("three options on three buttons are a select")
	}
}

// Whatever the platform: every control fits, a label that is not whole on its control is whole in the body under the
// number that the control shows, and the plan of the overflow stays the same from the first post to the end.
func TestEveryCardFits(t *testing.T) {
	for platform, lim := range platforms {
		for _, s := range cardtest.Gallery() {
			p := card.DrawAt(s.Record, s.Placement(), lim)
			at := platform + "/" + s.Name
			for _, c := range p.Controls {
				fits(t, at, lim, p, c)
			}
			if got := size(lim, p); lim.Body > 0 && got > lim.Body {
				t.Errorf("%s: %d on the card", at, got)
			}
			if p.Overflow != (card.Overflow{}) && !strings.Contains(strings.Join(p.Foot, ""), "thread") && !strings.Contains(strings.Join(p.Foot, ""), "消息列") {
				t.Errorf("%s: the card does not say where the rest is: %q", at, p.Foot)
			}
			open := card.Draw(cardtest.Edit(s.Record, func(r *seam.Record) {
				r.State, r.Detached, r.Items[s.N-1] = seam.Pending, cardtest.Asked.AddDate(-1, 0, 0), seam.Item{State: seam.ItemPending}
			}), s.N, lim)
			was, is := open.Overflow, p.Overflow
			if is.Answer = false; was != is {
				t.Errorf("%s: overflow was %v and is %v", at, was, is)
			}
		}
	}
}

func fits(t *testing.T, at string, lim card.Limits, p card.Picture, c card.Control) {
	t.Helper()
	limit, measure := lim.Button, lim.Label
	if p.Select && c.Kind == seam.PressOption {
		limit = lim.Choice
	}
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	if own := c.Kind != seam.PressOption; limit > 0 && measure(c.Label) > limit && !own {
		t.Errorf("%s: %q is longer than %d", at, c.Label, limit)
	}
	if len(c.ID) == 0 || len(c.ID) > maxID || strings.TrimSpace(c.Label) == "" {
		t.Errorf("%s: control %+v", at, c)
	}
	if c.Kind != seam.PressOption {
		return
	}
	o := p.Options[c.Option-1]
	whole := c.Label == strings.Join(strings.Fields(o.Label), " ")
	number := fmt.Sprint(o.Number)
	if !whole && (o.Number != o.Index || c.Label != number && !strings.HasPrefix(c.Label, number+" · ")) {
		t.Errorf("%s: %q does not stand for %+v", at, c.Label, o)
	}
}

// size is what a codec prints of a picture, at least.
func size(lim card.Limits, p card.Picture) int {
	measure := lim.Measure
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	sum := 0
	add := func(over bool, parts ...string) {
		for _, s := range parts {
			if !over && s != "" {
				sum += measure(s) + 2
			}
		}
	}
	add(false, p.Header, p.Note, p.Due)
	add(false, p.Foot...)
	add(p.Overflow.Question, p.Question)
	add(p.Overflow.Detail, p.Detail)
	add(p.Overflow.Answer, p.Answer)
	for _, o := range p.Options {
		add(p.Overflow.Options, o.Label, o.Description, o.Mark)
	}
	return sum
}
