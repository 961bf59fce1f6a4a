package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/registry"
)

// fairness are methods that care how the model serves each client, and not only the mean.
func fairness(r *registry.Registry) error {
	return errors.Join(r.Aggregators.Add(
		aggregator.QFedAvg,    // by powers of losses
		aggregator.AgnosticFL, // by a mixture that ascends along losses
		aggregator.TERM,       // exponentially in losses
		aggregator.DeltaFL,    // the worst of the losses
		aggregator.FedMGDA,    // along which no loss rises
		aggregator.DRFA,       // of clients that are drawn by a mixture
	), r.LocalRules.Add(
		local.DRFA,     // with a snapshot at a random step
		local.PropFair, // on logarithms of gains
	), r.Selections.Add(
		selection.DRFA, // by a mixture that ascends along losses
	))
}
