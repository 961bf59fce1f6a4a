package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Scale runs Algorithm 1 of FedAVOT (iterative proportional fitting from the uniform plan), in the
// vector log u alone, until ‖p̃ − p‖₁ ≤ epsilon. It is finished, though not converged, when it has
// used up maxSweeps or the marginal has come to rest elsewhere, which is how an infeasible problem
// ends: p̃ is then close to the attainable importance nearest to p (the one that minimises
// KL(p‖p̃)), the residual close to twice the deficiency, and log u is large where clients have
// priority. TierPlan has their limit.
//
// Of all feasible plans the one found has the largest entropy. A client with p > 0 that no cohort
// contains has the largest log u.
func (m Masked) Scale(epsilon float64, maxSweeps int) Plan {
	return m.iterate(1, epsilon, maxSweeps)
}

// Soften solves the problem with soft row sums: it minimises KL(T‖T₀) + λ KL(T1‖p) over
// the plans with column sums q, where T₀ is uniform on every cohort and λ = κ/(1−κ).
// kappa lies in [0, 1): 0 weighs every cohort evenly, and near 1 it is Scale. There is
// always a solution and it is unique, u ∝ (p/p̃)^λ, so it settles infeasible problems
// with weights that stay moderate. Converged says that no log u is farther than epsilon
// from its image aᵢ ← κ(log pᵢ − log cᵢ(a)), cᵢ(a) = Σ_{A∋i} q_A / Σ_{k∈A} e^aₖ; the residual
// ‖p̃ − p‖₁ is what softness costs and does not vanish.
func (m Masked) Soften(kappa, epsilon float64, maxSweeps int) Plan {
	return m.iterate(kappa, epsilon, maxSweeps)
}

func (m Masked) iterate(kappa, epsilon float64, maxSweeps int) Plan {
	plan := m.newPlan()
	keep := m.reached()
	var stray float64
	for i, p := range m.P {
		if keep[i] = keep[i] && p > 0; !keep[i] {
			stray += math.Abs(p - plan.Marginal[i])
		}
	}
	b := m.block(keep)
	it := iteration{law: newLuce(b), p: b.p, kappa: kappa, stray: stray}
	plan.Converged = it.solve(epsilon, maxSweeps, b.feasible)
	plan.Sweeps = it.sweeps
	for k, i := range b.ids {
		plan.LogU[i] = it.here.a[k]
		plan.Marginal[i] = it.here.marginal[k]
	}
	return plan.finish(m.P)
}

// finish shifts log u so that its largest entry is 0, assigns that to clients in no cohort, and
// computes the residual from the importance.
func (plan Plan) finish(importance tensor.Vector) Plan {
	recentre(plan.LogU)
	for i, p := range importance {
		if p > 0 && math.IsInf(plan.LogU[i], -1) {
			plan.LogU[i] = 0
		}
	}
	plan.Residual = floats.Distance(plan.Marginal, importance, 1)
	return plan
}

// reached says which clients belong to a cohort that can occur.
func (m Masked) reached() []bool {
	reached := make([]bool, len(m.P))
	for j, set := range m.Sets {
		for _, i := range set {
			reached[i] = reached[i] || m.Q[j] > 0
		}
	}
	return reached
}

// newPlan returns a plan of log u = −Inf in which cohorts of clients with p = 0 alone,
// whose weights are even whatever happens, have added to the marginal already.
func (m Masked) newPlan() Plan {
	plan := Plan{
		LogU:     make(tensor.Vector, len(m.P)),
		Marginal: make(tensor.Vector, len(m.P)),
	}
	floats.AddConst(math.Inf(-1), plan.LogU)
	for j, set := range m.Sets {
		if m.massless(set) {
			for _, i := range set {
				plan.Marginal[i] += m.Q[j] / float64(len(set))
			}
		}
	}
	return plan
}

// massless reports whether all members of set have p = 0.
func (m Masked) massless(set []int) bool {
	for _, i := range set {
		if m.P[i] > 0 {
			return false
		}
	}
	return true
}
