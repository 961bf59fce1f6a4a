package ot

import "gonum.org/v1/gonum/floats"

// A Tier is a group of clients that all attain the same share of their importance.
type Tier struct {
	Clients []int   // ascending
	Ratio   float64 // p̃ᵢ = Ratio·pᵢ on the tier; 0 for clients in no cohort
}

// Tiers returns the attainable importance nearest to p: the p̃ that minimises KL(p‖p̃), and that
// makes the smallest p̃ᵢ/pᵢ as large as can be, then the next, and so on. It is the
// lexicographically optimal base of the coverage function f of Certificate with respect to p (S.
// Fujishige 1980) and has one ratio per tier. Ratios ascend: the first tier has the whole weight of
// its cohorts, the next what is left, as in the limit of Algorithm 1. A feasible problem is one
// tier of ratio 1. Clients with p = 0 are in no tier; they keep the cohorts that consist of them
// alone.
//
// The tiers come from Fujishige's decomposition: a group that cannot be served in
// proportion to p is split by the violated Hall set, which is to be served before the rest,
// and both parts are groups of their own. It takes less than two maximal flows per tier,
// on ever smaller parts, and lists no subsets.
func (m Masked) Tiers() []Tier {
	var tiers []Tier
	m.important().decompose(func(b *block) {
		tiers = append(tiers, Tier{Clients: b.ids, Ratio: b.q.Sum() / b.p.Sum()})
	})
	return tiers
}

// priority is the distance in log u at which one client takes all of a cohort's weight from
// another, as e⁻¹⁰⁰ is negligible.
const priority = 100

// TierPlan returns the limit of Scale: weights that serve the tiers in their order, each
// with absolute priority over the next (log u is 100 apart), and by Algorithm 1 within the
// tier, where it converges. So the marginal is that of Tiers, and the residual twice the
// deficiency. Converged says that the marginal is within epsilon of that of Tiers, in
// the sum over clients; each tier may take maxSweeps.
func (m Masked) TierPlan(epsilon float64, maxSweeps int) Plan {
	plan := m.newPlan()
	plan.Converged = true
	var level float64
	m.important().decompose(func(b *block) {
		mass := b.q.Sum()
		if mass > 0 {
			b.p.Scale(1 / b.p.Sum())
			b.q.Scale(1 / mass)
		} else {
			clear(b.p) // there is nothing to distribute
		}
		it := iteration{law: newLuce(b), p: b.p, kappa: 1}
		served := func() bool { return true }
		plan.Converged = it.solve(epsilon, maxSweeps, served) && plan.Converged
		plan.Sweeps += it.sweeps
		for k, i := range b.ids {
			plan.LogU[i] = level + it.here.a[k]
			plan.Marginal[i] = mass * it.here.marginal[k]
		}
		level += floats.Min(it.here.a) - priority
	})
	return plan.finish(m.P)
}

// important returns the part of the problem that concerns clients with p > 0.
func (m Masked) important() *block {
	keep := make([]bool, len(m.P))
	for i, p := range m.P {
		keep[i] = p > 0
	}
	return m.block(keep)
}

// tieTolerance is the excess, relative to a group, up to which it is one tier.
const tieTolerance = 1e-12

// decompose calls visit for every tier, by ascending ratio, as a block of its clients
// and of the cohorts left to them. The block is visit's to keep.
func (b *block) decompose(visit func(*block)) {
	hall := newNetwork(b).starved()
	mass, reach := b.weigh(hall)
	if len(b.q) == 0 || mass/b.p.Sum()-reach/b.q.Sum() <= tieTolerance {
		visit(b)
		return
	}
	b.part(hall, true).decompose(visit)
	b.part(hall, false).decompose(visit)
}

// part returns the group of the marked clients with all their cohorts or, if they are
// not wanted, that of the others with the cohorts in which no marked client is.
func (b *block) part(marked []bool, wanted bool) *block {
	side := newBlock(len(b.ids), len(b.q), len(b.members))
	number := make([]int32, len(b.ids))
	for i, id := range b.ids {
		if marked[i] == wanted {
			number[i] = int32(len(side.ids))
			side.ids = append(side.ids, id)
			side.p = append(side.p, b.p[i])
		}
	}
	for j, q := range b.q {
		if b.meets(j, marked) != wanted {
			continue
		}
		for _, i := range b.set(j) {
			if marked[i] == wanted {
				side.members = append(side.members, number[i])
			}
		}
		side.seal(q)
	}
	return side
}
