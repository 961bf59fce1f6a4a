package builtin

import (
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/registry"
)

// selections are designs of the server beside all, uniform and optimal ones.
func selections(r *registry.Registry) error {
	return r.Selections.Add(
		selection.SizeWeighted,       // one after another by share
		selection.SystematicPPS,      // at equal distances along shares
		selection.Sampford,           // with exact inclusion probabilities
		selection.ConditionalPoisson, // the same, at largest entropy
		selection.ClusteredSize,      // from urns of few clients
		selection.PowerOfChoice,      // largest losses of some candidates
		selection.AOCS,               // by norms, from sums alone
		selection.ImportanceSampling, // by norms, with replacement

		// What clients told and sent in earlier rounds decides.
		selection.ClusteredSimilarity, // from clusters of updates
		selection.DivFL,               // updates that represent all
		selection.Oort,                // losses, and durations
	)
}
