package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A VariancePlan is the plan of least variance Σ_A q_A ‖Y_A‖² among all with its marginal. As with
// a Plan only N numbers are stored: the weights of any cohort, listed or not, follow from λ by
// [Sparsemax].
type VariancePlan struct {
	Lambda    tensor.Vector // λ, length N, largest 0; −Inf where pᵢ = 0 and no bias is allowed
	Marginal  tensor.Vector // p̃ = Y q, length N: the importance that these weights realise
	Variance  float64       // Σ_A q_A ‖Y_A‖², in [1/N, 1]; 1/Variance is an effective cohort size
	TV        float64       // ½ ‖p̃ − p‖₁
	Bound     float64       // c: λ was held in [−c, c] before it was shifted; +Inf: it was not
	Gap       float64       // how far ½·Variance + 2c·TV may lie above its minimum
	Steps     int           // passes over the cohorts
	Converged bool          // the solver met its criterion
}

// MinimumVariance returns the plan of least variance that attains p, or the attainable importance
// nearest to p where none does, which is that of Nearest: TV is then the deficiency. Scale finds
// another plan with the same marginal, whose entropy is largest, and whose variance is no smaller.
//
// The variance is that of an aggregate: models θᵢ = θ + εᵢ with uncorrelated errors of variance σ²
// have a weighted sum of variance σ²‖Y_A‖² in cohort A.
//
// Converged says that the marginal is within epsilon of its target, in the sum over clients. λ is
// finite at the boundary of what is feasible, too, where log u of Scale diverges.
func (m Masked) MinimumVariance(epsilon float64, maxSteps int) VariancePlan {
	base := m.newPlan()
	plan := VariancePlan{Lambda: base.LogU, Marginal: base.Marginal, Bound: math.Inf(1),
		Converged: true}
	for j, set := range m.Sets {
		if m.massless(set) {
			plan.Variance += m.Q[j] / float64(len(set))
		}
	}
	level := 0.0
	m.important().decompose(func(b *block) {
		mass := b.q.Sum()
		if mass == 0 {
			return // clients in no cohort
		}
		b.p.Scale(mass / b.p.Sum())
		d := newDual(b, math.Inf(1))
		plan.Converged = d.solve(epsilon, maxSteps) && plan.Converged
		plan.Steps += d.steps
		plan.Variance += d.here.variance
		plan.Gap += d.gap()
		level -= floats.Max(d.here.lambda)
		for k, i := range b.ids {
			plan.Lambda[i] = level + d.here.lambda[k]
			plan.Marginal[i] += d.here.marginal[k]
		}
		level += floats.Min(d.here.lambda) - precedence
	})
	return plan.finish(m.P)
}

// precedence is how far the λ of one tier lie below those of the one before. With 1 it has nothing
// in their cohorts; more is for rounding.
const precedence = 2

// finish measures the distance from p, and gives clients with p > 0 in no cohort λ = 0.
func (plan VariancePlan) finish(p tensor.Vector) VariancePlan {
	recentre(plan.Lambda)
	for i, x := range p {
		if x > 0 && math.IsInf(plan.Lambda[i], -1) {
			plan.Lambda[i] = 0
		}
	}
	plan.TV = floats.Distance(plan.Marginal, p, 1) / 2
	return plan
}

// A tradeOff is a problem whose marginal may miss p at a price: minimise
//
//	½ Σ_A q_A ‖Y_A‖² + c ‖p̃ − p‖₁
//
// whose dual is that of MinimumVariance with |λᵢ| ≤ c. Every c gives a point of the frontier of
// variance and total variation, from equal weights at c = 0 to MinimumVariance, which is reached at
// a finite c. Solutions begin where the last one ended.
type tradeOff struct {
	problem  Masked
	dual     *dual
	epsilon  float64
	maxSteps int
}

func (m Masked) tradeOff(epsilon float64, maxSteps int) *tradeOff {
	all := make([]bool, len(m.P))
	for i := range all {
		all[i] = true
	}
	return &tradeOff{m, newDual(m.block(all), 0), epsilon, maxSteps}
}

// at returns the plan at the price c.
func (t *tradeOff) at(c float64) VariancePlan {
	d := t.dual
	d.bound = c
	before := d.steps
	converged := d.solve(t.epsilon, t.maxSteps)
	plan := VariancePlan{Lambda: d.here.lambda.Clone(), Marginal: d.here.marginal.Clone(),
		Variance: d.here.variance, Bound: c, Gap: d.gap(), Steps: d.steps - before,
		Converged: converged}
	return plan.finish(t.problem.P)
}

// settled is how far total variation may stay above the least that is possible.
const settled = 1e-9

// end returns the plan of least variance among those of least total variation, which is least: by
// a price that is large enough.
func (t *tradeOff) end(least float64) VariancePlan {
	const first, last = 0.25, 1 << 20
	plan := t.at(first)
	for c := 4 * first; plan.TV > least+max(settled, 4*t.epsilon) && c < last; c *= 4 {
		plan = t.at(c)
	}
	return plan
}

// Biased returns the plan of least variance among those whose marginal lies within the total
// variation bias ≥ 0 of p, beyond what is unattainable anyway. It converged where its own total
// variation is that, to epsilon.
func (m Masked) Biased(bias, epsilon float64, maxSteps int) VariancePlan {
	t := m.tradeOff(epsilon, maxSteps)
	least := m.Feasibility().Deficiency
	budget := least + bias
	low, high := t.at(0), t.end(least)
	if low.TV <= budget {
		return low
	}
	steps := low.Steps + high.Steps
	for k := 0; high.Bound-low.Bound > 1e-15*high.Bound && budget-high.TV > epsilon; k++ {
		c := (low.Bound + high.Bound) / 2
		if k%2 == 0 { // false position, every other time
			part := (low.TV - budget) / (low.TV - high.TV)
			c = low.Bound + (high.Bound-low.Bound)*part
		}
		plan := t.at(c)
		steps += plan.Steps
		if plan.TV > budget+epsilon {
			low = plan
		} else {
			high = plan
		}
	}
	high.Steps = steps
	high.Converged = high.Converged && high.TV <= budget+4*epsilon+settled
	return high
}
