package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// ring returns the problem of n clients whose cohorts are pairs of neighbours. Plain sweeps need
// tens of thousands here, as information moves by one neighbour at a time.
func ring(rng *rand.Rand, n int, sd float64) ot.Masked {
	m := ot.Masked{P: make(tensor.Vector, n), Sets: [][]int{{0, n - 1}}}
	for i := range n - 1 {
		m.Sets = append(m.Sets, []int{i, i + 1})
	}
	m.Q = unit(n, func(float64) float64 { return rng.Float64() })
	return planted(m, gauss(rng, n, sd))
}

// loner returns m with half of the mass for one more client, which is always alone in its cohort.
func loner(m ot.Masked) ot.Masked {
	m.P, m.Q = append(m.P.Clone(), 1), append(m.Q.Clone(), 1)
	m.P.Scale(0.5)
	m.Q.Scale(0.5)
	m.Sets = append(m.Sets, []int{len(m.P) - 1})
	return m
}

// triples returns the problem where any three of n clients come, and the first one needs
// almost all the cohorts that it is in.
func triples(n int) ot.Masked {
	m := ot.Masked{}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				m.Sets = append(m.Sets, []int{i, j, k})
			}
		}
	}
	m.Q = even(len(m.Sets))
	first := 2.999 / float64(n)
	m.P = append(tensor.Vector{first}, even(n-1)...)
	m.P[1:].Scale(1 - first)
	return m
}

// TestHardProblemsConverge: with plain sweeps alone each of these would need 5,000 or more.
func TestHardProblemsConverge(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	linear := func(i float64) float64 { return 101 - i }
	for name, m := range map[string]ot.Masked{
		"nearly tight": pairs(unit(100, linear), even(100)),
		"steep":        planted(pairs(even(100), even(100)), gauss(rng, 100, 20)),
		"ring":         ring(rng, 100, 1),
		"with a loner": loner(ring(rng, 99, 1)),
		"triples":      triples(20),
		"steep ring":   ring(rng, 100, 3),
		"tight": {
			P: tensor.Vector{0.7, 0.1, 0.2}, Q: tensor.Vector{0.4, 0.3, 0.3},
			Sets: [][]int{{0, 1}, {1, 2}, {0, 2}},
		},
	} {
		mustCheck(t, m)
		plan := m.Scale(1e-11, 2000)
		if !plan.Converged || plan.Residual > 1.1e-11 || plan.Sweeps > 2000 {
			t.Errorf("%s: residual %g after %d sweeps", name, plan.Residual, plan.Sweeps)
		}
		if g := gap(realised(m, plan.LogU), m.P); g > 1e-10 {
			t.Errorf("%s: the weights realise p up to %g only", name, g)
		}
	}
}

// TestPublishedSettingsByPlainSweeps: the four infeasible settings of the FedAVOT paper and
// code come to rest near the exact p̃, finite all the way, and say that they did not converge.
func TestPublishedSettingsByPlainSweeps(t *testing.T) {
	for _, g := range readGolden(t, "masked_ot.json") {
		if len(g.Name) < 4 || g.Name[:4] != "n100" {
			continue
		}
		s := newSubject(t, g)
		plan := s.Scale(1e-10, 1000)
		if plan.Converged || plan.Sweeps > 1000 {
			t.Errorf("%s: %d sweeps, converged %t", g.Name, plan.Sweeps, plan.Converged)
		}
		if far := gap(plan.Marginal, s.plan.Marginal); far > 1e-4 {
			t.Errorf("%s: p̃ is off by %g", g.Name, far)
		}
		if math.Abs(plan.Residual/2-s.certificate.Deficiency) > 1e-10 {
			t.Errorf("%s: TV %v, deficiency %v", g.Name, plan.Residual/2, s.certificate.Deficiency)
		}
		if g := gap(realised(s.Masked, plan.LogU), plan.Marginal); g > 1e-9 {
			t.Errorf("the weights realise something else than they say, by %g", g)
		}
	}
}

// TestInfeasibleProblemsComeToRest: sweeps end well before a huge limit, in every way in
// which a problem can be infeasible.
func TestInfeasibleProblemsComeToRest(t *testing.T) {
	for name, m := range map[string]ot.Masked{
		"a client asks for too much": {
			P: tensor.Vector{0.7, 0.1, 0.1, 0.1}, Q: even(6),
			Sets: [][]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
		},
		"a cohort has no importance": {
			P: tensor.Vector{0.6, 0.4, 0, 0}, Q: tensor.Vector{0.7, 0.3},
			Sets: [][]int{{0, 1}, {2, 3}},
		},
		"a client is in no cohort": {
			P: tensor.Vector{0.3, 0.3, 0.4}, Q: tensor.Vector{0.6, 0.4}, Sets: [][]int{{0, 1}, {1}},
		},
		"no client with p > 0 is in a cohort": {
			P: tensor.Vector{0, 1}, Q: tensor.Vector{1}, Sets: [][]int{{0}},
		},
	} {
		mustCheck(t, m)
		delta := m.Feasibility().Deficiency
		plan := m.Scale(1e-10, 1<<30)
		if plan.Converged || math.Abs(plan.Residual/2-delta) > 1e-9 {
			t.Errorf("%s: %+v, deficiency %v", name, plan, delta)
		}
		for _, plan := range []ot.Plan{plan, m.TierPlan(1e-10, 1000), m.Soften(0.9, 1e-10, 1000)} {
			if g := gap(realised(m, plan.LogU), plan.Marginal); g > 1e-12 {
				t.Errorf("%s: weights and marginal differ by %g", name, g)
			}
			for i, a := range plan.LogU {
				if a > 0 || math.IsNaN(a) || math.IsInf(a, -1) != (m.P[i] == 0) {
					t.Errorf("%s: log u is %v", name, plan.LogU)
				}
			}
			if slices.Max(plan.LogU) != 0 || gap(plan.Marginal, m.P) != plan.Residual {
				t.Errorf("%s: %+v", name, plan)
			}
		}
	}
}

