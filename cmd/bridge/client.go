package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
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
	asPerson             // BRIDGE_TOKEN, else what bridge login saved
	asNobody             // no token at all
)

// errNoPerson is a command of a person's without one.
var errNoPerson = seam.ErrUnauthenticated.With("this needs a person's token: run 'bridge login LINK', or set BRIDGE_TOKEN")

// client speaks to the daemon that BRIDGE_URL names, or to the one on this machine.
func client(as role, patience time.Duration) *tool.Client {
	return &tool.Client{
		HTTP:     &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()},
		Patience: patience,
		Endpoint: func() (string, string, error) { return endpoint(as) },
	}
}

// endpoint is read anew on every try: a daemon that was restarted may listen elsewhere.
func endpoint(as role) (url, token string, err error) {
	dir := config.StateDir()
	if url = os.Getenv("BRIDGE_URL"); url == "" {
		url, err = line(filepath.Join(dir, "url"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%w: no daemon has run on this machine (bridge serve), and BRIDGE_URL is not set", tool.ErrUnreachable)
	}
	if token = os.Getenv("BRIDGE_TOKEN"); token != "" || err != nil || as == asNobody {
		return url, token, err
	}
	file := map[role]string{asAgent: "token", asPerson: "login"}[as]
	token, err = line(filepath.Join(dir, file))
	if errors.Is(err, fs.ErrNotExist) && as == asPerson {
		return "", "", errNoPerson
	}
	return url, token, err
}

// reader is the role in which a command reads: a person's where there is one, else the agent's.
func reader() role {
	if _, err := line(filepath.Join(config.StateDir(), "login")); err == nil {
		return asPerson
	}
	return asAgent
}

func line(path string) (string, error) {
	raw, err := os.ReadFile(path)
	return strings.TrimSpace(string(raw)), err
}

// patience is the flag that says how long a command looks for a daemon that has gone.
func patience(cmd *cobra.Command) *time.Duration {
	return cmd.Flags().Duration("unreachable-after", time.Minute, "how long to look for a daemon that has gone")
}
