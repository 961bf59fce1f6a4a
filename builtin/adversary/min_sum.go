// Min-sum — the farthest perturbed mean whose distances to honest updates sum to those of one.
//
//	V. Shejwalkar, A. Houmansadr. Manipulating the Byzantine: Optimizing Model Poisoning Attacks
//	and Defenses for Federated Learning. NDSS 2021, eq. (4).
//
// Notation: Δₖ the n honest updates, μ their mean, p a direction as in min-max:
//
//	Δᵢ = μ + γp with the largest γ for which  Σₖ ‖μ + γp − Δₖ‖² ≤ maxₖ Σₗ ‖Δₖ − Δₗ‖².
//
// As Σₖ (μ − Δₖ) = 0, the left side is Σₖ ‖μ − Δₖ‖² + nγ²‖p‖², which is solved for γ.
//
// Departures: γ is solved for; the paper halves steps.

package adversary

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// MinSum describes the adversary to the registry.
var MinSum = fl.AdversaryEntry{
	Name:       "min-sum",
	Summary:    "faulty clients send the farthest perturbed mean that is no outlier by distances",
	Paper:      "shejwalkar2021",
	Deviations: "the factor is solved for, not searched by halving",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &minSum{newPerturbation(p)}, nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

type minSum struct{ along perturbation }

var _ fl.Adversary = (*minSum)(nil)

// Corrupt implements fl.Adversary.
func (m *minSum) Corrupt(a *fl.Attack) error {
	mean, deviation := a.Moments()
	d, n := distances(a), float64(len(a.Seen()))
	most, all := 0.0, 0.0 // over one row, over all rows
	for k := range d.Rows {
		sum := d.Row(k).Sum()
		most, all = max(most, sum), all+sum
	}
	p := m.along.of(mean, deviation)
	if square := p.Dot(p); square > 0 {
		// Σₖ ‖μ − Δₖ‖² is the sum over all pairs, halved and divided by n.
		mean.AddScaled(math.Sqrt(max(most-all/(2*n), 0)/(n*square)), p)
	}
	a.Send(mean)
	return nil
}
