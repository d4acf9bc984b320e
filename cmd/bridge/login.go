package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/config"
	"github.com/askbridge/bridge/internal/tool"
)

func newLogin() *cobra.Command {
	var person string
	cmd := &cobra.Command{
		Use:   "login [LINK]",
		Short: "Sign in as a person on this terminal, or make a sign-in link",
		Long: `Sign in as a person on this terminal with a sign-in link (or its code), which works once. What it gives is kept in
the state directory, for thirty days, and lets bridge answer speak for you. The daemon is the one that BRIDGE_URL names,
else the one on this machine, else the one that the link leads to.

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
		at, code, err := redeemAt(args[0])
		if err != nil {
			return err
		}
		got, err := fixed(at, "").Redeem(cmd.Context(), code)
		if err != nil {
			return err
		}
		if err := keepLogin(login{token: got.Token, url: at}); err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "signed in as %s until %s", plain(got.Person, 0), got.Expires.Local().Format("2006-01-02"))
		return nil
	}
	return cmd
}

// redeemAt is the code of a link and the daemon that takes it: the one that BRIDGE_URL names, else the one on this
// machine, else the one that the link leads to.
func redeemAt(link string) (at, code string, err error) {
	code = link
	origin := ""
	if u, err := url.Parse(link); err == nil && u.Query().Get("code") != "" {
		code, origin = u.Query().Get("code"), u.Scheme+"://"+u.Host
	}
	at, _, err = endpoint(asNobody)
	if errors.Is(err, tool.ErrUnreachable) && origin != "" {
		return origin, code, nil
	}
	return at, code, err
}

// keepLogin keeps a sign-in for the commands that follow, on this machine.
func keepLogin(l login) error {
	dir, err := config.StateDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := l.token
	if local, _ := kept("url"); l.url != local {
		text += "\n" + l.url
	}
	return writeFile(filepath.Join(dir, "login"), text)
}

type plainError string

func (e plainError) Error() string { return string(e) }

const errNoLink = plainError("a sign-in link is needed: bridge serve prints one on a terminal, bridge login --as PERSON makes one")
