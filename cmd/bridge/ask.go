package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// askFlags are the flags of one question.
type askFlags struct {
	json, id, question, header, detailFile, key, session, deadline, route string
	options                                                               []string
	multi                                                                 bool
}

func newAsk() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask",
		Short: "Ask, wait, and print the answer as a model gets it",
		Long: `Ask, wait, and print the answer on standard output as a model gets it: one line of JSON.

  bridge ask --question 'Which region?' --option eu --option 'us=cheaper'
  bridge ask --question 'What should the title be?'
  bridge ask --json questions.json               a whole request, as POST /v1/ask takes it; - reads standard input

Exit codes: 0 answered, 2 not valid, 3 dismissed, 4 aborted, 5 deadline passed (with the default, if one was given) or
given up, 6 nobody could be reached, 7 no daemon, 8 not allowed, 9 try again, 130 Ctrl-C (which withdraws the question).`,
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.json, "json", "", "a file with a whole ask body, - for standard input")
	fl.StringVar(&f.question, "question", "", "the question")
	fl.StringVar(&f.id, "id", "q1", "its id in the answer")
	fl.StringVar(&f.header, "header", "", "a short heading")
	fl.StringArrayVar(&f.options, "option", nil, "'LABEL' or 'LABEL=description'; repeat it")
	fl.BoolVar(&f.multi, "multi", false, "several options may be chosen")
	fl.StringVar(&f.detailFile, "detail-file", "", "a file with more to read, in Markdown")
	fl.StringVar(&f.key, "key", "", "asking again with the same key joins the same request")
	fl.StringVar(&f.session, "session", "", "the conversation that this belongs to")
	fl.StringVar(&f.deadline, "deadline", "", "a time (2026-12-01T10:00:00Z) or a duration (30m)")
	fl.StringVar(&f.route, "route", "", "a route of the policy")
	// A body says all: no flag beside it may be dropped in silence.
	for _, name := range []string{"question", "id", "header", "option", "multi", "detail-file", "key", "session", "deadline", "route"} {
		cmd.MarkFlagsMutuallyExclusive("json", name)
	}
	wait := patience(cmd)
	cmd.MarkFlagsOneRequired("json", "question")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		req, err := f.request(cmd.InOrStdin())
		if err != nil {
			return err
		}
		res, err := ask(cmd.Context(), cmd, req, *wait)
		if err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "%s", tool.ModelJSON(res.Answers))
		if len(res.Defaulted) > 0 {
			say(cmd.ErrOrStderr(), "nobody answered before the deadline: this is the default")
			return exit(tool.Exit(seam.ErrExpired))
		}
		return nil
	}
	return cmd
}

// request is what the flags ask.
func (f askFlags) request(stdin io.Reader) (seam.Request, error) {
	if f.json != "" {
		return readRequest(f.json, stdin)
	}
	q := seam.Question{ID: f.id, Text: f.question, Header: f.header, MultiSelect: f.multi}
	for _, o := range f.options {
		label, description, _ := strings.Cut(o, "=")
		q.Options = append(q.Options, seam.Option{Label: label, Description: description})
	}
	if f.detailFile != "" {
		raw, err := os.ReadFile(f.detailFile)
		if err != nil {
			return seam.Request{}, err
		}
		q.Detail = string(raw)
	}
	r := seam.Request{Questions: []seam.Question{q}, Key: f.key, Route: f.route, Caller: seam.Caller{Session: f.session}}
	return r, deadline(&r, f.deadline)
}

func readRequest(path string, stdin io.Reader) (seam.Request, error) {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return seam.Request{}, err
		}
		defer file.Close() //nolint:errcheck // read only
		stdin = file
	}
	raw, err := io.ReadAll(io.LimitReader(stdin, 1<<20+1))
	if err != nil {
		return seam.Request{}, err
	}
	if len(raw) > 1<<20 {
		return seam.Request{}, seam.ErrTooLarge
	}
	return tool.DecodeAsk(raw)
}

func deadline(r *seam.Request, s string) error {
	if s == "" {
		return nil
	}
	within, err := time.ParseDuration(s)
	if err == nil && within > 0 {
		r.Within = within
		return nil
	}
	if r.Deadline, err = time.Parse(time.RFC3339, s); err != nil {
		return &seam.Error{Code: seam.ErrInvalidQuestions, Faults: []seam.Fault{
			{Path: "deadline", Problem: "must be a time (2026-12-01T10:00:00Z) or a duration above zero (30m)"},
		}}
	}
	return nil
}

// ask asks through the daemon. Its session is its own: no other command ever meets its request by chance.
func ask(ctx context.Context, cmd *cobra.Command, r seam.Request, patience time.Duration) (tool.Result, error) {
	if r.Caller.Session == "" {
		r.Caller.Session = "cli." + rand.Text()
	}
	stop := showElapsed(cmd.ErrOrStderr())
	defer stop()
	res, err := client(asAgent, max(patience, time.Nanosecond)).Ask(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), tool.ErrInterrupted) && errors.Is(err, seam.ErrAborted) {
		stop()
		say(cmd.ErrOrStderr(), "%s", withdrawal(err))
		return res, exit(tool.ExitInterrupted)
	}
	return res, err
}

// withdrawal says what became of the question after Ctrl-C: only the daemon's word makes it withdrawn.
func withdrawal(err error) string {
	if e, _ := seam.AsError(err); e.Cause != nil {
		return "the daemon could not be told: if the question stands, it stays until nobody has come back for it in time"
	}
	return "withdrawn"
}

// showElapsed keeps a line with the elapsed time on a terminal, until it is stopped.
func showElapsed(w io.Writer) (stop func()) {
	if !terminal(w) {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start := time.Now()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(w, "\r\033[Kwaiting for a person · %s · Ctrl-C withdraws the question", time.Since(start).Round(time.Second))
			select {
			case <-tick.C:
			case <-done:
				fmt.Fprint(w, "\r\033[K")
				return
			}
		}
	}()
	var once bool
	return func() {
		if !once {
			once = true
			close(done)
			<-gone
		}
	}
}
