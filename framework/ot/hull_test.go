package ot_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// What is nearest to p is the same from the structure of a law as from the list of its cohorts, and
// the weights of its tiers attain it.
func TestTiersOfIndependentClientsAreThoseOfTheList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 12))
	split := 0
	for range 200 {
		s := crowded(rng, 2+rng.IntN(7))
		want := s.P.Clone()
		for i := range want {
			want[i] = 0
		}
		list := listed(s)
		for _, tier := range list.Tiers() {
			for _, i := range tier.Clients {
				want[i] = tier.Ratio * s.P[i]
			}
		}
		tiers := s.Tiers()
		got := make(tensor.Vector, len(want))
		for k, tier := range tiers {
			for _, i := range tier.Clients {
				got[i] = tier.Ratio * s.P[i]
			}
			if k > 0 && tier.Ratio < tiers[k-1].Ratio {
				t.Fatalf("ratios descend: %v", tiers)
			}
		}
		tolerance{abs: 1e-9}.all(t, "p̃", got, want)
		plan := s.TierPlan(1e-11, 20_000)
		tolerance{abs: 1e-8}.all(t, "what the plan realises", realised(list, plan.LogU), plan.Marginal)
		tolerance{abs: 1e-8}.one(t, "distance from p", plan.Residual/2, s.Feasibility().Deficiency)
		if len(tiers) > 1 {
			split++
		}
	}
	if split < 50 {
		t.Errorf("only %d problems have several tiers", split)
	}
}

// Along a path of importances from one that weights realise to one that none do, the plan for the
// nearest attainable importance costs what the deficiency requires, and its weights change by no
// more than p does, times a constant: nothing jumps at the boundary.
func TestPlansAreContinuousAcrossTheBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const steps = 400
	crossed := 0
	for range 12 {
		n := 4 + rng.IntN(3)
		from, to := even(n), scatter(rng, n)
		floor := make(tensor.Vector, n) // keeps p away from 0, where log u has no limit
		for i := range floor {
			floor[i] = 1 / float64(n)
		}
		r := scatter(rng, n)
		for i := range r {
			r[i] = 0.5*r[i] + 0.5*floor[i]
			to[i] = 0.95*to[i] + 0.05*floor[i]
		}
		law := pairs(from, r)
		jump, feasible, infeasible := 0.0, false, false
		var last []tensor.Vector
		for step := range steps + 1 {
			x := float64(step) / steps
			p := make(tensor.Vector, n)
			for i := range p {
				p[i] = (1-x)*from[i] + x*to[i]
			}
			m := ot.Masked{P: p, Q: law.Q, Sets: law.Sets}
			c := m.Feasibility()
			feasible, infeasible = feasible || c.Feasible, infeasible || !c.Feasible
			plan := m.Nearest(1e-9, 10_000)
			got := realised(m, plan.LogU)
			if cost := gap(got, p) / 2; cost > c.Deficiency+1e-6 {
				t.Fatalf("step %d: the plan is %v from p, of which %v is needed", step, cost, c.Deficiency)
			}
			var now []tensor.Vector
			for _, set := range m.Sets {
				now = append(now, weights(plan.LogU, set))
			}
			for j := range last {
				jump = max(jump, gap(last[j], now[j])*m.Q[j])
			}
			last = now
		}
		if feasible && infeasible {
			crossed++
		}
		if jump > 0.02 { // p moves by at most 2/steps
			t.Errorf("weights jump by %v in a step of %v", jump, 2./steps)
		}
	}
	if crossed < 6 {
		t.Errorf("only %d paths cross the boundary", crossed)
	}
}
