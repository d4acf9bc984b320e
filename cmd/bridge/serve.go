package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/config"
)

func newServe(wrap func(records) records) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon, with the inbox",
		Long: `Run the daemon, with the inbox. It needs no configuration: docs/configuration.md lists what there is.

On a terminal it prints a link by which you sign in to the inbox. The command line on the same machine finds the daemon by
the files url and token in the state directory. SIGHUP reads the tokens file again; SIGTERM and Ctrl-C stop it in order:
what is asked stays asked.

The environment sets (a default of – is none, or worked out as the meaning says):

` + config.Explain(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), cmd.ErrOrStderr(), wrap) },
	}
}

func serve(ctx context.Context, stderr io.Writer, wrap func(records) records) error {
	cfg, warnings, err := config.Load()
	if err != nil {
		return err
	}
	log := logger(cfg, stderr)
	for _, w := range warnings {
		log.Warn(w)
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before anybody can see that we are there: it would end the process
	defer signal.Stop(hangup)
	p, err := start(cfg, options{log: log, wrap: wrap})
	if err != nil {
		return err
	}

	log.Info("listening", "url", p.url)
	if cfg.Inbox && terminal(stderr) {
		link, err := p.signInLink(ctx, self())
		if err != nil {
			return errors.Join(err, p.stop())
		}
		say(stderr, "\n  Inbox:  %s\n  (sign-in link for %s: works once, for ten minutes)\n", link, self())
	}
	for {
		select {
		case <-hangup:
			p.reload()
		case err := <-p.served:
			return errors.Join(err, p.stop())
		case <-ctx.Done():
			log.Info("stopping")
			return p.stop()
		}
	}
}

// self is the person at this machine.
func self() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "you"
}

func logger(cfg config.Config, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == "text" || cfg.LogFormat == "" && terminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}
