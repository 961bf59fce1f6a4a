// Gaussian noise — a faulty client sends random numbers.
//
//	P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine Learning with Adversaries:
//	Byzantine Tolerant Gradient Descent. NeurIPS 2017, Section 5.
//
// Notation: ξ a vector of independent standard normal numbers, σ their deviation:
//
//	θᵢ = θᵗ⁻¹ + σξ,  or with add = true  θᵢ + σξ of the trained θᵢ.
//
// Departures: σ is 1 by default; the paper draws gradients of deviation 200.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// GaussianNoise describes the adversary to the registry.
var GaussianNoise = fl.AdversaryEntry{
	Name:       "gaussian-noise",
	Summary:    "faulty clients send normal random numbers, or add them to their update",
	Paper:      "blanchard2017",
	Deviations: "σ is 1 by default, not 200",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return gaussianNoise{
			sigma: p.Float("sigma", 1, fl.AtLeast(0), "σ, the standard deviation of a coordinate"),
			add:   p.Bool("add", false, "noise is added to the update instead of taking its place"),
		}, nil
	},
}

type gaussianNoise struct {
	sigma float64 // σ
	add   bool
}

var _ fl.Adversary = gaussianNoise{}

// Corrupt implements fl.Adversary.
func (g gaussianNoise) Corrupt(a *fl.Attack) error {
	for k := range a.Updates {
		p := a.Updates[k].Params
		if !g.add {
			copy(p, a.Global)
		}
		p.AddNoise(g.sigma, a.RNG)
	}
	return nil
}
