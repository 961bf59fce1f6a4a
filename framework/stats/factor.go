package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Factor correlates clients with participation probabilities of their own by one common factor F,
// standard normal: client i participates iff √ρ·F + √(1−ρ)·εᵢ ≤ Φ⁻¹(rateᵢ), with standard normal εᵢ
// of its own. That is the one-factor Gaussian copula (Vasicek, Risk 15, 2002).
type Factor struct {
	Rho float64 // ρ, [0, 1)
}

// Threshold returns Φ⁻¹(rate).
func (f Factor) Threshold(rate float64) float64 { return distuv.UnitNormal.Quantile(rate) }

// Given returns the probability that a client with a threshold participates, given the factor.
func (f Factor) Given(threshold, factor float64) float64 {
	x := (threshold - math.Sqrt(f.Rho)*factor) / math.Sqrt(1-f.Rho)
	return math.Erfc(-x/math.Sqrt2) / 2
}

// Law returns the distribution of the cohort at these rates: every non-empty subset, smaller ones
// first and in lexicographic order within a size, its probability given a non-empty cohort, and the
// probability of an empty one. There are 2ᴺ − 1 subsets. Some rate must be positive. Given the
// factor, clients are independent; the integral over it has an error below 1e-12: off the real line
// a product of N probabilities grows like exp(y²Nρ/(1−ρ)/2), which the step makes up for.
func (f Factor) Law(rate tensor.Vector) (sets [][]int, q tensor.Vector, empty float64) {
	n := len(rate)
	threshold := make(tensor.Vector, n)
	for i, b := range rate {
		threshold[i] = f.Threshold(b)
	}
	z, weight := NormalRule(0.5 / math.Sqrt(1+float64(n)*f.Rho/(1-f.Rho)))
	all, given := make(tensor.Vector, 1<<n), make(tensor.Vector, 1<<n) // by the bits of a subset
	for k, factor := range z {
		given[0] = 1
		for i, x := range threshold {
			come, stay := f.Given(x, factor), f.Given(-x, -factor)
			for set := range 1 << i {
				given[set|1<<i] = given[set] * come
				given[set] *= stay
			}
		}
		all.AddScaled(weight[k], given)
	}
	nonEmpty := all[1:].Sum()
	for size := range n {
		sets = append(sets, Subsets(n, size+1)...)
	}
	for _, set := range sets {
		bits := 0
		for _, i := range set {
			bits |= 1 << i
		}
		q = append(q, all[bits]/nonEmpty)
	}
	return sets, q, all[0]
}
