package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/askbridge/bridge/internal/tool"
)

func newToken() *cobra.Command {
	var scopes, person, routes string
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Make a bearer token: a line for the tokens file, and the secret once",
		Long: `Make a bearer token. Standard output gets the line for the tokens file, standard error the secret, once: bridge keeps
its hash alone. Nothing is stored; put the line into the file that BRIDGE_TOKENS_FILE names and send the daemon SIGHUP.

  bridge token ci >> tokens
  bridge token ann --scopes answer --person ann >> tokens
  bridge token ops --scopes admin >> tokens`,
		Args: cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&scopes, "scopes", "ask", "ask, answer, admin; separated by commas, ask and answer never together")
	fl.StringVar(&person, "person", "", "the person behind the token")
	fl.StringVar(&routes, "routes", "", "the routes that it may name, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		secret, hash := tool.NewToken()
		words := []string{args[0], scopes, hash}
		for name, value := range map[string]string{"person": person, "routes": routes} {
			if value != "" {
				words = append(words, name+"="+value)
			}
		}
		entry := strings.Join(words, " ")
		if _, err := tool.ParseTokens(strings.NewReader(entry)); err != nil {
			return usage{err}
		}
		say(cmd.OutOrStdout(), "%s", entry)
		say(cmd.ErrOrStderr(), "%s", secret)
		return nil
	}
	return cmd
}
