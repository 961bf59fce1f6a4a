package builtin

import (
	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/registry"
)

// fairness are methods that care how the model serves each client, and not only the mean.
func fairness(r *registry.Registry) error {
	return r.Aggregators.Add(
		aggregator.QFedAvg,    // by powers of losses
		aggregator.AgnosticFL, // by a mixture that ascends along losses
		aggregator.TERM,       // exponentially in losses
		aggregator.DeltaFL,    // the worst of the losses
		aggregator.FedMGDA,    // along which no loss rises
	)
}
