// Min-max — the farthest perturbed mean whose distance to every honest update is one between two.
//
//	V. Shejwalkar, A. Houmansadr. Manipulating the Byzantine: Optimizing Model Poisoning Attacks
//	and Defenses for Federated Learning. NDSS 2021, eq. (3).
//
// Notation: Δₖ the honest updates, μ their mean, p a direction:
//
//	Δᵢ = μ + γp with the largest γ for which  maxₖ ‖μ + γp − Δₖ‖ ≤ max over k, l of ‖Δₖ − Δₗ‖.
//
// p is −μ/‖μ‖, −σ or −sign(μ); the paper takes the most harmful of the three for each task.
//
// Departures: γ is solved for. The paper halves steps, from 10, until they are below 10⁻⁵, and ends
// up as far below it.

package adversary

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// MinMax describes the adversary to the registry.
var MinMax = fl.AdversaryEntry{
	Name:       "min-max",
	Summary:    "faulty clients send the farthest perturbed mean that is no outlier by distance",
	Paper:      "shejwalkar2021",
	Deviations: "the factor is solved for, not searched by halving",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &minMax{newPerturbation(p)}, nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

type minMax struct{ along perturbation }

var _ fl.Adversary = (*minMax)(nil)

// Corrupt implements fl.Adversary.
func (m *minMax) Corrupt(a *fl.Attack) error {
	mean, deviation := a.Moments()
	p := m.along.of(mean, deviation)
	square := p.Dot(p)
	if square > 0 {
		mean.AddScaled(m.factor(a, mean, p, square), p)
	}
	a.Send(mean)
	return nil
}

// factor returns the largest γ with ‖μ + γp − Δₖ‖² ≤ D for all k: the least positive root of
// ‖p‖²γ² + 2⟨p, μ − Δₖ⟩γ + ‖μ − Δₖ‖² = D.
func (m *minMax) factor(a *fl.Attack, mean, p fl.Vector, square float64) float64 {
	bound := slices.Max(distances(a).Data)
	away := a.Scratch(len(mean))
	gamma := math.Inf(1)
	for _, model := range a.Models() {
		copy(away, mean)
		away.Add(a.Global)
		away.Sub(model)
		b, c := p.Dot(away), away.Dot(away)-bound
		root := math.Sqrt(max(b*b-square*c, 0))
		if b > 0 { // without a difference of two large numbers
			gamma = min(gamma, -c/(b+root))
		} else {
			gamma = min(gamma, (root-b)/square)
		}
	}
	return max(gamma, 0)
}
