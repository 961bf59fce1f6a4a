package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/adversary"
	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/registry"
)

// adversaries are what faulty clients do.
func adversaries(r *registry.Registry) error {
	return errors.Join(r.Adversaries.Add(
		adversary.None,          // all clients are honest
		adversary.LabelFlip,     // train on wrong labels
		adversary.Backdoor,      // teach a pattern of pixels
		adversary.SignFlip,      // reverse their update
		adversary.GaussianNoise, // send noise
		adversary.Zero,          // do no work
		adversary.ALIE,          // hide within the deviations
		adversary.IPM,           // reverse the mean
		adversary.Mimic,         // repeat one honest client
		adversary.MinMax,        // hide within the largest distance
		adversary.MinSum,        // hide within the distances of one
	), r.Metrics.Add(
		metric.Backdoor, // how often a pattern works
	))
}
