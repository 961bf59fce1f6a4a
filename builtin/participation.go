package builtin

import (
	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/registry"
)

// participation are methods that remember which clients took part before, and what they sent.
func participation(r *registry.Registry) error {
	return r.Aggregators.Add(
		aggregator.MIFA,    // the latest update of all
		aggregator.FedVARP, // with less variance by these
		aggregator.FedAU,   // by rounds between participations
	)
}
