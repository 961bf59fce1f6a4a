package main

import (
	"fmt"
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
			"of every result. --verify runs some of them again and compares their digests: " +
			"results do not depend on the number of cores, nor on the instruction set of a " +
			"platform.\n\n" + cli.RunArgument,
		Example: "  hansa leaderboard quickstart\n" +
			"  hansa leaderboard smoke mine -o site --baseline FedAvg\n" +
			"  hansa leaderboard smoke --json smoke.json && hansa leaderboard smoke.json\n" +
			"  hansa leaderboard smoke.json --verify 3",
		Args: func(cmd *cobra.Command, args []string) error {
			all := slices.Concat(args, site.Claims)
			return cli.Want(1, math.MaxInt, "at least one RUN")(cmd, all)
		},
		ValidArgsFunction: cli.Runs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := site.Check.Count; cmd.Flags().Changed("verify") && n < 1 {
				return fmt.Errorf("--verify %d: want at least 1", n)
			}
			site.Runs = args
			site.Flags = cli.Given(cmd, "color", "output", "json", "claims", "audit",
				"data")
			return site.Make(cmd.Context(), c.Session)
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
	flags.IntVar(&site.Check.Count, "verify", 0, "run `N` training runs again, chosen at random, "+
		"compare their results to the last bit, and write nothing")
	flags.Uint64Var(&site.Check.Seed, "verify-seed", 1, "`SEED` of the choice of --verify")
	flags.BoolVar(&site.Audit, "audit", false, "show what audits say of every method")
	cli.DataFlag(cmd, &site.Data)
	cmd.MarkFlagsMutuallyExclusive("json", "output", "verify")
	return cmd
}
