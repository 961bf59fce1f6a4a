package ot

import "slices"

// A Certificate says whether the importance p can be realised, and if not, why not. By
// Theorem 1 of FedAVOT (a form of Hall's theorem) it can if and only if p(I) ≤ f(I)
// for every set I of clients, where f(I) is the probability that a cohort has a member
// in I. The largest excess p(I) − f(I) is the deficiency, which is also TV(p, p̃) for the
// nearest p̃ that can be realised: the mass that no weights can place.
type Certificate struct {
	Feasible   bool    `json:"feasible"`
	Flow       float64 `json:"flow"`              // value of the maximal flow, 1 when feasible
	Deficiency float64 `json:"deficiency"`        // max_I p(I) − f(I), 0 when feasible
	Minimal    []int   `json:"minimal,omitempty"` // smallest set of largest excess, ascending
	Maximal    []int   `json:"maximal,omitempty"` // largest one; both nil when feasible
	Mass       float64 `json:"mass"`              // p(I) of Minimal
	Reach      float64 `json:"reach"`             // f(I) of Minimal
	Bound      bool    `json:"bound"`             // Deficiency is only a lower bound
}

// feasibleTolerance is the deficiency up to which a problem counts as feasible.
const feasibleTolerance = 1e-9

// Feasibility decides by a maximal flow, from clients with supply p through cohorts with capacity
// q, whether the problem has a plan. It knows all cohorts, so Bound is false.
func (m Masked) Feasibility() Certificate {
	all := make([]bool, len(m.P))
	for i := range all {
		all[i] = true
	}
	g := newNetwork(m.block(all))
	hall := g.starved()
	mass, reach := g.weigh(hall)
	if mass-reach <= feasibleTolerance {
		return Certificate{Feasible: true, Flow: 1}
	}
	return Certificate{
		Flow:       1 - (mass - reach),
		Deficiency: mass - reach,
		Minimal:    where(hall),
		Maximal:    where(g.cut()),
		Mass:       mass,
		Reach:      reach,
	}
}

// feasible reports whether p, whose sum is that of q, is attained in full.
func (b *block) feasible() bool {
	mass, reach := b.weigh(newNetwork(b).starved())
	return mass-reach <= feasibleTolerance
}

// starved marks the clients that the source reaches in the residual graph: the smallest
// set that sends more than its cohorts pass on. Residual capacities up to crumbs count
// as none.
func (g *network) starved() []bool {
	clients, cohorts := make([]bool, len(g.ids)), make([]bool, len(g.q))
	var stack []int
	reach := func(i int) {
		if !clients[i] {
			clients[i] = true
			stack = append(stack, i)
		}
	}
	for i, s := range g.supply {
		if s > crumbs {
			reach(i)
		}
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range g.place[g.begin[i]:g.begin[i+1]] {
			j := g.owner[e]
			if cohorts[j] {
				continue
			}
			cohorts[j] = true
			g.eachSender(int(j), reach)
		}
	}
	return clients
}

// eachSender calls visit for the members that send more than crumbs to cohort j.
func (g *network) eachSender(j int, visit func(i int)) {
	for e := g.start[j]; e < g.start[j+1]; e++ {
		if g.flow[e] > crumbs {
			visit(int(g.members[e]))
		}
	}
}

// cut marks the clients from which the sink cannot be reached in the residual graph: the largest
// set of largest excess.
func (g *network) cut() []bool {
	stuck := make([]bool, len(g.ids))
	for i := range stuck {
		stuck[i] = true
	}
	served := make([]bool, len(g.q))
	var stack []int
	serve := func(j int) {
		if !served[j] {
			served[j] = true
			stack = append(stack, j)
		}
	}
	for j, d := range g.demand {
		if d > crumbs {
			serve(j)
		}
	}
	for len(stack) > 0 {
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range g.set(j) {
			if !stuck[i] {
				continue
			}
			stuck[i] = false
			g.eachReceiver(int(i), serve)
		}
	}
	return stuck
}

// eachReceiver calls visit for the cohorts to which client i sends more than crumbs.
func (g *network) eachReceiver(i int, visit func(j int)) {
	for _, e := range g.place[g.begin[i]:g.begin[i+1]] {
		if g.flow[e] > crumbs {
			visit(int(g.owner[e]))
		}
	}
}

// weigh returns p(I) and f(I) of the marked clients I.
func (b *block) weigh(marked []bool) (mass, reach float64) {
	for i, p := range b.p {
		if marked[i] {
			mass += p
		}
	}
	for j, q := range b.q {
		if b.meets(j, marked) {
			reach += q
		}
	}
	return mass, reach
}

// meets reports whether cohort j has a marked member.
func (b *block) meets(j int, marked []bool) bool {
	return slices.ContainsFunc(b.set(j), func(i int32) bool { return marked[i] })
}

// where lists the marked numbers, ascending.
func where(marked []bool) []int {
	var at []int
	for i, m := range marked {
		if m {
			at = append(at, i)
		}
	}
	return at
}
