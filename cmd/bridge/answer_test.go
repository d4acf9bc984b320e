package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// batch is a request of three questions, of which the first is answered where answered is set.
func batch(answered bool) tool.Request {
	options := []seam.Option{{Label: "eu"}, {Label: "us", Description: "cheaper"}}
	r := tool.Request{Status: seam.Pending, Questions: []tool.Question{
		{N: 1, Status: seam.ItemPending, Question: seam.Question{ID: "one", Text: "Where?", Options: options}},
		{N: 2, Status: seam.ItemPending, Question: seam.Question{ID: "many", Text: "Which?", Options: options, MultiSelect: true}},
		{N: 3, Status: seam.ItemPending, Question: seam.Question{ID: "free", Text: "Why?\x1b[2J"}},
	}}
	if answered {
		r.Questions[0].Status = seam.ItemAnswered
	}
	return r
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		name     string
		answered bool
		typed    string
		want     []seam.Submitted
		err      error
	}{
		{"numbers, and own words", false, "2\n2, 1\nbecause", []seam.Submitted{
			{ID: "one", Selected: []string{"us"}}, {ID: "many", Selected: []string{"us", "eu"}}, {ID: "free", Custom: "because"},
		}, nil},
		{"own words for options, skips", false, "neither\n-\n-", []seam.Submitted{
			{ID: "one", Custom: "neither"}, {ID: "many", Skip: true}, {ID: "free", Skip: true},
		}, nil},
		{"asks again until it is legal", false, "\n1 2\n1\n1\n\n42", []seam.Submitted{
			{ID: "one", Selected: []string{"eu"}}, {ID: "many", Selected: []string{"eu"}}, {ID: "free", Custom: "42"},
		}, nil},
		{"a number that no option has is asked again, never an answer", false, "3\n2\n1 7\n0\n1\n1", []seam.Submitted{
			{ID: "one", Selected: []string{"us"}}, {ID: "many", Selected: []string{"eu"}}, {ID: "free", Custom: "1"},
		}, nil},
		{"words with a number are own words", false, "3 of them\n1 or 7\nx", []seam.Submitted{
			{ID: "one", Custom: "3 of them"}, {ID: "many", Custom: "1 or 7"}, {ID: "free", Custom: "x"},
		}, nil},
		{"what is answered is not asked", true, "1\nx", []seam.Submitted{
			{ID: "many", Selected: []string{"eu"}}, {ID: "free", Custom: "x"},
		}, nil},
		{"Ctrl-D before the last sends nothing", false, "1\n1", nil, errNothingSent},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &prompt{in: lines(strings.NewReader(c.typed)), out: &out}
			got, err := p.pick(t.Context(), batch(c.answered))
			if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
				t.Error(err, diff)
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Error("the question reached into the terminal")
			}
		})
	}
}

func TestCtrlCLeavesThePicker(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &prompt{in: make(chan string), out: &bytes.Buffer{}}
	got, err := p.pick(ctx, batch(false))
	if code, ok := errors.AsType[exit](err); !ok || code != tool.ExitInterrupted || got != nil {
		t.Error(got, err)
	}
}

func TestPickOfWhatHasEnded(t *testing.T) {
	r := batch(true)
	r.Status = seam.Cancelled
	p := &prompt{in: make(chan string), out: &bytes.Buffer{}}
	if _, err := p.pick(t.Context(), r); !errors.Is(err, seam.ErrAlreadySettled) || tool.Exit(err) != 3 {
		t.Error(err)
	}
}

func TestADashWhereNothingCanBeSkippedIsAskedAgain(t *testing.T) {
	q := batch(false).Questions[0].Question
	if a, err := parse(q, "-", 1); err == nil {
		t.Errorf("taken as %+v", a)
	}
	if a, err := parse(batch(false).Questions[2].Question, "-", 1); err != nil || a.Custom != "-" {
		t.Errorf("a free text may be a dash: %+v %v", a, err)
	}
}
