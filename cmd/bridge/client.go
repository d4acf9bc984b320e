package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/config"
	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// role is as whom a command speaks to the daemon.
type role int

const (
	asAgent  role = iota // BRIDGE_TOKEN, else the local ask-only token
	asPerson             // BRIDGE_TOKEN, else the sign-in that bridge login kept
	asNobody             // no token at all
)

// What is missing where a command has no token that it may send.
var (
	errNoPerson = seam.ErrUnauthenticated.With("this needs a person's token: run 'bridge login LINK', or set BRIDGE_TOKEN")
	errNoToken  = seam.ErrUnauthenticated.With("this needs a token: set BRIDGE_TOKEN")
	errForeign  = seam.ErrUnauthenticated.With("BRIDGE_URL names another daemon than the one whose token is kept here: set BRIDGE_TOKEN")
)

// client speaks to the daemon that BRIDGE_URL names, or to the one on this machine.
func client(as role, patience time.Duration) *tool.Client {
	return &tool.Client{
		HTTP:     &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()},
		Patience: patience,
		Endpoint: func() (string, string, error) { return endpoint(as) },
	}
}

// fixed speaks to one daemon with one token.
func fixed(url, token string) *tool.Client {
	return &tool.Client{Endpoint: func() (string, string, error) { return url, token, nil }}
}

// endpoint is read anew on every try: a daemon that was restarted may listen elsewhere. A token that is kept on this
// machine goes to the daemon that it is for and to no other.
func endpoint(as role) (at, token string, err error) {
	if token, err = config.Secret("TOKEN"); err != nil {
		return "", "", err
	}
	var signed login
	if as == asPerson && token == "" {
		if signed, err = savedLogin(); err != nil {
			return "", "", err
		}
	}
	local, missing := kept("url")
	at = cmp.Or(os.Getenv("BRIDGE_URL"), signed.url, local)
	if at == "" {
		return "", "", nowhere(missing)
	}
	switch {
	case token != "" || as == asNobody:
		return at, token, nil
	case !sameDaemon(at, cmp.Or(signed.url, local)):
		return "", "", errForeign
	case as == asPerson:
		return at, signed.token, nil
	}
	if token, err = kept("token"); errors.Is(err, fs.ErrNotExist) {
		err = errNoToken
	}
	return at, token, err
}

// nowhere is what it means that no daemon has left its URL.
func nowhere(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: no daemon has run on this machine (bridge serve), and BRIDGE_URL is not set", tool.ErrUnreachable)
	}
	return err
}

// sameDaemon reports whether a URL is that of the daemon that a token is for; "" is the one on this machine.
func sameDaemon(at, of string) bool {
	return strings.TrimSuffix(at, "/") == of || onLoopback(at) && (of == "" || onLoopback(of))
}

func onLoopback(at string) bool {
	u, err := url.Parse(at)
	return err == nil && config.IsLoopback(u.Hostname())
}

// login is a sign-in as it is kept: the token, and on a second line the daemon, where that is not the one on this machine.
type login struct{ token, url string }

func savedLogin() (login, error) {
	raw, err := kept("login")
	if errors.Is(err, fs.ErrNotExist) {
		return login{}, errNoPerson
	}
	token, at, _ := strings.Cut(raw, "\n")
	return login{token, at}, err
}

// reader is the role in which a command reads: a person's where one is signed in at the daemon meant, else the agent's.
func reader() role {
	if _, _, err := endpoint(asPerson); err == nil {
		return asPerson
	}
	return asAgent
}

// kept is the text of a file of the state directory.
func kept(name string) (string, error) {
	dir, err := config.StateDir()
	if err != nil {
		return "", err
	}
	return line(filepath.Join(dir, name))
}

func line(path string) (string, error) {
	raw, err := os.ReadFile(path)
	return strings.TrimSpace(string(raw)), err
}

// patience is the flag that says how long a command looks for a daemon that has gone.
func patience(cmd *cobra.Command) *time.Duration {
	return cmd.Flags().Duration("unreachable-after", time.Minute, "how long to look for a daemon that has gone")
}
