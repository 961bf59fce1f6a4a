// One plan for each phase, and how fast a plan is learnt that moves.
//
// Notation: a round is in phase φ with probability ρ_φ, and has then the cohort distribution q_φ;
// the server sees φ. A plan for rounds with phases is weights of labelled cohorts (φ, A).
//
// Joint plan. Of all Y_{φA} with Σ_φ ρ_φ Σ_A q_φ(A) Y_{φA} = p, which has the least variance
// Σ_φ ρ_φ Σ_A q_φ(A)‖Y_{φA}‖²? One that does not look at φ: with Y_A the mean of Y_{φA} given A
// over phases, p̃ stays the same and ‖·‖² is convex, so that the variance does not grow (Jensen).
// Hence it is the plan of the mixture Σρ_φ q_φ; so is that of largest entropy, and p is attainable
// by plans that see phases iff it is by plans that do not. phases = "pooled" is therefore the
// joint plan: nothing is gained in p̃ or in variance by knowing the phase.
//
// One plan for each phase. What is gained is that p̃ = p within each phase, not in their mean
// alone: models do not move towards the optimum of other objectives while a phase lasts. That is
// more constraints, hence no less variance, and it is possible only where p is attainable in every
// phase; on_infeasible decides in each of them.
//
// Learning with a constant step. With v how far the dual solution moves in a round, in the mean,
// and R a bound of its length and that of what is learnt together, regret a round is at most
// R·v/η + η but for the start, least at η = √(R·v): experiments/frontier/time.md derives it.
//
// Sources: the joint plan is ours; the bound of regret is that of M. Zinkevich, Online Convex
// Programming and Generalized Infinitesimal Gradient Ascent, ICML 2003.

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// newPhasePlans declares whether each phase has a plan of its own.
func newPhasePlans(p *fl.Params) bool {
	each := p.Choice("phases", "pooled", "where the server sees phases: one plan for their "+
		"mixture, which is also the best joint one, or one for each phase, so that p is realised "+
		"within each", "pooled", "each") == "each"
	p.Later("phases")
	return each
}

// newVariation declares how much the dual solution moves, and returns the step: that given, unless
// the variation is.
func newVariation(p *fl.Params, step float64) float64 {
	v := p.Float("variation", 0, fl.AtLeast(0), "v, how far the dual solution is assumed to move "+
		"in a round, in the Euclidean norm, in the mean: above 0 it sets the step to √(reach·v)")
	reach := p.Float("reach", 1, fl.Above(0), "R, assumed bound of the length of the dual "+
		"solution and of that of what is learnt, together; only the variation asks for it")
	p.Later("variation")
	p.Later("reach")
	switch {
	case v == 0:
		if reach != 1 {
			p.Fail("reach", "is of no effect without a variation")
		}
		return step
	case p.Given("step"):
		p.Clash("variation", "step", "%v sets the step, which is also given", v)
	}
	return math.Sqrt(reach * v)
}

// kept returns the vector of length n that State has of the plan in use: with plans of phases the
// part of the phase that the round is in.
func (c *cohortPlan) kept(r *fl.Round, name string, n int) fl.Vector {
	if !c.each || r.Phase == 0 {
		return r.State.Vector(name, n)
	}
	return r.State.Vector(name, n*r.Phases)[(r.Phase-1)*n : r.Phase*n]
}

// numbers returns those that hold the plan in use.
func (c *cohortPlan) numbers(r *fl.Round, name string) fl.Vector {
	return c.kept(r, name, r.Roster.N)
}

// inPhase says of an error in which phase it is.
func (c *cohortPlan) inPhase(r *fl.Round, err error) error {
	if c.each && r.Phase > 0 {
		return fmt.Errorf("phase %d: %w", r.Phase, err)
	}
	return err
}

// note adds a note on the plan in use.
func (c *cohortPlan) note(r *fl.Round, text string) {
	if c.each && r.Phase > 0 {
		text = fmt.Sprintf("phase %d: %s", r.Phase, text)
	}
	r.Notes.Add(text)
}
