package main

import (
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/config"
)

func newLogin() *cobra.Command {
	var person string
	cmd := &cobra.Command{
		Use:   "login [LINK]",
		Short: "Sign in as a person on this terminal, or make a sign-in link",
		Long: `Sign in as a person on this terminal with a sign-in link (or its code), which works once. What it gives is kept in
the state directory, for thirty days, and lets bridge answer speak for you.

With an admin's token, --as makes a link for somebody, good for ten minutes:

  bridge login 'http://127.0.0.1:8787/login?code=…'
  BRIDGE_TOKEN=… bridge login --as ann`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&person, "as", "", "make a sign-in link for this person")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case person != "":
			link, err := client(asAgent, 0).Login(cmd.Context(), person)
			if err != nil {
				return err
			}
			say(cmd.OutOrStdout(), "%s", link.URL)
			return nil
		case len(args) == 0:
			return usage{errNoLink}
		}
		code := args[0]
		if u, err := url.Parse(code); err == nil && u.Query().Get("code") != "" {
			code = u.Query().Get("code")
		}
		got, err := client(asNobody, 0).Redeem(cmd.Context(), code)
		if err != nil {
			return err
		}
		dir := config.StateDir()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, "login"), got.Token); err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "signed in as %s until %s", plain(got.Person, 0), got.Expires.Local().Format("2006-01-02"))
		return nil
	}
	return cmd
}

type plainError string

func (e plainError) Error() string { return string(e) }

const errNoLink = plainError("a sign-in link is needed: bridge serve prints one on a terminal, bridge login --as PERSON makes one")
