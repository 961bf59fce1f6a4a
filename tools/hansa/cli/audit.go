package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
)

// AuditLong is what the command audit does.
const AuditLong = "Predict, for each method and setting and before any training, which " +
	"objective the method optimises.\n\nThe audit shows how many clients " +
	"participate, and with which probability each of them; whether weights on these " +
	"cohorts can realise the importance p, and which clients prove that they cannot; " +
	"the importance p̃ that the method optimises, its distance from p, and what that " +
	"costs on a convex objective; and the level at which training is expected to " +
	"end.\n\nAfter the experiment has run, the level that training reached stands " +
	"beside the prediction. That takes the metric suboptimality.\n\nWith --frontier, or " +
	"frontier = true in [report] of the experiment, the audit shows how much bias a " +
	"method has that its variance does not explain: the least total variation of p̃ " +
	"from p that any weights on these cohorts have with no more variance. With -o it " +
	"draws that curve and every method as a point.\n\nWith --balance it shows how far the " +
	"clients that count are from the population in each covariate, before and after " +
	"weighting, how probable enrolment is, and on how many clients the weights rest. With " +
	"--sensitivity Γ,… it shows between which values F(θ_p̃) lies if enrolment depends on " +
	"what is not known of clients, by odds of Γ: the marginal sensitivity model.\n\nA RUN, by " +
	"its name or folder, is audited as it was planned, even if its files have changed. " +
	"Strategies of a FILE are examined first, as by hansa run."

// leastDraws is how few cohorts say anything of weights.
const leastDraws = 100

// AuditParts say what an audit shows.
type AuditParts struct {
	draws             int
	frontier, balance bool
	sensitivity       []float64
}

// Declare declares the flags.
func (f *AuditParts) Declare(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.draws, "draws", 20_000, "estimate weights from `N` simulated cohorts "+
		"where the cohort distribution is not a list; they are not those that plans are made of")
	cmd.Flags().BoolVar(&f.frontier, "frontier", false,
		"show the least total variation from p for every variance of weights")
	cmd.Flags().BoolVar(&f.balance, "balance", false,
		"show covariates before and after weighting, and how probable enrolment is")
	cmd.Flags().Float64SliceVar(&f.sensitivity, "sensitivity", nil,
		"show the range of F(θ_p̃) over enrolment by what is not known, of strengths `GAMMA,…`")
}

// Check refuses what makes no sense.
func (f *AuditParts) Check() error {
	if f.draws < leastDraws {
		return fmt.Errorf("--draws is %d: at least %d", f.draws, leastDraws)
	}
	for _, gamma := range f.sensitivity {
		if !(gamma >= 1) || gamma > audit.StrongestSelection {
			return fmt.Errorf("--sensitivity has %v: strengths are from 1, no unobserved "+
				"selection, to %.0e", gamma, audit.StrongestSelection)
		}
	}
	return nil
}

// Options returns those of the audit, with data in these folders; drawn says that the frontier is
// drawn.
func (f *AuditParts) Options(folders []string, drawn bool) audit.Options {
	o := audit.Options{Draws: f.draws, Options: engine.Options{Folders: folders},
		Balance: f.balance, Sensitivity: f.sensitivity}
	if f.frontier || drawn {
		o.Frontiers = new(audit.Frontiers)
	}
	return o
}
