// ALIE — a little is enough: all faulty clients send the mean, moved by a few deviations.
//
//	M. Baruch, G. Baruch, Y. Goldberg. A Little Is Enough: Circumventing Defenses For Distributed
//	Learning. NeurIPS 2019, Algorithm 3.
//
// Notation: n clients in the cohort, f of them faulty, μ and σ mean and standard deviation of the
// honest updates by coordinate, Φ the normal distribution function:
//
//	s = ⌊n/2⌋ + 1 − f,    z = Φ⁻¹((n − f − s)/(n − f)),    Δᵢ = μ − z·σ.
//
// With z = 0 every faulty client sends the mean of the honest ones. For few faulty clients the z of
// the formula is near 0; the paper's experiments on MNIST take 1.5. Where f ≥ n/2, s is 1.
//
// With optimal = true, z is found by line search, see search.
//
// Departures: μ and σ are those of honest clients (the paper's attacker estimates them from what
// the faulty clients trained), as in ByzFL, whose σ divides by n − f − 1 and which adds τσ.

package adversary

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ALIE describes the adversary to the registry.
var ALIE = fl.AdversaryEntry{
	Name:       "alie",
	Summary:    "faulty clients send the mean of honest updates, moved by z deviations",
	Paper:      "baruch2019",
	Deviations: "mean and deviation are those of the honest clients of the cohort",
	New: func(p *fl.Params) (fl.Adversary, error) {
		a := &alie{search: newSearch(p, "z")}
		a.z, a.given = p.Number("z", fl.Anything(), "z, how many deviations; left out: by the "+
			"formula of the paper, from the sizes of the cohort and of its faulty part")
		if a.given && a.search.optimal {
			p.Clash("z", "optimal", "optimal = true finds it")
		}
		return a, nil
	},
	Traits: optimises,
}

type alie struct {
	z      float64
	given  bool
	search search
}

var _ fl.Adversary = (*alie)(nil)

// Corrupt implements fl.Adversary.
func (e *alie) Corrupt(a *fl.Attack) error {
	mean, deviation := a.Moments()
	deviation.Scale(-1)
	if e.search.optimal {
		return e.search.run(a, mean, deviation, mean)
	}
	z := e.z
	if !e.given {
		z = Deviations(len(a.Honest)+len(a.Updates), len(a.Updates))
	}
	mean.AddScaled(z, deviation)
	a.Send(mean)
	return nil
}

// Deviations returns the z of the paper for n clients of which f are faulty.
func Deviations(n, f int) float64 {
	if f >= n {
		return 0
	}
	s := max(n/2+1-f, 1)
	p := float64(n-f-s) / float64(n-f)
	if p <= 0 {
		return 0 // a mean of one honest client, whose deviation is 0 anyway
	}
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
