package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func newList() *cobra.Command {
	var q seam.Query
	var status string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List requests, newest first",
		Long: `List requests, newest first: the pending ones, or with --all every one. An agent's token sees its own.

  bridge ls
  bridge ls --status answered --json`,
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&status, "status", string(seam.Pending), "only requests in this state")
	fl.BoolVar(&all, "all", false, "requests in every state")
	fl.StringVar(&q.Caller, "agent", "", "only requests of this token")
	fl.IntVar(&q.Limit, "limit", 50, "at most so many, 200 at the most")
	fl.StringVar(&q.Cursor, "cursor", "", "go on where the page before ended")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("all", "status")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if q.Status = seam.State(status); all {
			q.Status = ""
		}
		page, err := client(reader(), 0).List(cmd.Context(), q)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), page)
		}
		return printTable(cmd.OutOrStdout(), page)
	}
	return cmd
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func printTable(w io.Writer, page tool.List) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "REQUEST\tSTATUS\tAGENT\tASKED\tQUESTION")
	for _, r := range page.Requests {
		status := string(r.Status)
		if r.Detached {
			status += " (agent gone)"
		}
		text := ""
		for _, q := range r.Questions {
			if text = plain(q.Text, 60); len(r.Questions) > 1 {
				text += fmt.Sprintf(" (+%d)", len(r.Questions)-1)
			}
			break
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", r.Request, status, plain(r.Agent, 20), r.CreatedAt.Local().Format(time.DateTime), text)
	}
	if page.Cursor != "" {
		fmt.Fprintln(tw, "… and more: --cursor", page.Cursor)
	}
	return tw.Flush()
}

// plain is text of an agent or a person as one line of a terminal can show it: no control sequence gets through.
func plain(s string, limit int) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if r := []rune(s); limit > 0 && len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// printable replaces what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '\ufffd'
		}
		return r
	}, s)
}

func newShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show REQUEST",
		Short: "Show one request: what was asked, who answered what",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := client(reader(), 0).Get(cmd.Context(), args[0], 0)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), r)
		}
		printRequest(cmd.OutOrStdout(), r)
		return nil
	}
	return cmd
}

func printRequest(w io.Writer, r tool.Request) {
	say(w, "%s  %s  asked by %s at %s", r.Request, r.Status, plain(r.Agent, 0), r.CreatedAt.Local().Format(time.DateTime))
	for _, q := range r.Questions {
		printQuestion(w, q, len(r.Questions))
	}
}

func printQuestion(w io.Writer, q tool.Question, of int) {
	say(w, "\n%d/%d  %s", q.N, of, printable(q.Text))
	if q.Detail != "" {
		say(w, "\n%s\n", indent(printable(q.Detail)))
	}
	for i, o := range q.Options {
		say(w, "  %d) %s", i+1, plain(o.Label, 0))
		if o.Description != "" {
			say(w, "     %s", plain(o.Description, 0))
		}
	}
	if q.Answer == nil {
		if q.Status != seam.ItemPending {
			say(w, "  [%s]", q.Status)
		}
		return
	}
	say(w, "  → %s", plain(answerText(*q.Answer), 0))
	for _, by := range q.AnsweredBy {
		say(w, "    by %s (%s) at %s", plain(by.Name, 0), by.Answerer, by.At.Local().Format(time.DateTime))
	}
}

func answerText(a seam.Answer) string {
	parts := append([]string{}, a.Selected...)
	if a.Custom != "" {
		parts = append(parts, fmt.Sprintf("%q", a.Custom))
	}
	if len(parts) == 0 {
		return "(skipped)"
	}
	return strings.Join(parts, ", ")
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}
