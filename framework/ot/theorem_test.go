package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestTheorem1 compares the maximal flow and its cuts with p(I) ≤ f(I) for all I, on
// feasible and infeasible problems.
func TestTheorem1(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	feasible := 0
	for round := range 600 {
		m := random(rng, 1+rng.IntN(7), 1+rng.IntN(9))
		if round%2 == 0 {
			m = planted(m, gauss(rng, len(m.P), 2))
		}
		mustCheck(t, m)
		excess, smallest, largest := hall(m)
		c := m.Feasibility()
		if c.Feasible {
			feasible++
			if excess > 1e-9 || c.Flow != 1 || c.Deficiency != 0 || c.Minimal != nil {
				t.Fatalf("%+v: feasible with %+v, but the excess is %g", m, c, excess)
			}
			continue
		}
		if math.Abs(c.Deficiency-excess) > 1e-12 || math.Abs(c.Flow-1+excess) > 1e-12 ||
			math.Abs(c.Mass-c.Reach-excess) > 1e-12 || c.Bound {
			t.Fatalf("%+v: %+v, but the excess is %g", m, c, excess)
		}
		low, high := elements(smallest), elements(largest)
		if !slices.Equal(c.Minimal, low) || !slices.Equal(c.Maximal, high) {
			t.Fatalf("%+v: %+v, want %v and %v", m, c, low, high)
		}
	}
	if feasible < 300 || feasible > 550 {
		t.Errorf("%d problems were feasible: the test looks at one side only", feasible)
	}
}

// TestFlowAgainstGonum compares the flow with gonum's on problems too large for subsets.
func TestFlowAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		m := random(rng, 30, 60)
		g := simple.NewWeightedDirectedGraph(0, 0)
		source, sink := simple.Node(90), simple.Node(91)
		edge := func(from, to int64, w float64) {
			g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(from), T: simple.Node(to), W: w})
		}
		for i, p := range m.P {
			edge(source.ID(), int64(i), p)
		}
		for j, set := range m.Sets {
			edge(int64(len(m.P)+j), sink.ID(), m.Q[j])
			for _, i := range set {
				edge(int64(i), int64(len(m.P)+j), 2)
			}
		}
		want := network.MaxFlowDinic(g, source, sink, 1e-15)
		if got := m.Feasibility().Flow; math.Abs(got-want) > 1e-9 {
			t.Errorf("flow %v, gonum finds %v", got, want)
		}
	}
}

// TestUnbiasedWhenFeasible: Σ_A q_A Y[i, A] = pᵢ, and every column of Y sums to 1.
func TestUnbiasedWhenFeasible(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		m := random(rng, 1+rng.IntN(12), 1+rng.IntN(20))
		m = planted(m, gauss(rng, len(m.P), 2))
		plan := m.Scale(1e-12, 5000)
		if !plan.Converged || gap(realised(m, plan.LogU), m.P) > 2e-12 {
			t.Fatalf("%+v: %+v", m, plan)
		}
		for _, set := range m.Sets {
			if s := weights(plan.LogU, set).Sum(); math.Abs(s-1) > 1e-14 {
				t.Fatalf("weights of %v sum to %v", set, s)
			}
		}
	}
}

// TestBothFormsOfAlgorithm1Agree compares N numbers log u with the dense plan, which may
// begin anywhere of the form diag(u)·mask·diag(v).
func TestBothFormsOfAlgorithm1Agree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		m := random(rng, 2+rng.IntN(6), 2+rng.IntN(12))
		m.Q = unit(len(m.Q), func(float64) float64 { return 0.5 + rng.Float64() })
		m.Sets[0] = elements(1<<len(m.P) - 1) // all clients, so that the dense form stays fast
		m = planted(m, gauss(rng, len(m.P), 0.7))
		s := subject{Masked: m, plan: m.Scale(1e-13, 5000)}
		for _, u := range []tensor.Vector{even(len(m.P)), m.P} {
			plan := spread(m, u)
			fit(m, plan, 5000)
			if far := s.farthest(plan); far > 1e-9 {
				t.Fatalf("%+v: an entry of T is off by %g", m, far)
			}
		}
	}
}

// TestTiersAreTheLexicographicallyOptimalBase compares the decomposition by flows with
// the definition by subsets.
func TestTiersAreTheLexicographicallyOptimalBase(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		m := random(rng, 1+rng.IntN(7), 1+rng.IntN(9))
		got, want := m.Tiers(), peel(m)
		if !slices.EqualFunc(got, want, func(a, b ot.Tier) bool {
			return slices.Equal(a.Clients, b.Clients) && math.Abs(a.Ratio-b.Ratio) < 1e-9
		}) {
			t.Fatalf("%+v: tiers %v, want %v", m, got, want)
		}
	}
}

