package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/registry"
)

// robustRules are aggregators that few faulty clients cannot move far, and what clients send to
// such a rule.
func robustRules(r *registry.Registry) error {
	return errors.Join(r.LocalRules.Add(
		local.WorkerMomentum, // a running average of updates
	), r.Aggregators.Add(
		aggregator.CoordinateMedian, // coordinate by coordinate
		aggregator.TrimmedMean,      // without extremes
		aggregator.MeaMed,           // around the median
		aggregator.Krum,             // one model of those near each other
		aggregator.MultiKrum,        // several of them
		aggregator.Bulyan,           // chosen by Krum, and then around the median
		aggregator.MDA,              // near each other
		aggregator.GeometricMedian,  // the least sum of distances
		aggregator.NormClipping,     // no update is long
		aggregator.CenteredClipping, // no update is far from the one before
		aggregator.RLR,              // backwards where signs disagree
		aggregator.SignMajority,     // one step, where most signs point
		aggregator.CAF,              // without what lies far where variance is largest
		aggregator.SMEA,             // alike along every direction
		aggregator.SignGuard,        // of usual norms, with signs like those of most
		aggregator.FLTrust,          // like an update of the server's own
		aggregator.FoolsGold,        // unlike each other over rounds
	))
}
