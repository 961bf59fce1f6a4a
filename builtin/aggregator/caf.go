// CAF — a mean whose weights filter out what lies far along the direction of most variance.
//
//	Y. Allouah, R. Guerraoui, J. Stephan. Towards Trustworthy Federated Learning with
//	Untrusted Participants. ICML 2025, Algorithm 2 (covariance bound-agnostic filter).
//
// Notation: n updates xₖ, f of them faulty, n > 2f; cₖ their weights, at first 1, C = Σ cₖ,
//
//	μ = 1/C·Σ cₖxₖ,    Σ = 1/C·Σ cₖ(xₖ − μ)(xₖ − μ)ᵀ,
//
// λ the largest eigenvalue of Σ and v its eigenvector. As long as C > n − 2f,
//
//	τₖ = ⟨xₖ − μ, v⟩²,    cₖ ← cₖ(1 − τₖ/max τ),
//
// the maximum over those with cₖ > 0, so that each step takes at least one out. The result is the μ
// of least λ. Nothing is assumed of the covariance of honest updates: the distance from their mean
// is at most a multiple of the root of its largest eigenvalue, whatever that is, and does not grow
// with the number of parameters. With f = 0 it is the plain mean.
//
// λ and v are those of an n×n matrix of inner products, which distances between updates give: they
// are exact, and no matrix of the size of the model is made.
//
// Departures: where the paper and ByzFL (LPD-EPFL/byzfl, aggregators.py) approximate v by power
// iteration from a random vector, it is computed. ByzFL takes the maximum over all updates, those
// taken out before included: the farther away one of them is, the longer the others stay in, up to
// thousands of steps. With f = 0, where that loop never runs, the mean is returned. An update so
// far away that squares of distances overflow is left out at once, as in the limit. A cohort of at
// most 2f clients leaves the model as it is.

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CAF describes the aggregator to the registry.
var CAF = fl.AggregatorEntry{
	Name:    "caf",
	Summary: "mean of models, those filtered out that lie far where variance is largest",
	Paper:   "allouah2025caf",
	Deviations: "eigenvectors are exact; weights fall by the farthest update that still counts; " +
		"a cohort that is too small leaves the model as it is",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &caf{faulty: newFaulty(p, func(f int) int { return 2*f + 1 })}, nil
	},
}

// caf keeps nothing in State.
type caf struct {
	faulty
	eigen         tensor.Eigen
	inner, scaled fl.Vector // room of a round
}

var _ fl.Aggregator = (*caf)(nil)

// Aggregate implements fl.Aggregator.
func (a *caf) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if out, stays, err := a.stays(r); stays {
		return out, err
	}
	n := len(r.Updates)
	distance := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	tensor.SquaredDistances(distance, r.Models())
	c, shares, tau, w := r.Scratch(n), r.Scratch(n), r.Scratch(n), r.Scratch(n)
	c.Fill(1)
	leaveOutTheFarthest(c, distance)
	a.inner, a.scaled = r.Scratch(n*n), r.Scratch(n*n)
	total, enough, least := c.Sum(), float64(n-2*a.f), math.Inf(1)
	if total < float64(n) && total <= enough {
		return fl.Outcome{}, errApart
	}
	for first := true; first || total > enough; first, total = false, c.Sum() {
		copy(shares, c)
		shares.Scale(1 / total)
		lambda, err := a.spread(r, tau, shares, distance)
		if err != nil {
			return fl.Outcome{}, fmt.Errorf("caf: %w", err)
		}
		if lambda < least {
			least = lambda
			copy(w, shares)
		}
		most := tau.NormInf()
		if most == 0 {
			break // all that count are the same
		}
		for k := range c {
			c[k] *= 1 - tau[k]/most // τ is 0 of those with c = 0
		}
	}
	r.Notes.Observe("largest variance along a direction", least)
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}

// leaveOutTheFarthest sets weights of updates to 0 until all distances between others are numbers:
// of the one first that has most distances that are none, of several the last one.
func leaveOutTheFarthest(c fl.Vector, distance fl.Matrix) {
	for {
		worst, most := -1, 0
		for k := range c {
			none := 0
			for l, s := range distance.Row(k) {
				if c[l] > 0 && !(s <= math.MaxFloat64/1e6) { // so that sums are numbers, too
					none++
				}
			}
			if c[k] > 0 && none > 0 && none >= most {
				worst, most = k, none
			}
		}
		if worst < 0 {
			return
		}
		c[worst] = 0
	}
}

// spread sets tau to the squared distances of updates from their weighted mean along the direction
// of most variance, of those whose shares are not 0, and returns the variance.
//
// With deviations dₖ = xₖ − μ, ⟨dᵢ, dⱼ⟩ follows from distances. Σ has the eigenvalues of the matrix
// of √(sᵢsⱼ)·⟨dᵢ, dⱼ⟩, and if u is an eigenvector of it, v = λ^(−1/2)·Σ √sᵢ·uᵢdᵢ is one of Σ.
func (a *caf) spread(r *fl.Round, tau, shares fl.Vector, distance fl.Matrix) (float64, error) {
	in := r.Room(len(shares))
	for k, s := range shares {
		if s > 0 {
			in = append(in, k)
		}
	}
	m := len(in)
	inner := fl.Matrix{Rows: m, Cols: m, Data: a.inner[:m*m]}
	centered(inner, in, shares, distance, r.Scratch(m))
	scaled := fl.Matrix{Rows: m, Cols: m, Data: a.scaled[:m*m]}
	for i, k := range in {
		for j, l := range in {
			scaled.Row(i)[j] = math.Sqrt(shares[k]*shares[l]) * inner.Row(i)[j]
		}
	}
	values, vectors, err := a.eigen.Factor(scaled)
	if err != nil {
		return 0, err
	}
	lambda, u := values[m-1], vectors.Row(m-1)
	tau.Fill(0)
	if !(lambda > 0) {
		return 0, nil
	}
	for i, k := range in {
		u[i] *= math.Sqrt(shares[k])
	}
	for i, k := range in {
		along := inner.Row(i).Dot(u)
		tau[k] = along * along / lambda
	}
	return lambda, nil
}

// centered sets inner to the inner products of the deviations of some updates from their weighted
// mean: ⟨dᵢ, dⱼ⟩ = (mᵢ + mⱼ − Σ sₖmₖ − ‖xᵢ − xⱼ‖²)/2 with mᵢ = Σ sₖ‖xᵢ − xₖ‖².
func centered(inner fl.Matrix, in []int, shares fl.Vector, distance fl.Matrix, mean fl.Vector) {
	all := 0.0
	for i, k := range in {
		for _, l := range in {
			mean[i] += shares[l] * distance.Row(k)[l]
		}
		all += shares[k] * mean[i]
	}
	for i, k := range in {
		for j, l := range in {
			inner.Row(i)[j] = (mean[i] + mean[j] - all - distance.Row(k)[l]) / 2
		}
	}
}
