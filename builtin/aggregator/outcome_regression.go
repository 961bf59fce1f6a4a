package aggregator

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An outcomeRegression is a ridge regression of deltas on covariates, B = (M + λD)⁻¹G with
//
//	M ← κM + Σ_S ωₖ x xᵀ,   G ← κG + Σ_S ωₖ x Δₖᵀ,   x = (1, h(Xₖ)),
//
// round by round, where ω are the weights of the cohort over their sum and D is the diagonal of M
// without the intercept. What it expects of a sum over clients with Σ aᵢxᵢ = c is Bᵀc = Gᵀv with
// (M + λD)v = c: k + 1 equations, whatever the number of parameters.
type outcomeRegression struct {
	features featureMap
	ridge    float64 // λ
	kept     float64 // κ
	current  bool    // the cohort counts in its own fit

}

// newOutcomeRegression declares it.
func newOutcomeRegression(p *fl.Params) *outcomeRegression {
	return &outcomeRegression{
		features: newFeatureMap(p, "outcome", "the regression of deltas", false),
		ridge: p.Float("ridge", 1e-3, fl.AtLeast(0), "penalty of the regression of deltas, in "+
			"shares of the mean square of each term"),
		kept: p.Float("kept", 0.5, fl.RightOpen(0, 1),
			"what a round leaves of the rounds before in the regression of deltas"),
		current: p.Choice("fit", "earlier", "the regression of deltas is fitted to earlier "+
			"rounds, which the cohort does not depend on, or to the current one as well",
			"earlier", "current") == "current",
	}
}

// A fitted is the regression of a run. State has gram, (k+1)×(k+1), M; cross, (k+1)×d, G; mean,
// length k+2, Σ pᵢ(1, h(Xᵢ)), and 1 once it is computed.
type fitted struct {
	of    *outcomeRegression
	round *fl.Round
	gram  fl.Matrix
	cross fl.Matrix
	mean  fl.Vector
	x     fl.Vector // room of a row
}

// open returns the regression of a run.
func (a *outcomeRegression) open(r *fl.Round) (fitted, error) {
	n := 1 + a.features.width(r.Roster.Covariates.Cols)
	b := fitted{of: a, round: r, gram: r.State.Matrix("gram", n, n),
		cross: r.State.Matrix("cross", n, len(r.Global)), x: r.Scratch(n)}
	mean := r.State.Vector("mean", n+1)
	if mean[n] == 0 {
		mean[0] = 1
		all, err := a.features.population(mean[:1], r.Roster)
		if err != nil {
			return b, err
		}
		if !fl.Vector(all).Finite() {
			return b, errors.New("the population's mean covariates are not finite")
		}
		mean[n] = 1
	}
	b.mean = mean[:n:n]
	return b, nil
}

// row returns (1, h(X)) of a client, until the next call.
func (b *fitted) row(i int) fl.Vector {
	b.x[0] = 1
	b.of.features.add(b.x[:1], b.round.Roster.Covariates.Row(i), nil)
	return b.x
}

// addTo adds scale·(1, h(X)) of a client to c.
func (b *fitted) addTo(c fl.Vector, i int, scale float64) { c.AddScaled(scale, b.row(i)) }

// enter enters the cohort with its weights.
func (b *fitted) enter(w fl.Vector) {
	r, total := b.round, w.Sum()
	if !(total > 0) {
		return
	}
	n := len(b.x)
	fl.Vector(b.gram.Data).Scale(b.of.kept)
	fl.Vector(b.cross.Data).Scale(b.of.kept)
	by := r.Scratch(n * len(w)) // ωₖxₖⱼ, a row for each j
	for k := range w {
		x := b.row(r.Updates[k].Client)
		for j, v := range x {
			by[j*len(w)+k] = w[k] / total * v
			b.gram.Row(j).AddScaled(w[k]/total*v, x)
		}
	}
	models := r.Models()
	for j := range n {
		row := by[j*len(w):][:len(w)]
		b.cross.Row(j).AddWeighted(row, models)
		b.cross.Row(j).AddScaled(-row.Sum(), r.Global)
	}
}

// addFitted adds rate·Bᵀc to next. c is changed.
func (b *fitted) addFitted(next, c fl.Vector, rate float64) {
	n := len(c)
	a := fl.Matrix{Rows: n, Cols: n, Data: b.round.Scratch(n * n)}
	copy(a.Data, b.gram.Data)
	for j := 1; j < n; j++ {
		a.Row(j)[j] *= 1 + b.of.ridge
	}
	solveSpanned(a, c)
	c.Scale(rate)
	b.cross.AddMulTVec(next, c)
}

// solveSpanned solves a·x = c in place, for a symmetric a without negative eigenvalues, by a
// Cholesky factorisation in a. A column that the ones before determine, to 1e-12 of its square, has
// the solution 0. It allocates nothing.
func solveSpanned(a fl.Matrix, c fl.Vector) {
	const least = 1e-12
	for j := range c {
		row := a.Row(j)
		own := row[j]
		for k := range j { // L of row j
			if d := a.Row(k)[k]; d > 0 {
				row[k] = (row[k] - fl.Vector(row[:k]).Dot(a.Row(k)[:k])) / d
			} else {
				row[k] = 0
			}
		}
		left := own - fl.Vector(row[:j]).Dot(row[:j])
		row[j] = 0
		if left > least*own {
			row[j] = math.Sqrt(left)
		}
	}
	for j := range c { // L·z = c
		row := a.Row(j)
		if row[j] == 0 {
			c[j] = 0
			continue
		}
		c[j] = (c[j] - fl.Vector(row[:j]).Dot(c[:j])) / row[j]
	}
	for j := len(c) - 1; j >= 0; j-- { // Lᵀ·x = z
		if a.Row(j)[j] == 0 {
			c[j] = 0
			continue
		}
		c[j] /= a.Row(j)[j]
		c[:j].AddScaled(-c[j], a.Row(j)[:j])
	}
}
