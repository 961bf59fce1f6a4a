// FedAVOT — masked optimal transport between availability and importance.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Algorithms 1 and 2, Theorem 1.
//
// Notation: p importance (length N), q cohort distribution (length M), 𝒜ⱼ the j-th cohort, T
// the plan (N×M), Y = T Diag(q)⁻¹ the aggregation weights, p̃ = Yq what they realise.
//
// Departures. Algorithm 1 as printed never stops on a problem without a plan, and both
// published experiments are such problems. Here Theorem 1 is decided first, and
// on_infeasible says what then:
//
//   - "nearest" replaces p by the attainable importance nearest to it in KL(p‖p̃), which is the
//     exact limit of Algorithm 1. TV(p̃, p) is the deficiency, the least that is possible, and
//     the weights are continuous in p, also where p becomes infeasible.
//   - "project" is Algorithm 1 as printed, until it is stationary or max_sweeps are used up:
//     the same limit, approached slowly.
//   - "soft" softens the row sums, KL(T1‖p) instead of T1 = p. Its weights are
//     more even, so that the effective cohort size is larger, and TV(p̃, p) is larger than the
//     deficiency: more bias. Whether θ moves less about where it settles depends on the clients;
//     `hansa audit` shows both. It is discontinuous in p: a problem that is barely infeasible
//     costs as much as one that is plainly so.
//   - "error" ends the run.
//
// Where only some clients are enrolled, enrolment says what p is replaced by: see
// enrolled_target.go. With "ignored" it is the nearest importance that the enrolled attain, as
// on_infeasible says; otherwise it is p/e over the enrolled, and corrects enrolment as FedIPW does.
//
// Where the cohort distribution is unknown, or has no form that scaling accepts, the weights are
// learnt from the cohorts of the rounds, by stochastic ascent.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// FedAVOT describes the aggregator to the registry.
var FedAVOT = fl.AggregatorEntry{
	Name:    "fedavot",
	Summary: "weights cohorts by a masked transport plan from their distribution to p",
	Paper:   "fedavot",
	Deviations: "feasibility is decided first, as Algorithm 1 never stops without it; the " +
		"weights are learnt where the cohort distribution is not known; p/e over the enrolled " +
		"may take the place of p",
	New: newFedAVOT,
	Traits: fl.AggregatorTraits{
		Policies: map[string][]string{"on_infeasible": {"nearest", "soft"}},
	},
}

// fedAVOT keeps in State: log_u, length N, the logarithms of the row scalings of each plan; and
// what its cohortPlan keeps.
type fedAVOT struct {
	epsilon    float64 // stop at ‖T1 − p‖₁ ≤ ε, (0, 1)
	maxSweeps  int     // of Algorithm 1
	infeasible string  // what to do without a plan
	kappa      float64 // κ of "soft", [0, 1)
	cohortPlan
}

var _ fl.Weigher = (*fedAVOT)(nil)

func newFedAVOT(p *fl.Params) (fl.Aggregator, error) {
	a := &fedAVOT{
		epsilon:   p.Float("epsilon", 1e-9, fl.Open(0, 1), "stop scaling at ‖T1 − p‖₁ ≤ ε"),
		maxSweeps: p.Int("max_sweeps", 10_000, fl.AtLeast(1), "stop scaling after so many sweeps"),
		infeasible: p.Choice("on_infeasible", "nearest", "when no weights realise p: the nearest "+
			"attainable importance; Algorithm 1 until it rests, which approaches that; more even "+
			"weights, a larger effective cohort size and more bias; or an error",
			"nearest", "project", "soft", "error"),
		kappa: p.Float("kappa", 0.9, fl.RightOpen(0, 1),
			"how hard \"soft\" insists on p: 0 is uniform weights, towards 1 is \"nearest\""),
	}
	a.cohortPlan = newCohortPlan(p, 1, "η of learning: larger follows faster, noisier",
		"ρ of learning: above 0 keeps weights bounded where no weights realise p")
	return fl.Weigh(a), nil
}

// Weights returns Y[i, j(t)] of θ̂ᵗ = Σ_{i∈Sᵗ} Y[i, j(t)] θᵢ (Alg. 2, line 5).
func (a *fedAVOT) Weights(r *fl.Round) (fl.Weights, error) { return a.weights(r, a) }

// of takes weights from the plan. Every iterate of Alg. 1 has Y[i, A] = uᵢ / Σ_{k∈A} uₖ, so N
// numbers hold all of it.
func (a *fedAVOT) of(y fl.Vector, r *fl.Round, cohort []int) {
	ot.Weights(y, a.numbers(r, "log_u"), cohort)
}

// A scaling is a transport problem whose row scalings can be computed.
type scaling interface {
	Nearest(epsilon float64, maxSweeps int) ot.Plan
	Scale(epsilon float64, maxSweeps int) ot.Plan
	Soften(kappa, epsilon float64, maxSweeps int) ot.Plan
	Feasibility() ot.Certificate
}

// plan computes log u (Alg. 2, line 1) and returns how the weights are to be had.
func (a *fedAVOT) plan(r *fl.Round, law *fl.Law, target fl.Vector) (float64, error) {
	problem := a.problem(r, law, target)
	if problem == nil {
		return learnt, nil
	}
	c := problem.Feasibility()
	var plan ot.Plan
	switch {
	case c.Feasible || a.infeasible == "project":
		plan = problem.Scale(a.epsilon, a.maxSweeps)
	case a.infeasible == "error":
		return 0, fmt.Errorf("no weights realise p: %v", c)
	case a.infeasible == "soft":
		plan = problem.Soften(a.kappa, a.epsilon, a.maxSweeps)
	default:
		plan = problem.Nearest(a.epsilon, a.maxSweeps)
	}
	a.remark(r, law, &c, &plan)
	copy(a.numbers(r, "log_u"), plan.LogU)
	return planned, nil
}

// problem returns the transport problem of the round, or nil when the weights are to be
// learnt.
func (a *fedAVOT) problem(r *fl.Round, law *fl.Law, target fl.Vector) scaling {
	switch {
	case a.learn || law == nil:
		return nil
	case law.Thin(r.Roster):
	case law.Sets != nil:
		return ot.Masked{P: target, Q: law.Q, Sets: law.Sets}
	case law.Chance != nil:
		s := ot.Independent{P: target, Chance: law.Chance, Size: law.Size}
		if s.Affordable() {
			return s
		}
	default:
		return nil
	}
	unplannable(r, law)
	return nil
}

// remark notes what a reader of the table must know of the plan.
func (a *fedAVOT) remark(r *fl.Round, law *fl.Law, c *ot.Certificate, plan *ot.Plan) {
	if !law.Exact {
		note := fmt.Sprintf("planned with a law estimated from %d simulated rounds", law.Draws)
		if !c.Feasible {
			note += fmt.Sprintf(", under which %.2g of p is unattainable and %q realises p̃ at "+
				"total variation %.2g from p", c.Deficiency, a.infeasible, plan.Residual/2)
		}
		a.note(r, note)
	}
	switch {
	case !law.Exact && !c.Feasible: // said
	case !c.Feasible:
		a.note(r, fmt.Sprintf("infeasible: %v; %q realises p̃ at total variation %.3f from p",
			c, a.infeasible, plan.Residual/2))
	case !plan.Converged:
		a.note(r, fmt.Sprintf("scaling did not converge: ‖T1 − p‖₁ = %.1e after %d sweeps: "+
			"raise max_sweeps or epsilon", plan.Residual, plan.Sweeps))
	}
}
