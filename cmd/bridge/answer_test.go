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
		{"a number that is none of them is own words", false, "3\n1 7\n1", []seam.Submitted{
			{ID: "one", Custom: "3"}, {ID: "many", Custom: "1 7"}, {ID: "free", Custom: "1"},
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
