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
		Short:   "Stop what works on a run",
		Long: "Stop everything that works on a run: tasks that wait or run on a cluster, and a " +
			"hansa run or resume on this machine. Nothing that is stored is lost; training runs " +
			"that are at work here are saved after their round.",
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
