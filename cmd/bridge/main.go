// Command bridge is the process: one file per command, and the only place that wires rooms together.
//
// It decides nothing about a request. It turns flags, the environment and signals into options and a context, and errors
// into exit codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func main() { os.Exit(run(nil)) }

// run is the program: it returns the exit code. A test may put something between the daemon and its store.
func run(wrap func(records) records) int {
	ctx, stop := signals(context.Background())
	defer stop()
	root := newRoot(wrap)
	began := false // whether the command line was understood
	for _, c := range root.Commands() {
		if do := c.RunE; do != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error { began = true; return do(cmd, args) }
		}
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exit](err); ok {
		return int(code)
	}
	if ctx.Err() != nil && errors.Is(err, tool.ErrInterrupted) {
		return tool.ExitInterrupted
	}
	fmt.Fprintln(root.ErrOrStderr(), "Error:", message(err))
	if _, ok := errors.AsType[usage](err); ok || !began {
		return exitUsage
	}
	return tool.Exit(err)
}

// exitUsage is a command line that was not understood: like a request that is not valid.
const exitUsage = 2

// message is what a person on a terminal reads: the sentence of the contract, else the error itself.
func message(err error) string {
	if _, ok := seam.AsError(err); ok {
		return tool.Sentence(err)
	}
	return err.Error()
}

// exit ends the program with a code after everything has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usage is a mistake in how a command was called.
type usage struct{ error }

// signals is a context that ends with the first Ctrl-C or SIGTERM, with the cause tool.ErrInterrupted and, for what asks,
// seam.ErrAborted: the caller's turn is over.
func signals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-ch:
			cancel(errStopped)
			signal.Stop(ch) // a second one ends the process at once
		case <-done:
		}
	}()
	return ctx, func() { signal.Stop(ch); close(done); cancel(nil) }
}

// errStopped is a signal from outside.
var errStopped = errors.Join(tool.ErrInterrupted, seam.ErrAborted)

func newRoot(wrap func(records) records) *cobra.Command {
	root := &cobra.Command{
		Use:   "bridge",
		Short: "The way an AI agent asks a team",
		Long: `bridge puts an agent's question before a person and gives the agent the answer.

  bridge demo                                    three real questions, answered in the browser
  bridge serve                                   the daemon, with the inbox
  bridge ask --question 'Deploy?' --option Yes --option No
  bridge confirm 'Deploy?' && deploy`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	root.AddCommand(
		newServe(wrap), newDemo(), newAsk(), newConfirm(), newList(), newShow(), newAnswer(), newLogin(), newAbort(), newToken(),
		newVersion(),
	)
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "bridge", version())
			return err
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// terminal reports whether a stream is one on which a person reads.
func terminal(s any) bool {
	f, ok := s.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
