package seam_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func question(edit func(*seam.Question)) seam.Question {
	q := seam.Question{ID: "q", Text: "Deploy?", Options: []seam.Option{{Label: "Yes"}, {Label: "No"}}}
	if edit != nil {
		edit(&q)
	}
	return q
}

func request(qs ...seam.Question) seam.Request {
	return seam.Request{Questions: qs, Caller: seam.Caller{Token: "ci"}}
}

// long is a text of n code points that is longer in bytes and in UTF-16 units.
func long(n int) string { return strings.Repeat("😀", n) }

func TestEveryLimitAtNAndOneOver(t *testing.T) {
	options := func(n int) (out []seam.Option) {
		for i := range n {
			out = append(out, seam.Option{Label: fmt.Sprint("o", i)})
		}
		return out
	}
	questions := func(n int) (out []seam.Question) {
		for i := range n {
			out = append(out, question(func(q *seam.Question) { q.ID = fmt.Sprint("q", i) }))
		}
		return out
	}
	one := func(edit func(*seam.Question)) seam.Request { return request(question(edit)) }
	for _, limit := range []struct {
		path string
		n    int
		make func(n int) seam.Request
	}{
		{"questions", seam.MaxQuestions, func(n int) seam.Request { return request(questions(n)...) }},
		{"questions[0].options", seam.MaxOptions, func(n int) seam.Request {
			return one(func(q *seam.Question) { q.Options = options(n) })
		}},
		{"questions[0].id", seam.MaxID, func(n int) seam.Request { return one(func(q *seam.Question) { q.ID = long(n) }) }},
		{"questions[0].question", seam.MaxText, func(n int) seam.Request { return one(func(q *seam.Question) { q.Text = long(n) }) }},
		{"questions[0].header", seam.MaxHeader, func(n int) seam.Request { return one(func(q *seam.Question) { q.Header = long(n) }) }},
		{"questions[0].detail", seam.MaxDetail, func(n int) seam.Request { return one(func(q *seam.Question) { q.Detail = long(n) }) }},
		{"questions[0].options[1].label", seam.MaxLabel, func(n int) seam.Request {
			return one(func(q *seam.Question) { q.Options[1].Label = long(n) })
		}},
		{"questions[0].options[0].description", seam.MaxOptionDescription, func(n int) seam.Request {
			return one(func(q *seam.Question) { q.Options[0].Description = long(n) })
		}},
		{"key", seam.MaxKey, func(n int) seam.Request { r := one(nil); r.Key = long(n); return r }},
		{"session", seam.MaxSession, func(n int) seam.Request { r := one(nil); r.Caller.Session = long(n); return r }},
		{"questions", seam.MaxTotal, func(n int) seam.Request {
			qs := questions(4)
			used := 0
			for i := range qs {
				used += len(qs[i].ID) + len(qs[i].Text) + len("Yes") + len("No")
			}
			for i := range qs {
				d := min(n-used, seam.MaxDetail)
				qs[i].Detail, used = long(d), used+d
			}
			return request(qs...)
		}},
	} {
		t.Run(limit.path, func(t *testing.T) {
			if err := seam.CheckShape(limit.make(limit.n), noon); err != nil {
				t.Errorf("at the limit of %d: %v", limit.n, err)
			}
			err := seam.CheckShape(limit.make(limit.n+1), noon)
			e, _ := seam.AsError(err)
			if !errors.Is(err, seam.ErrInvalidQuestions) || len(e.Faults) != 1 || e.Faults[0].Path != limit.path {
				t.Errorf("one over: got %v, want one fault at %s", err, limit.path)
			}
		})
	}
}

