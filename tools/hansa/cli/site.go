package cli

import (
	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/view"
)

// SiteFlags are the flags that say what a site shows.
func SiteFlags(cmd *cobra.Command, site *view.Site) {
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
	DataFlag(cmd, &site.Data)
	Exclusive(cmd, "json", "output", "verify")
}
