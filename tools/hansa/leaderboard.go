package main

import (
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/reports/leaderboard"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) leaderboardCommand() *cobra.Command {
	var out, title, baseline string
	cmd := &cobra.Command{
		Use:     "leaderboard RUN…",
		GroupID: "result",
		Short:   "Write a site that compares the methods of runs",
		Long: "Write HTML files that compare the methods of runs and need neither the runs nor " +
			"a server nor a network: a page for every condition, which is a point of the sweep, " +
			"and for every method. Of each condition they show the methods that do not differ " +
			"significantly from the best, differences from a baseline with intervals, what " +
			"training takes, and the command that runs each row again. The same runs give the " +
			"same files, byte by byte.\n\n" +
			"Runs are compared in one table where their settings agree, apart from the methods, " +
			"as by hansa compare; else beside each other. A method of your own joins a run by " +
			"hansa run FILE --with mine.go, which runs that method alone.\n\n" + cli.RunArgument,
		Example: "  hansa leaderboard quickstart\n" +
			"  hansa leaderboard smoke mine -o site --baseline FedAvg",
		Args:              cli.Want(1, math.MaxInt, "at least one RUN"),
		ValidArgsFunction: cli.Runs,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := view.Leaderboard(c.Session, args)
			if err != nil {
				return err
			}
			b.Title, b.Baseline = title, baseline
			b.Remake = cli.Again("hansa leaderboard", cmd, args, "color", "output")
			return c.leaderboard(b, out)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&out, "output", "o", "leaderboard", "write into `FOLDER`")
	flags.StringVar(&title, "title", "Leaderboard", "`TITLE` of the site")
	flags.StringVar(&baseline, "baseline", "", "`METHOD` to compare the others with (default that "+
		"of the report, else FedAvg)")
	return cmd
}

// leaderboard writes a site into a folder.
func (c *command) leaderboard(b *leaderboard.Board, folder string) error {
	files, err := leaderboard.Files(b)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := host.Replace(filepath.Join(folder, f.Name), func(w io.Writer) error {
			_, err := io.WriteString(w, f.Text)
			return err
		}); err != nil {
			return fault.Unstorable(folder, err)
		}
	}
	c.Sayf("wrote %s: %s; begin with %s", folder, phrase.Count(len(files), "page", "pages"),
		filepath.Join(folder, "index.html"))
	return nil
}