func TestEveryFaultIsNamedAtOnce(t *testing.T) {
	r := request(
		seam.Question{Text: " ", Options: []seam.Option{{Label: "A"}, {Label: "A"}, {Label: ""}}},
		seam.Question{ID: "x", Text: "bad \xff", Intent: &seam.Intent{Kind: "vote"}},
		seam.Question{ID: "x", Text: "again"},
	)
	r.Deadline = noon.Add(-time.Second)
	e, ok := seam.AsError(seam.CheckShape(r, noon))
	if !ok {
		t.Fatal("accepted")
	}
	var paths []string
	for _, f := range e.Faults {
		paths = append(paths, f.Path)
	}
	want := []string{
		"questions[0].id", "questions[0].question", "questions[0].options[1].label", "questions[0].options[2].label",
		"questions[1].question", "questions[1].intent.kind", "questions[2].id", "deadline",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

func TestNoQuestions(t *testing.T) {
	if err := seam.CheckShape(request(), noon); !errors.Is(err, seam.ErrEmptyQuestions) {
		t.Error(err)
	}
}

func TestIntent(t *testing.T) {
	plan := func(edit func(*seam.Question)) []seam.Question {
		return []seam.Question{question(func(q *seam.Question) {
			q.Detail, q.Intent = "the plan", &seam.Intent{Kind: seam.PlanReview, Approve: "Yes"}
			edit(q)
		})}
	}
	for name, c := range map[string]struct {
		edit func(*seam.Question)
		ok   bool
	}{
		"legal":                   {func(*seam.Question) {}, true},
		"approve is no option":    {func(q *seam.Question) { q.Intent.Approve = "yes" }, false},
		"no detail":               {func(q *seam.Question) { q.Detail = " \n" }, false},
		"multi-select":            {func(q *seam.Question) { q.MultiSelect = true }, false},
		"no options, no approval": {func(q *seam.Question) { q.Options = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := seam.CheckIntent(plan(c.edit))
			if (err == nil) != c.ok || (err != nil && !errors.Is(err, seam.ErrBadIntent)) {
				t.Fatal(err)
			}
			if err != nil && (!strings.Contains(err.Error(), `"q"`) || !strings.Contains(strings.ToLower(err.Error()), "yes")) {
				t.Errorf("%q names not both question and label", err)
			}
		})
	}
}

func TestLegal(t *testing.T) {
	single := question(nil)
	multi := question(func(q *seam.Question) { q.MultiSelect = true })
	free := question(func(q *seam.Question) { q.Options = nil })
	a := func(custom string, selected ...string) seam.Answer {
		return seam.Answer{ID: "q", Selected: append([]string{}, selected...), Custom: custom}
	}
	for _, c := range []struct {
		name string
		q    seam.Question
		in   seam.Answer
		want *seam.Answer
	}{
		{"one label", single, a("", "Yes"), new(a("", "Yes"))},
		{"own words override the label", single, a("later", "Yes"), new(a("later"))},
		{"two labels", single, a("", "Yes", "No"), nil},
		{"unknown label", single, a("", "yes"), nil},
		{"unknown label beside own words", single, a("hm", "yes"), nil},
		{"nothing", single, a(" \n "), nil},
		{"order offered, each once", multi, a("", "No", "Yes", "No"), new(a("", "Yes", "No"))},
		{"own words beside labels", multi, a("and this", "No"), new(a("and this", "No"))},
		{"own words alone", multi, a("this"), new(a("this"))},
		{"nothing at all", multi, a(""), nil},
		{"words are kept to the letter", free, a("  so\n"), new(a("  so\n"))},
		{"a label where there are none", free, a("x", "Yes"), nil},
		{"10,000 characters", free, a(long(seam.MaxCustom)), new(a(long(seam.MaxCustom)))},
		{"10,001 characters", free, a(long(seam.MaxCustom + 1)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.q.Legal(c.in)
			if c.want == nil {
				if !errors.Is(err, seam.ErrInvalidAnswer) {
					t.Fatalf("got %+v, %v", got, err)
				}
				return
			}
			if diff := cmp.Diff(*c.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestMaySkip(t *testing.T) {
	plan := question(func(q *seam.Question) { q.Intent = &seam.Intent{Kind: seam.PlanReview} })
	multi := question(func(q *seam.Question) { q.MultiSelect = true })
	for _, c := range []struct {
		q    seam.Question
		n    int
		want bool
	}{{question(nil), 1, false}, {question(nil), 2, true}, {multi, 1, true}, {plan, 2, false}} {
		if got := c.q.MaySkip(c.n); got != c.want {
			t.Errorf("MaySkip(%d) of %+v = %v", c.n, c.q, got)
		}
	}
}

func TestRecommendedIsOnlyAMark(t *testing.T) {
	for label, want := range map[string]string{"Go (Recommended)": "Go", "Go(Recommended)": "Go", "(Recommended)": "", "Recommended": ""} {
		shown, marked := seam.Option{Label: label}.Recommended()
		if marked != (want != "") || (marked && shown != want) || (!marked && shown != label) {
			t.Errorf("%q: %q %v", label, shown, marked)
		}
	}
}

func TestIDs(t *testing.T) {
	id := seam.NewRequestID()
	if len(id) > 40 || !seam.IsRequestID(id) || id == seam.NewRequestID() {
		t.Errorf("request id %q", id)
	}
	if a := seam.NewAgentID(); !seam.IsAgentID(a) || seam.IsAgentID(id) || seam.IsAgentID("a_1") {
		t.Errorf("agent id %q", a)
	}
}