// TestSoftProblemsConvergeFast: with plain sweeps alone, which contract by κ, 2000 sweeps
// would be needed.
func TestSoftProblemsConvergeFast(t *testing.T) {
	m := infeasible()
	plan := m.Soften(0.99, 1e-11, 200)
	if !plan.Converged || gap(realised(m, plan.LogU), plan.Marginal) > 1e-11 {
		t.Errorf("%d sweeps, converged %t", plan.Sweeps, plan.Converged)
	}
}

// TestSmallestProblems covers one client, one cohort and equal answers that are known.
func TestSmallestProblems(t *testing.T) {
	alone := ot.Masked{P: tensor.Vector{1}, Q: tensor.Vector{1}, Sets: [][]int{{0}}}
	all := ot.Masked{P: tensor.Vector{0.2, 0.3, 0.5}, Q: tensor.Vector{1}, Sets: [][]int{{0, 1, 2}}}
	tiny := ot.Masked{P: tensor.Vector{1, 1e-300}, Q: tensor.Vector{1}, Sets: [][]int{{0, 1}}}
	for name, m := range map[string]ot.Masked{"alone": alone, "all": all, "tiny": tiny} {
		mustCheck(t, m)
		plan := m.Scale(1e-15, 100)
		if !plan.Converged || gap(weights(plan.LogU, m.Sets[0]), m.P) > 1e-15 {
			t.Errorf("%s: %+v", name, plan)
		}
		if tiers := m.Tiers(); len(tiers) != 1 || math.Abs(tiers[0].Ratio-1) > 1e-15 {
			t.Errorf("%s: tiers %v", name, tiers)
		}
	}
	if plan := all.Soften(0, 1e-15, 100); gap(plan.Marginal, even(3)) > 1e-15 || !plan.Converged {
		t.Errorf("κ = 0 gives %v", plan.Marginal)
	}
	if plan := all.Scale(1e-15, 0); plan.Sweeps != 0 || gap(plan.Marginal, even(3)) > 1e-15 {
		t.Errorf("no sweep gives %+v", plan)
	}
}

// TestNoSweepAllocates: a hundred sweeps more cost no allocation more, whether by sweeps or
// by Newton steps, near or far.
func TestNoSweepAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	steep := unit(20, func(i float64) float64 { return math.Exp(-i) })
	for name, m := range map[string]ot.Masked{
		"feasible":        ring(rng, 200, 4),
		"infeasible":      pairs(steep, even(20)),
		"of random sizes": random(rng, 20, 60),
	} {
		for kind, solve := range map[string]func(sweeps int) ot.Plan{
			"scale":  func(sweeps int) ot.Plan { return m.Scale(0, sweeps) },
			"soften": func(sweeps int) ot.Plan { return m.Soften(0.9999, 0, sweeps) },
		} {
			if n := solve(400).Sweeps; n != 400 {
				t.Errorf("%s, %s: over after %d sweeps", name, kind, n)
			}
			few := testing.AllocsPerRun(3, func() { solve(300) })
			many := testing.AllocsPerRun(3, func() { solve(400) })
			if many != few {
				t.Errorf("%s, %s: %v allocations for 300 sweeps, %v for 400", name, kind, few, many)
			}
		}
	}
}

// TestWeights covers the edges of the softmax.
func TestWeights(t *testing.T) {
	inf := math.Inf(-1)
	logU := tensor.Vector{0, -1000, inf, inf, -1e6, -1e6 - math.Ln2}
	for _, c := range []struct {
		set  []int
		want tensor.Vector
	}{
		{[]int{}, tensor.Vector{}},
		{[]int{2}, tensor.Vector{1}},
		{[]int{2, 3}, tensor.Vector{0.5, 0.5}},
		{[]int{0, 2}, tensor.Vector{1, 0}},
		{[]int{0, 1, 2}, tensor.Vector{1, 0, 0}},
		{[]int{4, 5}, tensor.Vector{2. / 3, 1. / 3}},
	} {
		if got := weights(logU, c.set); gap(got, c.want) > 1e-10 {
			t.Errorf("weights of %v are %v, want %v", c.set, got, c.want)
		}
	}
}
