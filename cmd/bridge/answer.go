package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func newAnswer() *cobra.Command {
	var question, custom string
	var selected []string
	var skip, dismiss bool
	cmd := &cobra.Command{
		Use:   "answer REQUEST",
		Short: "Answer a request as a person",
		Long: `Answer a request as a person: with flags, or on a terminal question by question.

  bridge answer r_…                                       asks on the terminal
  bridge answer r_… --select 'Deploy (Recommended)'
  bridge answer r_… --question region --custom 'neither, ask legal first'
  bridge answer r_… --dismiss                             the whole request, without an answer

It needs a person's token: bridge login, or BRIDGE_TOKEN.`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&question, "question", "", "the id of the question; needed where there are several")
	fl.StringArrayVar(&selected, "select", nil, "a label, to the letter; repeat it for multi-select")
	fl.StringVar(&custom, "custom", "", "own words")
	fl.BoolVar(&skip, "skip", false, "skip the question")
	fl.BoolVar(&dismiss, "dismiss", false, "dismiss the whole request")
	cmd.MarkFlagsMutuallyExclusive("skip", "dismiss", "select")
	cmd.MarkFlagsMutuallyExclusive("skip", "dismiss", "custom")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, _, err := endpoint(asPerson); errors.Is(err, errNoPerson) {
			return err
		}
		c := client(asPerson, 0)
		r, err := c.Get(cmd.Context(), args[0], 0)
		if err != nil {
			return err
		}
		in := seam.Submission{Request: r.Request, Cancel: dismiss}
		switch {
		case dismiss:
		case len(selected) > 0 || custom != "" || skip:
			id, err := theQuestion(r, question)
			if err != nil {
				return err
			}
			in.Answers = []seam.Submitted{{ID: id, Selected: selected, Custom: custom, Skip: skip}}
		case terminal(cmd.InOrStdin()):
			p := &prompt{in: lines(cmd.InOrStdin()), out: cmd.ErrOrStderr()}
			if in.Answers, err = p.pick(cmd.Context(), r); err != nil {
				return err
			}
		default:
			return usage{errors.New("say the answer: --select, --custom, --skip or --dismiss")}
		}
		if r, err = c.Answer(cmd.Context(), in); err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "%s is %s", r.Request, r.Status)
		return nil
	}
	return cmd
}

// theQuestion is the one that is meant: named, or the only one that is open.
func theQuestion(r tool.Request, id string) (string, error) {
	if id != "" {
		return id, nil
	}
	var open []string
	for _, q := range r.Questions {
		if q.Status == seam.ItemPending {
			open = append(open, q.ID)
		}
	}
	if len(open) == 1 || len(r.Questions) == 1 {
		return append(open, r.Questions[0].ID)[0], nil
	}
	return "", usage{fmt.Errorf("which question? --question takes one of: %s", strings.Join(open, ", "))}
}

// prompt asks a person on a terminal.
type prompt struct {
	in  <-chan string
	out io.Writer
}

// errNothingSent is a person who left before the last question: what they had typed until then is not sent.
var errNothingSent = errors.New("nothing was sent")

// line asks for one line.
func (p *prompt) line(ctx context.Context, label string) (string, error) {
	fmt.Fprint(p.out, label)
	select {
	case text, ok := <-p.in:
		if !ok {
			say(p.out, "")
			return "", errNothingSent
		}
		return text, nil
	case <-ctx.Done():
		say(p.out, "\nnothing was sent")
		return "", exit(tool.ExitInterrupted)
	}
}

// pick asks for every open question of a request.
func (p *prompt) pick(ctx context.Context, r tool.Request) (out []seam.Submitted, err error) {
	if r.Status.Ended() {
		printRequest(p.out, r)
		return nil, seam.ErrAlreadySettled.With("the request is %s", r.Status)
	}
	for _, q := range r.Questions {
		if q.Status != seam.ItemPending {
			continue
		}
		printQuestion(p.out, q, len(r.Questions))
		a, err := p.question(ctx, q, len(r.Questions))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// question asks until what was typed is a legal answer.
func (p *prompt) question(ctx context.Context, q tool.Question, of int) (seam.Submitted, error) {
	for {
		text, err := p.line(ctx, hint(q, of))
		if err != nil {
			return seam.Submitted{}, err
		}
		a, err := parse(q.Question, text, of)
		if err == nil {
			return a, nil
		}
		say(p.out, "  %v", err)
	}
}

func hint(q tool.Question, of int) string {
	s := "  your answer: "
	switch {
	case q.Multi():
		s = "  numbers separated by commas, or own words: "
	case len(q.Options) > 0:
		s = "  number, or own words: "
	}
	if q.MaySkip(of) {
		s = strings.TrimSuffix(s, ": ") + " (- skips): "
	}
	return s
}

// parse reads a line as numbers of options, a skip, or own words, and checks it as the daemon will.
func parse(q seam.Question, text string, of int) (seam.Submitted, error) {
	out := seam.Submitted{ID: q.ID}
	if text == "-" && (q.MaySkip(of) || len(q.Options) > 0) {
		if out.Skip = q.MaySkip(of); out.Skip {
			return out, nil
		}
		return out, errors.New("this question cannot be skipped")
	}
	numbers, err := numbersOf(q, text)
	for _, n := range numbers {
		out.Selected = append(out.Selected, q.Options[n-1].Label)
	}
	if len(numbers) == 0 {
		out.Custom = text
	}
	if err != nil {
		return out, err
	}
	_, err = q.Legal(seam.Answer{ID: q.ID, Selected: out.Selected, Custom: out.Custom})
	if e, bad := seam.AsError(err); bad {
		return out, errors.New(e.Detail)
	}
	return out, nil
}

// numbersOf reads a line that is nothing but numbers of options; none where it is own words. A number that no option has
// is a slip of the finger, and never an answer: answers are final.
func numbersOf(q seam.Question, text string) (numbers []int, err error) {
	if len(q.Options) == 0 {
		return nil, nil
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, bad := strconv.Atoi(part)
		switch {
		case bad != nil:
			return nil, nil
		case n < 1 || n > len(q.Options):
			err = fmt.Errorf("there is no option %d (own words that are a number: bridge answer --custom)", n)
		default:
			numbers = append(numbers, n)
		}
	}
	return numbers, err
}
