package main

import (
	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel RUN",
		GroupID: "run",
		Short:   "Stop all work on a run",
		Long: "Stop all work on a run: its tasks in the queue of a cluster, and hansa " +
			"run or hansa resume on this machine. Results are kept. Training runs on this " +
			"machine are saved after their round.\n\n" + cli.RunArgument,
		Example:           "  hansa cancel grid",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, plan, err := session.FindPlan(args[0])
			if err != nil {
				return err
			}
			return c.Session.Cancel(cmd.Context(), run, plan)
		},
	}
}
