package main

import (
	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write manual pages",
		Long: "Write a manual page for every command into FOLDER: hansa.1, hansa-run.1 and so " +
			"on. Where man finds them, \"man hansa run\" shows one.",
		Example: "  hansa man ~/.local/share/man/man1 && man hansa-run",
		Args:    cli.Want(1, 1, "one FOLDER"),
		ValidArgsFunction: cli.First(func() []string { return nil },
			cobra.ShellCompDirectiveFilterDirs),
		RunE: func(_ *cobra.Command, args []string) error {
			pages, err := cli.WriteManual(c.root(), args[0], exitCodes())
			if err != nil {
				return fault.Unstorable(args[0], err)
			}
			c.Sayf("%s has %s", args[0], phrase.Count(pages, "page", "pages"))
			return nil
		},
	}
}
