package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/registry"
)

// private are aggregators that add noise, and what that is worth.
func private(r *registry.Registry) error {
	return errors.Join(r.Aggregators.Add(
		aggregator.DPFedAvg,  // a noisy sum of clipped updates in every round
		aggregator.DPDDGauss, // the same of integers, with noise that clients share
		aggregator.DPSkellam, // with another law of noise
		aggregator.DPFTRL,    // of all rounds so far, with the noise of a tree
	), r.Metrics.Add(
		metric.Epsilon,       // what the rounds cost, of clients
		metric.SampleEpsilon, // of single samples
	))
}
