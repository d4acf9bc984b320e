package seam

import (
	"slices"
	"strings"
)

// Question is one item of a request, in the shape in which agents send it.
type Question struct {
	ID          string   `json:"id"`
	Text        string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Detail      string   `json:"detail,omitempty"` // Markdown
	Options     []Option `json:"options,omitempty"`
	MultiSelect bool     `json:"multi_select,omitempty"`
	Intent      *Intent  `json:"intent,omitempty"`
}

// Option is one choice. The label is the value: it is what comes back in Answer.Selected, to the letter.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Intent changes how a question is shown, never what an answer means.
type Intent struct {
	Kind    string `json:"kind"`    // PlanReview is the only one
	Approve string `json:"approve"` // the label that approves the plan
}

// PlanReview is the intent kind of a question whose detail is a plan to be approved.
const PlanReview = "plan-review"

// IsPlanReview reports whether the question is shown as a plan to be approved.
func (q Question) IsPlanReview() bool { return q.Intent != nil && q.Intent.Kind == PlanReview }

// Index is the position of a label among the options, or -1.
func (q Question) Index(label string) int {
	return slices.IndexFunc(q.Options, func(o Option) bool { return o.Label == label })
}

// Recommended is the suffix with which an agent marks the option that it recommends.
const recommended = "(Recommended)"

// Recommended reports whether the label is marked, and how it reads without the mark. What is returned to the agent is
// always the original label.
func (o Option) Recommended() (shown string, marked bool) {
	if shown, marked = strings.CutSuffix(o.Label, recommended); marked && strings.TrimSpace(shown) != "" {
		return strings.TrimSpace(shown), true
	}
	return o.Label, false
}

// Answer is what the agent gets for one question. Selected holds original labels in the order offered and is never nil
// in what leaves the seam; Custom holds the person's own words.
type Answer struct {
	ID       string   `json:"id"`
	Selected []string `json:"selected"`
	Custom   string   `json:"custom,omitempty"`
}

// Empty reports whether the answer says nothing: the shape of a skipped question.
func (a Answer) Empty() bool { return len(a.Selected) == 0 && strings.TrimSpace(a.Custom) == "" }

// Equal reports whether two answers say the same.
func (a Answer) Equal(b Answer) bool {
	return a.ID == b.ID && a.Custom == b.Custom && slices.Equal(a.Selected, b.Selected)
}

// Legal is the one judge of an answer: it returns the answer in its normal form, or what is wrong with it. Skips are no
// answers; see Question.MaySkip.
//
// Normal form: single-select has one label, or own words and then no label (own words override); multi-select has labels
// in the order offered, each once, and own words may stand beside them; without options there are own words alone.
func (q Question) Legal(a Answer) (Answer, error) {
	out := Answer{ID: q.ID, Selected: []string{}, Custom: a.Custom}
	if strings.TrimSpace(a.Custom) == "" {
		out.Custom = ""
	}
	if n := codePoints(a.Custom); n > MaxCustom {
		return out, ErrInvalidAnswer.With("custom has %d characters, at most %d are allowed", n, MaxCustom)
	}
	for _, label := range a.Selected {
		if q.Index(label) < 0 {
			return out, ErrInvalidAnswer.With("%q is not an option of question %q", label, q.ID)
		}
	}
	for _, o := range q.Options {
		if slices.Contains(a.Selected, o.Label) {
			out.Selected = append(out.Selected, o.Label)
		}
	}
	if !q.MultiSelect && out.Custom != "" {
		out.Selected = []string{}
	}
	switch {
	case !q.MultiSelect && len(out.Selected) > 1:
		return out, ErrInvalidAnswer.With("question %q takes one option, %d were selected", q.ID, len(out.Selected))
	case out.Empty():
		return out, ErrInvalidAnswer.With("question %q has neither a selected option nor own words", q.ID)
	}
	return out, nil
}

// Multi reports whether several options may be chosen. Without options there is nothing to choose from.
func (q Question) Multi() bool { return q.MultiSelect && len(q.Options) > 0 }

// MaySkip reports whether a person may skip question q of a request of n questions.
func (q Question) MaySkip(n int) bool { return (n > 1 || q.Multi()) && !q.IsPlanReview() }
