package ot

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Tiers is Masked.Tiers for this law, without a list of cohorts.
//
// The first k tiers together are a set I that minimises f(I) − λp(I) for some λ. Such sets are
// prefixes of one order of the clients, whatever λ is (see Feasibility, of which λ scales p). So
// the tiers are the segments of the lower convex hull of the points (p(I), f(I)) of the prefixes,
// and their ratios are its slopes.
func (s Independent) Tiers() []Tier {
	order := s.byGreed()
	reach := s.crowd(nil).reach(order)
	hull := []corner{{}}
	mass := 0.0
	for m, i := range order {
		if s.P[i] == 0 {
			continue
		}
		mass += s.P[i]
		next := corner{len: m + 1, mass: mass, reach: max(reach[m+1], 0)}
		for n := len(hull); n > 1 && hull[n-1].above(hull[n-2], next); n-- {
			hull = hull[:n-1]
		}
		hull = append(hull, next)
	}
	var tiers []Tier
	for k := 1; k < len(hull); k++ {
		tier := Tier{Ratio: max(0, hull[k].slope(hull[k-1]))}
		for _, i := range order[hull[k-1].len:hull[k].len] {
			if s.P[i] > 0 {
				tier.Clients = append(tier.Clients, i)
			}
		}
		slices.Sort(tier.Clients)
		tiers = append(tiers, tier)
	}
	return tiers
}

// A corner is a prefix of clients: how many they are, p and f of them.
type corner struct {
	len         int
	mass, reach float64
}

// slope returns the ratio of f to p of the clients of c beyond those of a prefix.
func (c corner) slope(before corner) float64 {
	return (c.reach - before.reach) / (c.mass - before.mass)
}

// above reports whether c lies on or above the line from one corner to another, but for rounding.
func (c corner) above(before, after corner) bool {
	line := before.reach + after.slope(before)*(c.mass-before.mass)
	return c.reach >= line-tieTolerance
}

// TierPlan is Masked.TierPlan for this law.
func (s Independent) TierPlan(epsilon float64, maxSweeps int) Plan {
	plan, _, _ := s.newPlan()
	plan.Converged = true
	var level float64
	var before []int
	for _, tier := range s.Tiers() {
		if tier.Ratio <= tieTolerance {
			continue // it is in no cohort
		}
		c := s.crowd(tier.Clients)
		c.absent = before
		p := make(tensor.Vector, len(tier.Clients))
		for k, i := range tier.Clients {
			p[k] = tier.Ratio * s.P[i]
		}
		it := iteration{law: c, p: p, kappa: 1}
		served := func() bool { return true }
		plan.Converged = it.solve(epsilon, maxSweeps, served) && plan.Converged
		plan.Sweeps += it.sweeps
		for k, i := range tier.Clients {
			plan.LogU[i] = level + it.here.a[k]
			plan.Marginal[i] = it.here.marginal[k]
		}
		level += floats.Min(it.here.a) - priority
		before = append(before, tier.Clients...)
	}
	return plan.finish(s.P)
}

// Nearest returns a plan that attains p, or the attainable importance nearest to p where none does:
// Scale for a problem that is feasible, TierPlan for one that is not. Its weights depend
// continuously on p, at the boundary of what is feasible as well, since the plan of largest entropy
// does, and so does what is nearest.
func (m Masked) Nearest(epsilon float64, maxSweeps int) Plan {
	if m.Feasibility().Feasible {
		return m.Scale(epsilon, maxSweeps)
	}
	return m.TierPlan(epsilon, maxSweeps)
}

// Nearest is Masked.Nearest for this law.
func (s Independent) Nearest(epsilon float64, maxSweeps int) Plan {
	if s.Feasibility().Feasible {
		return s.Scale(epsilon, maxSweeps)
	}
	return s.TierPlan(epsilon, maxSweeps)
}
