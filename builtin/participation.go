package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/registry"
)

// participation are methods that remember which clients took part before, and what they sent.
func participation(r *registry.Registry) error {
	return errors.Join(
		r.Aggregators.Add(
			aggregator.MIFA,         // the latest update of all
			aggregator.FedVARP,      // with less variance by these
			aggregator.DoublyRobust, // inverse probabilities of what is not foreseen
			aggregator.FedLaAvg,     // the latest update of all, which clients keep
			aggregator.FedAU,        // by rounds between participations
			aggregator.DebiasFedAvg, // by how often clients took part
			aggregator.FedAWE,       // mean of models that clients went on from
			aggregator.F3AST,        // by rates of participation
		),
		r.LocalRules.Add(
			local.FedLaAvg, // sends what changed in the update
			local.FedAWE,   // goes on from the model of its last participation
		),
		r.Availability.Add(
			availability.MinimumSeparation, // K, none of which took part of late
		),
		r.Selections.Add(
			selection.LongestAbsent, // those that took part the longest time ago
			selection.F3AST,         // those whose rate is small for their importance
		),
	)
}
