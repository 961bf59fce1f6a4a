// Correlated — clients come at rates of their own, and together: something they have in common
// keeps many of them away at once.
//
//	O. Vasicek. The Distribution of Loan Portfolio Value. Risk 15, 2002: the one-factor
//	Gaussian copula.
//	A. Rodio, F. Faticanti, O. Marfoq, G. Neglia, E. Leonardi. Federated Learning under
//	Heterogeneous and Correlated Client Availability. INFOCOM 2023: why correlation matters.
//
// Notation: bᵢ = min(1, rate·N·rᵢ) the probability of client i, r the prior, ρ the correlation, φ
// the persistence. Client i is available in round t iff
//
//	√ρ·Fᵗ + √(1−ρ)·εᵢᵗ ≤ Φ⁻¹(bᵢ),   Fᵗ = φFᵗ⁻¹ + √(1−φ²)·ηᵗ,
//
// with standard normal εᵢᵗ, ηᵗ and F⁰. For any ρ and φ, client i is available with probability bᵢ
// in every round: that is its inclusion probability, for oracles too, since F is never observed. Of
// up to 12 clients the law is listed, by quadrature to 1e-12; cohorts of more are simulated.
//
// Departures: Rodio et al. have clients that are Markov chains, whose pairs may correlate by any
// amount; here one number says how much, and holds for all pairs.

package availability

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Correlated describes the availability model to the registry.
var Correlated = fl.AvailabilityEntry{
	Name:       "correlated",
	Summary:    "clients are available at rates of their own, but often many at once or few",
	Paper:      "rodio2023",
	Deviations: "one correlation of all pairs, by a common factor, and not of Markov chains",
	New:        newCorrelated,
}

// correlated keeps in State, beside the members: threshold, Φ⁻¹(bᵢ) of each of them; factor,
// length 1, F.
type correlated struct {
	spread
	factor      stats.Factor
	persistence float64 // φ
}

var _ fl.Availability = (*correlated)(nil)

func newCorrelated(p *fl.Params) (fl.Availability, error) {
	return &correlated{
		spread: newSpread(p, fl.LeftOpen(0, 1)),
		factor: stats.Factor{Rho: p.Float("rho", 0.3, fl.Closed(0, 0.999),
			"ρ, share of the common factor; 0 is bernoulli")},
		persistence: p.Float("persistence", 0, fl.RightOpen(0, 1),
			"φ, correlation of the factor in two rounds that follow each other"),
	}, nil
}

// Available implements fl.Availability.
func (c *correlated) Available(r *fl.AvailabilityInput) []int {
	ids, first := members(r)
	threshold, factor := r.State.Vector("threshold", len(ids)), r.State.Vector("factor", 1)
	keep, fresh := c.persistence, math.Sqrt(1-c.persistence*c.persistence)
	if first {
		keep, fresh = 0, 1
		rates := c.chances(r.Roster)
		for k, id := range ids {
			threshold[k] = c.factor.Threshold(rates[int(id)])
		}
	}
	factor[0] = keep*factor[0] + fresh*r.RNG.NormFloat64()
	common, own := math.Sqrt(c.factor.Rho)*factor[0], math.Sqrt(1-c.factor.Rho)
	here := r.Room(len(ids))
	for k, id := range ids {
		if common+own*r.RNG.NormFloat64() <= threshold[k] {
			here = append(here, int(id))
		}
	}
	return here
}

// Law implements fl.Availability.
func (c *correlated) Law(pop *fl.Roster) (fl.Law, bool) {
	rates := c.chances(pop)
	law := fl.Law{Exact: true, Memoryless: c.persistence == 0, Inclusion: rates}
	if pop.N <= mostEnumerated {
		law.Sets, law.Q, law.Empty = c.factor.Law(rates)
	}
	return law, true
}