// TestDistanceIsDeficiency: TV(p, p̃) = δ for the limit of Algorithm 1, which is known
// exactly from the tiers and reached slowly by sweeps.
func TestDistanceIsDeficiency(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 200 {
		m := random(rng, 1+rng.IntN(7), 1+rng.IntN(9))
		delta := m.Feasibility().Deficiency
		exact := m.TierPlan(1e-12, 5000)
		if !exact.Converged || math.Abs(exact.Residual/2-delta) > 1e-9 {
			t.Fatalf("%+v: TV %v by tiers, deficiency %v", m, exact.Residual/2, delta)
		}
		if g := gap(realised(m, exact.LogU), exact.Marginal); g > 1e-12 {
			t.Fatalf("%+v: the weights realise something else than p̃, by %g", m, g)
		}
		scaled := m.Scale(1e-12, 20000)
		if gap(scaled.Marginal, exact.Marginal) > 1e-3 || scaled.Residual/2 < delta-1e-12 {
			t.Fatalf("%+v: %v by sweeps, %v by tiers", m, scaled.Marginal, exact.Marginal)
		}
	}
}

// TestTierPlanServesEachTierInProportion: p̃ᵢ = ratio·pᵢ on every tier, to 1e-9.
func TestTierPlanServesEachTierInProportion(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		m := random(rng, 1+rng.IntN(20), 1+rng.IntN(30))
		plan, last := m.TierPlan(1e-12, 5000), -1.0
		for _, tier := range m.Tiers() {
			if tier.Ratio <= last {
				t.Fatalf("%+v: ratio %v after %v", m, tier.Ratio, last)
			}
			last = tier.Ratio
			for _, i := range tier.Clients {
				if math.Abs(plan.Marginal[i]-tier.Ratio*m.P[i]) > 1e-9 {
					t.Fatalf("%+v: client %d gets %v", m, i, plan.Marginal[i])
				}
			}
		}
	}
}

// TestSoftStationarity: u = (p/p̃)^λ, on feasible and infeasible problems.
func TestSoftStationarity(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		m := random(rng, 1+rng.IntN(8), 1+rng.IntN(12))
		for _, kappa := range []float64{0.1, 0.5, 0.9, 0.99} {
			plan := m.Soften(kappa, 1e-11, 20000)
			if !plan.Converged {
				t.Fatalf("%+v, κ = %v: no convergence", m, kappa)
			}
			lambda := kappa / (1 - kappa)
			shift := math.NaN()
			for i, p := range m.P {
				if p == 0 || plan.Marginal[i] == 0 {
					continue
				}
				off := plan.LogU[i] - lambda*math.Log(p/plan.Marginal[i])
				if math.IsNaN(shift) {
					shift = off
				}
				if math.Abs(off-shift) > 1e-11*2/(1-kappa) {
					t.Fatalf("%+v, κ = %v: client %d is off by %g", m, kappa, i, off-shift)
				}
			}
		}
	}
}

// TestRenamingClientsAndCohorts: relabelled problems have relabelled answers.
func TestRenamingClientsAndCohorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 100 {
		m := random(rng, 2+rng.IntN(8), 2+rng.IntN(12))
		name, order := rng.Perm(len(m.P)), rng.Perm(len(m.Q))
		other := ot.Masked{P: make(tensor.Vector, len(m.P))}
		for i, p := range m.P {
			other.P[name[i]] = p
		}
		for _, j := range order {
			other.Q = append(other.Q, m.Q[j])
			other.Sets = append(other.Sets, renamed(m.Sets[j], name))
		}
		a, b := m.Feasibility(), other.Feasibility()
		if math.Abs(a.Deficiency-b.Deficiency) > 1e-14 ||
			!slices.Equal(renamed(a.Minimal, name), b.Minimal) ||
			!slices.Equal(renamed(a.Maximal, name), b.Maximal) {
			t.Fatalf("%+v: %+v becomes %+v", m, a, b)
		}
		for _, solve := range []func(ot.Masked) ot.Plan{
			func(m ot.Masked) ot.Plan { return m.Scale(1e-11, 200) },
			func(m ot.Masked) ot.Plan { return m.Soften(0.9, 1e-11, 2000) },
			func(m ot.Masked) ot.Plan { return m.TierPlan(1e-11, 2000) },
		} {
			before, after := solve(m), solve(other)
			for i := range m.P {
				if math.Abs(before.Marginal[i]-after.Marginal[name[i]]) > 1e-9 {
					t.Fatalf("%+v: client %d has %v, then %v", m, i, before, after)
				}
			}
		}
	}
}

// renamed returns the new names of the members of set, ascending; nil for nil.
func renamed(set, name []int) []int {
	var out []int
	for _, i := range set {
		out = append(out, name[i])
	}
	slices.Sort(out)
	return out
}
