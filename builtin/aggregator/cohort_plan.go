package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// A cohortPlan weights cohorts by a plan that N numbers hold, which is computed once, or learnt; or
// by one plan for each phase, where the server sees phases: see plan_phases.go.
//
// It keeps in State: mode, length 1, how the numbers are had; when they are learnt, seen, length 1,
// the number of cohorts so far, and ascent, length 2N; and what its enrolledTarget keeps. With F
// plans it keeps F of each, one after another.
type cohortPlan struct {
	learn  bool // learn the weights even where the cohort distribution is known
	each   bool // one plan for each phase
	ascent ot.Ascent
	target *enrolledTarget
}

// newCohortPlan declares learning, with the step that it has by default and what that does, and the
// target.
func newCohortPlan(p *fl.Params, step float64, steps, leaks string) cohortPlan {
	c := cohortPlan{learn: p.Bool("learn", false, "learn the weights from the cohorts that occur "+
		"even where the cohort distribution is known")}
	c.ascent.Step = p.Float("step", step, fl.Above(0), steps)
	c.ascent.Leak = p.Float("leak", 0, fl.RightOpen(0, 1), leaks)
	c.each = newPhasePlans(p)
	c.ascent.Step = newVariation(p, c.ascent.Step)
	if c.ascent.Leak*c.ascent.Step >= 1 {
		p.Clash("leak", "step", "%v times step = %v is not below 1", c.ascent.Leak, c.ascent.Step)
	}
	c.target = newEnrolledTarget(p)
	return c
}

// How the weights are had.
const (
	planned = 1
	learnt  = 2
)

// A planner computes the numbers of a plan for a cohort distribution and a target, and returns how
// the weights are had. What it keeps is kept in a vector of numbers, length N.
type planner interface {
	plan(r *fl.Round, law *fl.Law, target fl.Vector) (float64, error)
	// of sets y to the weights of a cohort.
	of(y fl.Vector, r *fl.Round, cohort []int)
}

// weights returns those of a round.
func (c *cohortPlan) weights(r *fl.Round, by planner) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	law := r.Law
	if c.each {
		law = law.Within(r.Phase)
	}
	target, scale, err := c.target.of(r, law)
	if err != nil {
		return fl.Weights{}, err
	}
	mode := c.kept(r, "mode", 1)
	if mode[0] == 0 {
		if mode[0], err = by.plan(r, law, target); err != nil {
			return fl.Weights{}, c.inPhase(r, err)
		}
	}
	y, cohort := r.Scratch(len(r.Updates)), r.Cohort()
	if mode[0] == learnt {
		seen := c.kept(r, "seen", 1)
		state := c.kept(r, "ascent", 2*r.Roster.N)
		c.ascent.Observe(y, target, state, int(seen[0]), cohort)
		seen[0]++
	} else {
		by.of(y, r, cohort)
	}
	return c.target.weights(y, scale), nil
}

// unplannable notes why weights are learnt where that was not asked for.
func unplannable(r *fl.Round, law *fl.Law) {
	switch {
	case law == nil:
	case law.Thin(r.Roster):
		r.Notes.Add(fmt.Sprintf("the cohort distribution is an estimate from %d simulated rounds, "+
			"too few to plan with; the weights are learnt from the cohorts that occur", law.Draws))
	default:
		r.Notes.Add("cohorts are too many to plan with; weights are learnt from those that occur")
	}
}
