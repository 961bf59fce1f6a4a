// Sample epsilon — what the rounds so far cost in differential privacy of one sample of a client,
// at a δ.
//
//	B. Balle, Y.-X. Wang. Improving the Gaussian Mechanism for Differential Privacy: Analytical
//	Calibration and Optimal Denoising. ICML 2018, Theorem 8.
//
// Notation: neighbours are data of which one sample of one client is another one; how many samples
// each client has is known. What a client sends in a round is a Gaussian mechanism whose noise has
// z times the length by which such a sample moves it at most; δ(ε) is as in package privacy,
// Gaussian, with μ = √T/z after T rounds, as if every client had sent in each.
//
// This is not metric epsilon, in which a client is another one with all its samples: privacy of
// clients is privacy of samples, and not the other way round. Samples of all clients have the same
// ε, since clients have no sample in common. Without noise it is +∞.
//
// What it does not count: the tuning of parameters, accuracies, and what preprocessors get: there
// must be none to which clients send anything.
//
// Departures: none.

package metric

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// SampleEpsilon describes the metric to the registry.
var SampleEpsilon = fl.MetricEntry{
	Name:    "sample-epsilon",
	Summary: "ε of the rounds so far at a δ, where one sample of a client is another one",
	Paper:   "balle2018",
	New: func(p *fl.Params) (fl.Metric, error) {
		return &sampleEpsilon{delta: p.Float("delta", 1e-5, fl.Open(0, 1),
			"δ, by how much the bound may be exceeded")}, nil
	},
	Traits: fl.MetricTraits{Packed: true,
		AccountsSamples: true, Reads: reads(), Range: atLeastZero},
}

type sampleEpsilon struct{ delta float64 }

var _ fl.Metric = (*sampleEpsilon)(nil)

// Measure implements fl.Metric.
func (m *sampleEpsilon) Measure(s *fl.Snapshot) (float64, error) {
	if s.PerSample == nil {
		return 0, errors.New("the local rule says nothing of noise for single samples")
	}
	var g privacy.Gaussian
	if err := g.Add(*s.PerSample, s.T); err != nil {
		return 0, err
	}
	if s.Notes != nil {
		s.Notes.Add("sample ε: one sample of a client is another one; how many each client has " +
			"is known")
	}
	return g.Epsilon(m.delta), nil
}

// Unit implements fl.Metric.
func (*sampleEpsilon) Unit() string { return fl.Privacy }

// Higher implements fl.Metric: it is a cost.
func (*sampleEpsilon) Higher() bool { return false }
