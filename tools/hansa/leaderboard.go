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
	var join joinFlags
	cmd := &cobra.Command{
		Use:     "leaderboard [RUN…]",
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
			"as by hansa compare; else beside each other.\n\n" + cli.JoinText() + "\n\n" +
			"--json keeps what the site needs, in place of curves, in one file that can stand " +
			"for the runs: final values, costs, resolved parameters, verdicts, and a digest " +
			"of every result; gzip packs it where its name ends in .gz. --verify runs some of " +
			"them again and compares their digests: results do not depend on the number of " +
			"cores, nor on the instruction set of a platform.\n\n" + cli.RunArgument,
		Example: "  hansa leaderboard quickstart\n" +
			"  hansa leaderboard smoke mine -o site --baseline FedAvg\n" +
			"  hansa leaderboard smoke --json smoke.json && hansa leaderboard smoke.json\n" +
			"  hansa leaderboard smoke.json --verify 3\n" +
			"  hansa leaderboard --with mine.go --task glyphs -o site",
		Args: func(cmd *cobra.Command, args []string) error {
			if join.meant(cmd) {
				return nil
			}
			all := slices.Concat(args, site.Claims)
			return cli.Want(1, math.MaxInt, "at least one RUN")(cmd, all)
		},
		ValidArgsFunction: cli.Runs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := site.Check.Count; cmd.Flags().Changed("verify") && n < 1 {
				return fmt.Errorf("--verify %d: want at least 1", n)
			}
			site.Runs = args
			if join.meant(cmd) {
				join.Data = site.Data
				return c.join(cmd, &join, &site)
			}
			site.Flags = cli.Given(cmd, "color", "output", "json", "claims", "audit",
				"data")
			return site.Make(cmd.Context(), c.Session)
		},
	}
	cli.SiteFlags(cmd, &site)
	join.flags(cmd)
	cli.Exclusive(cmd, "verify", "with")
	return cmd
}
