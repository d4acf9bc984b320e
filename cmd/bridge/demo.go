package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/config"
	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// demoQuestions is the main job, three times.
var demoQuestions = []seam.Question{
	{
		ID: "deploy", Header: "Production deploy", Text: "Deploy version 4.2 to production?",
		Detail: "**What changes**\n\n- Checkout uses the new payment client\n- Two migrations, both reversible\n\n" +
			"```\n142 files changed, 3,481 insertions(+), 1,207 deletions(-)\n```\n\nCanary has run for two hours without errors.",
		Options: []seam.Option{
			{Label: "Deploy (Recommended)", Description: "to all regions, now"},
			{Label: "Canary only", Description: "stay at 5 % until tomorrow"},
			{Label: "Stop", Description: "roll the canary back"},
		},
	},
	{
		ID: "checks", Text: "Which checks should run before the next release?", MultiSelect: true,
		Options: []seam.Option{{Label: "Load test"}, {Label: "Accessibility"}, {Label: "Security review"}, {Label: "Docs"}},
	},
	{ID: "note", Text: "What should the release note say?"},
}

// demoAnswers is what the scripted person says.
var demoAnswers = []seam.Submitted{
	{ID: "deploy", Selected: []string{"Deploy (Recommended)"}},
	{ID: "checks", Selected: []string{"Load test", "Docs"}, Custom: "and the smoke test"},
	{ID: "note", Custom: "Checkout is faster."},
}

func newDemo() *cobra.Command {
	var scripted bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Three real questions, asked and answered on this machine",
		Long: `Ask three real questions, block until a person has answered each, and print what an agent gets. It runs a daemon of its
own in a temporary directory on a free port, and needs no account and no configuration.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&scripted, "answer", false, "let a scripted person answer, where there is no browser")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return demo(cmd, scripted) }
	return cmd
}

func demo(cmd *cobra.Command, scripted bool) (err error) {
	dir, err := os.MkdirTemp("", "bridge-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg := config.Local(dir)
	p, err := start(cfg, options{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	d := &demonstration{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), scripted: scripted}
	if err := d.meet(cmd.Context(), p, dir); err != nil {
		return err
	}
	if in := cmd.InOrStdin(); !scripted && terminal(in) {
		d.lines = lines(in)
	}
	for i := range demoQuestions {
		if err := d.ask(cmd.Context(), i); err != nil {
			return err
		}
	}
	return nil
}

// demonstration is an agent and a person at one machine. They meet through the public API alone.
type demonstration struct {
	out, err io.Writer
	agent    *tool.Client
	person   *tool.Client
	scripted bool
	lines    <-chan string // of a person at the terminal; nil = none
}

// meet gives the agent its token, the person theirs, and prints the way to the inbox.
func (d *demonstration) meet(ctx context.Context, p *process, dir string) error {
	secret, err := line(dir + "/token")
	if err != nil {
		return err
	}
	d.agent = fixed(p.url, secret)
	link, err := p.signInLink(ctx, self())
	if err != nil {
		return err
	}
	say(d.err, "Answer in the browser:  %s\n(the link signs you in, once)", link)
	code, err := p.signInLink(ctx, self())
	if err != nil {
		return err
	}
	_, code, _ = strings.Cut(code, "code=")
	got, err := fixed(p.url, "").Redeem(ctx, code)
	d.person = fixed(p.url, got.Token)
	return err
}

// ask is one question from beginning to end.
func (d *demonstration) ask(ctx context.Context, i int) error {
	type ended struct {
		res tool.Result
		err error
	}
	done := make(chan ended, 1)
	session := fmt.Sprint("demo-", i)
	go func() {
		res, err := d.agent.Ask(ctx, seam.Request{
			Questions: demoQuestions[i : i+1], Caller: seam.Caller{Session: session},
		})
		done <- ended{res, err}
	}()
	say(d.err, "\nThe agent asks (%d of %d), and waits:\n", i+1, len(demoQuestions))
	asked := tool.Question{Question: demoQuestions[i], N: 1, Status: seam.ItemPending}
	printQuestion(d.err, asked, 1)

	id, err := d.find(ctx, session)
	if err == nil && d.scripted {
		_, err = d.person.Answer(ctx, seam.Submission{Request: id, Answers: demoAnswers[i : i+1]})
	}
	if err != nil {
		return err
	}
	for d.invite(asked); ; {
		select {
		case end := <-done:
			if end.err == nil {
				say(d.out, "%s", tool.ModelJSON(end.res.Answers))
			}
			if errors.Is(end.err, seam.ErrAborted) && ctx.Err() != nil {
				return exit(tool.ExitInterrupted)
			}
			return end.err
		case text, ok := <-d.lines:
			if !ok {
				d.lines = nil
				continue
			}
			d.typed(ctx, id, asked, text)
		}
	}
}

func (d *demonstration) invite(q tool.Question) {
	if d.lines != nil {
		fmt.Fprint(d.err, hint(q, 1))
	}
}

// typed is a line of the person at the terminal. Whoever is first wins, here or in the browser.
func (d *demonstration) typed(ctx context.Context, id string, q tool.Question, text string) {
	a, err := parse(q.Question, text, 1)
	if err == nil {
		_, err = d.person.Answer(ctx, seam.Submission{Request: id, Answers: []seam.Submitted{a}})
	}
	if err != nil {
		say(d.err, "  %s", message(err))
		d.invite(q)
	}
}

// find waits until the question stands.
func (d *demonstration) find(ctx context.Context, session string) (string, error) {
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		page, err := d.person.List(ctx, seam.Query{Status: seam.Pending})
		if err != nil {
			return "", err
		}
		for _, r := range page.Requests {
			if r.Session == session {
				return r.Request, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", exit(tool.ExitInterrupted)
		}
	}
}

// lines reads a terminal line by line. The reader ends with the process: a read of a terminal cannot be called back.
func lines(in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(in); s.Scan(); {
			out <- strings.TrimSpace(s.Text())
		}
	}()
	return out
}
