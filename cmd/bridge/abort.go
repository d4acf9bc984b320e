package main

import "github.com/spf13/cobra"

func newAbort() *cobra.Command {
	return &cobra.Command{
		Use:   "abort REQUEST",
		Short: "Withdraw a request",
		Long:  "Withdraw a request of this token; an admin's token withdraws any. What was answered before stays answered.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := client(asAgent, 0).Abort(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			say(cmd.OutOrStdout(), "%s is %s", r.Request, r.Status)
			return nil
		},
	}
}
