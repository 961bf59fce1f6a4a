// Minimum variance — of all weights that realise p, those of least variance.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Algorithm 2 and Theorem 1, with another plan.
//	A. F. T. Martins, R. F. Astudillo. From Softmax to Sparsemax. ICML 2016.
//
// Notation: p importance (length N), q cohort distribution, A a cohort, Y_A ≥ 0 the weights of its
// members, Σ_{i∈A} Y[i, A] = 1, and p̃ = Σ_A q_A Y_A what they realise.
//
//	minimise Σ_A q_A ‖Y_A‖²  where p̃ = p                                               (1)
//	θᵗ = Σ_{i∈Sᵗ} Y[i, Sᵗ] θᵢ
//
// Many plans have p̃ = p. FedAVOT's has the largest entropy; nothing in its theorems depends on
// that. Where models θᵢ have uncorrelated errors of equal variance σ², that of the aggregate is
// σ²‖Y_A‖² in cohort A, and (1) makes it least in the mean: 1/Σ q_A‖Y_A‖² is an effective cohort
// size, which is never below that of FedAVOT. (1) is a quadratic program with one number per client
// as dual variable, λ: Y[i, A] = max(0, λᵢ − ν_A), with ν_A so that the weights of A sum to 1.
//
// With a bias b > 0 p̃ may be as far as that from p in total variation, beyond what is unattainable
// anyway, and the variance is the least that this allows: a point of the frontier that
// `hansa audit --frontier` draws. Then on_infeasible decides nothing but "error".
//
// Where no weights realise p, on_infeasible says what takes its place:
//
//   - "nearest": the attainable importance that is nearest in KL(p‖p̃), as in fedavot, from which
//     this plan then differs in nothing but variance. Its total variation from p is the least.
//   - "least-variance": of all importances at that total variation, the one that allows the least
//     variance, which is where the frontier ends. It takes what is missing from fewer clients, so
//     that its error may be larger where these differ from the others: see χ² of the audit.
//   - "error" ends the run.
//
// Where only some clients are enrolled, enrolment says what p is replaced by, as in fedavot.
//
// Departures from Algorithm 2: the plan. Where the cohort distribution is unknown or too long to
// list, λ is learnt from the cohorts of the rounds, by stochastic ascent on the dual.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// MinimumVariance describes the aggregator to the registry.
var MinimumVariance = fl.AggregatorEntry{
	Name:    "minimum-variance",
	Summary: "weights cohorts by the plan from their distribution to p of least variance",
	Paper:   "fedavot",
	Deviations: "of all plans the one of least variance, not that of largest entropy; the " +
		"weights are learnt where the cohort distribution is not known",
	New: newMinimumVariance,
	Traits: fl.AggregatorTraits{
		Policies: map[string][]string{"on_infeasible": {"nearest", "least-variance"}},
	},
}

// minimumVariance keeps in State: lambda, length N, of each plan; and what its cohortPlan keeps.
type minimumVariance struct {
	epsilon    float64 // stop at ‖p̃ − p‖₁ ≤ ε, (0, 1)
	maxSteps   int     // passes over the cohorts
	bias       float64 // b, [0, 1)
	infeasible string  // what to do where p is unattainable
	cohortPlan
}

var _ fl.Weigher = (*minimumVariance)(nil)

func newMinimumVariance(p *fl.Params) (fl.Aggregator, error) {
	a := &minimumVariance{
		epsilon:  p.Float("epsilon", 1e-9, fl.Open(0, 1), "stop planning at ‖p̃ − p‖₁ ≤ ε"),
		maxSteps: p.Int("max_steps", 10_000, fl.AtLeast(1), "passes over the cohorts, at most"),
		bias: p.Float("bias", 0, fl.RightOpen(0, 1), "total variation of p̃ from p that is given "+
			"up for less variance, beyond what is unattainable"),
		infeasible: p.Choice("on_infeasible", "nearest", "when no weights realise p: the "+
			"attainable importance nearest in KL(p‖p̃); of all that are at the least total "+
			"variation from p, the one that allows the least variance, as with a bias; or an error",
			"nearest", "least-variance", "error"),
	}
	a.cohortPlan = newCohortPlan(p, 0.1, "η of learning: larger follows faster, noisier; about "+
		"1/η participations are remembered",
		"ρ of learning: above 0 keeps λ small where no weights realise p")
	a.ascent.Sparse = true
	if a.learn && a.bias > 0 {
		p.Clash("bias", "learn", "%v is planned for, and learn = true plans nothing", a.bias)
	}
	return fl.Weigh(a), nil
}

// Weights returns Y[i, Sᵗ].
func (a *minimumVariance) Weights(r *fl.Round) (fl.Weights, error) { return a.weights(r, a) }

// of takes weights from the plan.
func (a *minimumVariance) of(y fl.Vector, r *fl.Round, cohort []int) {
	ot.Sparsemax(y, a.numbers(r, "lambda"), cohort)
}

// plan computes λ and returns how the weights are to be had.
func (a *minimumVariance) plan(r *fl.Round, law *fl.Law, target fl.Vector) (float64, error) {
	if a.learn || law == nil || law.Sets == nil || law.Thin(r.Roster) {
		return a.learns(r, law)
	}
	m := ot.Masked{P: target, Q: law.Q, Sets: law.Sets}
	c := m.Feasibility()
	if !c.Feasible && a.infeasible == "error" {
		return 0, fmt.Errorf("no weights realise p: %v", c)
	}
	var plan ot.VariancePlan
	if a.bias > 0 || !c.Feasible && a.infeasible == "least-variance" {
		plan = m.Biased(a.bias, a.epsilon, a.maxSteps)
	} else {
		plan = m.MinimumVariance(a.epsilon, a.maxSteps)
	}
	if !law.Exact {
		a.note(r, fmt.Sprintf("planned with a law estimated from %d simulated rounds", law.Draws))
	}
	if !c.Feasible {
		by := fmt.Sprintf("%q", a.infeasible)
		if a.bias > 0 {
			by = fmt.Sprintf("bias = %v", a.bias)
		}
		a.note(r, fmt.Sprintf("infeasible: %v; %s realises p̃ at total variation %.3f from p",
			c, by, plan.TV))
	}
	if !plan.Converged {
		a.note(r, fmt.Sprintf("the plan did not converge in %d passes over the cohorts: total "+
			"variation from p %.1e: raise max_steps or epsilon", plan.Steps, plan.TV))
	}
	copy(a.numbers(r, "lambda"), plan.Lambda)
	return planned, nil
}

// learns notes why weights are learnt, where that was not asked for.
func (a *minimumVariance) learns(r *fl.Round, law *fl.Law) (float64, error) {
	if a.bias > 0 {
		return 0, fmt.Errorf("bias = %v is planned for, which takes a cohort distribution that is "+
			"known and lists its cohorts", a.bias)
	}
	if !a.learn {
		unplannable(r, law)
	}
	return learnt, nil
}
