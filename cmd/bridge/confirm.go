package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/seam"
)

func newConfirm() *cobra.Command {
	var yes, no, byDefault, until, detailFile string
	cmd := &cobra.Command{
		Use:   "confirm QUESTION",
		Short: "Ask for a yes: exit 0 on nothing else",
		Long: `Ask for a yes. Exit 0 is the yes label and nothing else; 1 is no, or own words, which go to standard error; 3 is
dismissed; the other codes are those of bridge ask.

  bridge confirm 'Deploy 4.2 to production?' && deploy
  bridge confirm --yes Delete --no Keep --deadline 10m --default no 'Delete the old volume?'`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&yes, "yes", "Yes", "the label that means yes")
	fl.StringVar(&no, "no", "No", "the label that means no")
	fl.StringVar(&until, "deadline", "", "a time or a duration")
	fl.StringVar(&byDefault, "default", "", "what the deadline means: no")
	fl.StringVar(&detailFile, "detail-file", "", "a file with more to read, in Markdown")
	wait := patience(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f := askFlags{id: "confirm", question: args[0], options: nil, deadline: until, detailFile: detailFile}
		req, err := f.request(nil)
		if err != nil {
			return err
		}
		req.Questions[0].Options = []seam.Option{{Label: yes}, {Label: no}}
		switch byDefault {
		case "":
		case "no":
			req.Default = map[string]seam.DefaultOf{"confirm": {Selected: []string{no}}}
		default:
			return usage{errors.New("--default takes only: no")}
		}
		res, err := ask(cmd.Context(), cmd, req, *wait)
		if err != nil {
			return err
		}
		return confirmed(cmd, res.Answers[0], yes, len(res.Defaulted) > 0)
	}
	return cmd
}

// confirmed is nil for a person's yes alone.
func confirmed(cmd *cobra.Command, a seam.Answer, yes string, defaulted bool) error {
	switch {
	case defaulted:
		say(cmd.ErrOrStderr(), "nobody answered before the deadline: no")
		return exit(5)
	case a.Custom != "":
		say(cmd.ErrOrStderr(), "%s", a.Custom)
		return exit(1)
	case len(a.Selected) == 0:
		return exit(3)
	case len(a.Selected) == 1 && a.Selected[0] == yes:
		return nil
	}
	return exit(1)
}
