package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/datasets"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		GroupID: "look",
		Short:   "List and download data sets",
		Long: "List and download the data sets whose files are known. Experiments look for them " +
			"in their own folder, in that of --data, in $HANSA_DATA, and in hansa/data of your " +
			"cache folder, in this order. --data and $HANSA_DATA may be lists of folders, with " +
			"the separator that $PATH has.",
		Example: "  hansa data list\n  hansa data get mnist",
		Args:    cli.Subcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.dataListCommand(), c.dataGetCommand())
	return cmd
}

func (c *command) dataListCommand() *cobra.Command {
	var folder string
	var sums bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List data sets, and where they lie",
		Long: "List data sets: how large they are, where they lie, how to get them, their " +
			"licence and where they are described. Files of most are known to the byte; their " +
			"checksums are not compared, get does that. --checksums lists these as sha256sum " +
			"does. Nothing is downloaded.",
		Example: "  hansa data list\n  hansa data list --checksums",
		Args:    cli.Want(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if sums {
				return c.PrintText(datasets.Sums())
			}
			return c.dataList(session.Folders("", folder))
		},
	}
	cmd.Flags().BoolVar(&sums, "checksums", false, "list the SHA-256 of every file that is known")
	cli.DataFlag(cmd, &folder)
	return cmd
}

// dataList prints the data sets, and where they lie in some folders.
func (c *command) dataList(folders []string) error {
	var b strings.Builder
	for _, set := range datasets.Listing(folders) {
		fmt.Fprintf(&b, "%s — %s\n", c.Paint(c.Out, console.Bold, set.Name), set.Size)
		b.WriteString(console.Paragraph(console.Margin, set.About, console.Columns(c.Out)))
	}
	return c.PrintText(b.String())
}

// setNames returns the names of the data sets, with what a shell shows beside them.
func setNames() (names []string) {
	for _, set := range datasets.Known() {
		names = append(names, cobra.CompletionWithDesc(set.Name, set.Page))
	}
	return names
}
