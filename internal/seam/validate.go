package seam

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of the contract (DESIGN section 12), in Unicode code points where they measure text.
const (
	MaxQuestions         = 20
	MaxOptions           = 100
	MaxID                = 200
	MaxText              = 12_000
	MaxHeader            = 200
	MaxLabel             = 500
	MaxOptionDescription = 2_000
	MaxDetail            = 100_000
	MaxTotal             = 300_000 // every text field of every question
	MaxCustom            = 10_000
	MaxKey               = 200
	MaxSession           = 200
)

func codePoints(s string) int { return utf8.RuneCountInString(s) }

// faults collects everything that is wrong with a request.
type faults []Fault

func (f *faults) add(path, format string, args ...any) {
	*f = append(*f, Fault{Path: path, Problem: fmt.Sprintf(format, args...)})
}

// text checks one text field: valid, present where it must be, and within its limit. It returns its length.
func (f *faults) text(path, s string, limit int, required bool) int {
	n := codePoints(s)
	switch {
	case !utf8.ValidString(s):
		f.add(path, "is not valid UTF-8")
	case required && strings.TrimSpace(s) == "":
		f.add(path, "is required")
	case n > limit:
		f.add(path, "has %d characters, at most %d are allowed", n, limit)
	}
	return n
}

// CheckShape names every fault in the shape of the questions and of what comes with them, in one error.
// No questions at all is ErrEmptyQuestions.
func CheckShape(r Request, now time.Time) error {
	if len(r.Questions) == 0 {
		return ErrEmptyQuestions
	}
	var f faults
	if n := len(r.Questions); n > MaxQuestions {
		f.add("questions", "has %d items, at most %d are allowed", n, MaxQuestions)
	}
	total, seen := 0, map[string]int{}
	for i, q := range r.Questions {
		total += f.question(fmt.Sprintf("questions[%d]", i), q)
		if first, dup := seen[q.ID]; dup && q.ID != "" {
			f.add(fmt.Sprintf("questions[%d].id", i), "is the id of questions[%d] too", first)
		} else {
			seen[q.ID] = i
		}
	}
	if total > MaxTotal {
		f.add("questions", "have %d characters together, at most %d are allowed", total, MaxTotal)
	}
	f.text("key", r.Key, MaxKey, false)
	f.text("session", r.Caller.Session, MaxSession, false)
	switch {
	case r.Within < 0, !r.Deadline.IsZero() && !r.Deadline.After(now):
		f.add("deadline", "is in the past")
	}
	return f.err(ErrInvalidQuestions)
}

func (f *faults) question(path string, q Question) (total int) {
	total += f.text(path+".id", q.ID, MaxID, true)
	total += f.text(path+".question", q.Text, MaxText, true)
	total += f.text(path+".header", q.Header, MaxHeader, false)
	total += f.text(path+".detail", q.Detail, MaxDetail, false)
	if n := len(q.Options); n > MaxOptions {
		f.add(path+".options", "has %d items, at most %d are allowed", n, MaxOptions)
	}
	seen := map[string]int{}
	for i, o := range q.Options {
		at := fmt.Sprintf("%s.options[%d]", path, i)
		total += f.text(at+".label", o.Label, MaxLabel, true)
		total += f.text(at+".description", o.Description, MaxOptionDescription, false)
		if first, dup := seen[o.Label]; dup {
			f.add(at+".label", "is the label of options[%d] too", first)
		} else {
			seen[o.Label] = i
		}
	}
	if q.Intent != nil && q.Intent.Kind != PlanReview {
		f.add(path+".intent.kind", "is unknown; %q is the only one", PlanReview)
	}
	return total
}

// CheckIntent names every plan-review that cannot be shown as one.
func CheckIntent(qs []Question) error {
	var f faults
	for i, q := range qs {
		if !q.IsPlanReview() {
			continue
		}
		at := fmt.Sprintf("questions[%d].intent", i)
		if q.Index(q.Intent.Approve) < 0 {
			f.add(at+".approve", "%q is no option of question %q", q.Intent.Approve, q.ID)
		}
		if strings.TrimSpace(q.Detail) == "" {
			f.add(at, "of question %q needs a detail: the plan (approve %q)", q.ID, q.Intent.Approve)
		}
		if q.MultiSelect {
			f.add(at, "of question %q (approve %q) cannot be multi-select", q.ID, q.Intent.Approve)
		}
	}
	return f.err(ErrBadIntent)
}

// checkDefault checks the caller's default like an answer: legal for every question, and never the approval of a plan.
// It returns the default in normal form, in the order asked.
func checkDefault(r Request, allowed bool) ([]Answer, error) {
	if r.Default == nil {
		return nil, nil
	}
	var f faults
	if !allowed {
		f.add("default", "is refused by the route")
	}
	var out []Answer
	known := map[string]bool{}
	for _, q := range r.Questions {
		known[q.ID] = true
		path := fmt.Sprintf("default[%q]", q.ID)
		d, ok := r.Default[q.ID]
		if !ok {
			f.add(path, "is missing: a default covers every question")
			continue
		}
		a, err := q.Legal(Answer{ID: q.ID, Selected: d.Selected, Custom: d.Custom})
		if e, bad := AsError(err); bad {
			f.add(path, "%s", e.Detail)
		}
		if q.IsPlanReview() && len(a.Selected) == 1 && a.Selected[0] == q.Intent.Approve {
			f.add(path, "approves a plan, which only a person may")
		}
		out = append(out, a)
	}
	for id := range r.Default {
		if !known[id] {
			f.add(fmt.Sprintf("default[%q]", id), "is no question of this request")
		}
	}
	return out, f.err(ErrInvalidQuestions)
}

func (f faults) err(code Code) error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: code, Faults: f}
}

// onlyAsNew reports whether the faults are all in what a joiner need not bring.
func (f faults) onlyAsNew() bool {
	for _, x := range f {
		if x.Path != "deadline" && x.Path != "route" && !strings.HasPrefix(x.Path, "default") {
			return false
		}
	}
	return true
}
