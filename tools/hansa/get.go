package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/datasets"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) dataGetCommand() *cobra.Command {
	var to, from string
	cmd := &cobra.Command{
		Use:   "get NAME…",
		Short: "Download data sets and verify them",
		Long: "Download data sets and verify them. What is there and right is not downloaded " +
			"again; what was broken off goes on where it was. Files go to a sub-folder named " +
			"after the data set, in $HANSA_DATA or else in hansa/data of your cache folder. A " +
			"file with wrong content is kept as FILE.refused, and never used.",
		Example: "  hansa data get mnist\n  hansa data get cifar10 --to ~/data\n" +
			"  hansa data get usps --from https://mirror.example.org/usps",
		Args: cli.Want(1, 1<<10, "NAMEs, of those that hansa data list prints"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (
			[]string, cobra.ShellCompDirective,
		) {
			return slices.DeleteFunc(setNames(), func(offer string) bool {
				name, _, _ := strings.Cut(offer, "\t")
				return slices.Contains(args, name)
			}), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sets, err := datasets.Find(args)
			if err != nil {
				return err
			}
			g := c.download(to, from)
			if err := g.Check(sets); err != nil {
				return err
			}
			return g.All(cmd.Context(), sets, cli.Again(cmd.CommandPath(), cmd, args))
		},
	}
	cmd.Flags().StringVar(&to, "to", "",
		"download to `FOLDER`, for --data or $HANSA_DATA to name")
	cmd.Flags().StringVar(&from, "from", "",
		"download from the `ADDRESS` below which a mirror has the files of one data set")
	cli.CompleteFlag(cmd, "to")
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.NoFileCompletions)
	return cmd
}

// download returns a download of data sets that is shown where the command says things.
func (c *command) download(to, from string) *datasets.Download {
	return &datasets.Download{Session: c.Session, To: to, From: from, Pause: c.pause,
		Show: func(name string, size int64) datasets.Arrival { return c.Show(name, size) },
		Fail: c.Paint(c.Err, console.Red, "FAIL")}
}
