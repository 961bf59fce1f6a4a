package main

import (
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) leaderboardCommand() *cobra.Command {
	site := view.Site{Say: c.Sayf}
	cmd := &cobra.Command{
		Use:     "leaderboard RUN…",
		GroupID: "result",
		Short:   "Write a site that compares the methods of runs",
		Long: "Write HTML files that compare the methods of runs and need neither the runs nor " +
			"a server nor a network: a page for every condition, which is a point of the sweep, " +
			"and for every method. Of each condition they show the methods that do not differ " +
			"significantly from the best, differences from a baseline with intervals, what " +
			"training takes, and the command that runs each row again. A page of claims has " +
			"every [[claim]] of the runs with its verdict. The same runs give the " +
			"same files, byte by byte.\n\n" +
			"Runs are compared in one table where their settings agree, apart from the methods, " +
			"as by hansa compare; else beside each other. A method of your own joins a run by " +
			"hansa run FILE --with mine.go, which runs that method alone.\n\n" +
			"--json keeps what the site needs, in place of curves, in one file that can stand " +
			"for the runs: final values, costs, resolved parameters, verdicts, and a digest " +
			"of every result. " + cli.RunArgument,
		Example: "  hansa leaderboard quickstart\n" +
			"  hansa leaderboard smoke mine -o site --baseline FedAvg\n" +
			"  hansa leaderboard smoke --json smoke.json && hansa leaderboard smoke.json",
		Args: func(cmd *cobra.Command, args []string) error {
			all := slices.Concat(args, site.Claims)
			return cli.Want(1, math.MaxInt, "at least one RUN")(cmd, all)
		},
		ValidArgsFunction: cli.Runs,
		RunE: func(cmd *cobra.Command, args []string) error {
			site.Runs = args
			site.Flags = cli.Given(cmd, "color", "output", "json", "claims")
			return site.Make(c.Session)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&site.Out, "output", "o", "leaderboard", "write into `FOLDER`")
	flags.StringVar(&site.JSON, "json", "", "write records into `FILE`, and no site")
	flags.StringArrayVar(&site.Claims, "claims", nil, "show the claims of this `RUN`, and do not "+
		"compare its methods")
	flags.StringVar(&site.Title, "title", "Leaderboard", "`TITLE` of the site")
	flags.StringVar(&site.Baseline, "baseline", "", "`METHOD` to compare the others with "+
		"(default that of the report, else FedAvg)")
	cmd.MarkFlagsMutuallyExclusive("json", "output")
	return cmd
}
