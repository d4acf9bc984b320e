package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/tool"
)

func newToken() *cobra.Command {
	var scopes, person, routes, secretFile string
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Make a bearer token: a line for the tokens file, and the secret once",
		Long: `Make a bearer token. Standard output gets the line for the tokens file, standard error the secret, once: bridge keeps
its hash alone. Nothing is stored; put the line into the file that BRIDGE_TOKENS_FILE names and send the daemon SIGHUP.

  bridge token ci >> tokens
  bridge token ann --scopes answer --person ann >> tokens
  bridge token ops --scopes admin >> tokens
  bridge token ci --secret-file - < secret >> tokens      the line for a secret that is there already`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&scopes, "scopes", "ask", "ask, answer, admin; separated by commas, ask and answer never together")
	fl.StringVar(&person, "person", "", "the person behind the token")
	fl.StringVar(&routes, "routes", "", "the routes that it may name, separated by commas")
	fl.StringVar(&secretFile, "secret-file", "", "a file with a secret that is there already, - for standard input")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		secret, hash := tool.NewToken()
		if secretFile != "" {
			given, err := readSecret(secretFile, cmd.InOrStdin())
			if err != nil {
				return err
			}
			secret, hash = "", tool.HashSecret(given)
		}
		words := []string{args[0], scopes, hash}
		if person != "" {
			words = append(words, "person="+person)
		}
		if routes != "" {
			words = append(words, "routes="+routes)
		}
		entry := strings.Join(words, " ")
		if _, err := tool.ParseTokens(strings.NewReader(entry)); err != nil {
			return usage{err}
		}
		say(cmd.OutOrStdout(), "%s", entry)
		if secret != "" {
			say(cmd.ErrOrStderr(), "%s", secret)
		}
		return nil
	}
	return cmd
}

// readSecret reads a secret that somebody else has made. Spaces around it are not part of it, as in every …_FILE.
func readSecret(path string, stdin io.Reader) (string, error) {
	read := func() ([]byte, error) { return os.ReadFile(path) }
	if path == "-" {
		read = func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	raw, err := read()
	secret := strings.TrimSpace(string(raw))
	if err == nil && secret == "" {
		err = usage{errors.New("the secret is empty")}
	}
	return secret, err
}
