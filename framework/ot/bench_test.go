package ot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// linear is a feasible, nearly tight problem of 100 clients and all 4950 pairs of them.
func linear() ot.Masked {
	return pairs(unit(100, func(i float64) float64 { return 101 - i }), even(100))
}

// perSweep reports the time that b spent on each of so many sweeps per iteration.
func perSweep(b *testing.B, sweeps int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sweeps), "ns/sweep")
}

// BenchmarkScale runs 1000 plain sweeps over all pairs of 100 clients, of a problem that
// is just infeasible, so that no Newton step cuts them short.
func BenchmarkScale(b *testing.B) {
	m := pairs(unit(100, func(i float64) float64 { return math.Pow(101-i, 1.1) }), even(100))
	for b.Loop() {
		if n := m.Scale(0, 1000).Sweeps; n != 1000 {
			b.Fatalf("%d sweeps", n)
		}
	}
	perSweep(b, 1000)
}

// BenchmarkDense runs sweeps over as many pairs in the dense form u ← p ⊘ (mask·v),
// v ← q ⊘ (maskᵀ·u).
func BenchmarkDense(b *testing.B) {
	m := linear()
	u, v := make(tensor.Vector, len(m.P)), make(tensor.Vector, len(m.Q))
	mask := tensor.NewMatrix(len(m.P), len(m.Q))
	for j, set := range m.Sets {
		v[j] = m.Q[j] / 2
		for _, i := range set {
			mask.Row(i)[j] = 1
		}
	}
	for b.Loop() {
		for range 10 {
			kernel.Gemv(u, mask.Data, v)
			for i := range u {
				u[i] = m.P[i] / u[i]
			}
			clear(v)
			kernel.GemvT(v, mask.Data, u)
			for j := range v {
				v[j] = m.Q[j] / v[j]
			}
		}
	}
	perSweep(b, 10)
}

// BenchmarkScaleToTheEnd solves to 1e-10, Newton steps and flow included.
func BenchmarkScaleToTheEnd(b *testing.B) {
	m, sweeps := linear(), 0
	for b.Loop() {
		sweeps = m.Scale(1e-10, 2000).Sweeps
	}
	perSweep(b, sweeps)
}

// infeasible is the coordinated setting of the FedAVOT paper.
func infeasible() ot.Masked {
	return pairs(unit(100, func(i float64) float64 { return math.Exp(-i / 10) }), even(100))
}

func BenchmarkInfeasibleScale(b *testing.B) {
	m := infeasible()
	for b.Loop() {
		m.Scale(1e-10, 2000)
	}
	perSweep(b, 2000)
}

func BenchmarkFeasibility(b *testing.B) {
	m := infeasible()
	for b.Loop() {
		m.Feasibility()
	}
}

func BenchmarkTierPlan(b *testing.B) {
	m := infeasible()
	for b.Loop() {
		m.TierPlan(1e-10, 2000)
	}
}

// BenchmarkObserve shows cohorts of 100 to populations of different sizes. The cost is
// that of the cohort; what remains of N is the way to memory.
func BenchmarkObserve(b *testing.B) {
	for _, n := range []int{1000, 1000000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			p, state, w := even(n), make(tensor.Vector, 2*n), make(tensor.Vector, 100)
			sets := make([][]int, 64)
			for k := range sets {
				for len(sets[k]) < 100 {
					sets[k] = append(sets[k], rng.IntN(n/100)+len(sets[k])*(n/100))
				}
			}
			round := 0
			for b.Loop() {
				ot.Ascent{Step: 1}.Observe(w, p, state, round, sets[round%64])
				round++
			}
		})
	}
}

// drawn returns so many cohorts of size clients of n, uniform among those that have a client of each
// of size strata, with an importance that falls linearly.
func drawn(n, size, cohorts int) ot.Masked {
	rng := rand.New(rand.NewPCG(2, 2))
	m := ot.Masked{P: unit(n, func(i float64) float64 { return float64(2*n) - i }), Q: even(cohorts)}
	for range cohorts {
		set := make([]int, size)
		for k := range set {
			set[k] = k*(n/size) + rng.IntN(n/size)
		}
		m.Sets = append(m.Sets, set)
	}
	return m
}

// BenchmarkMinimumVariance solves to 1e-9: all pairs of a hundred clients, where p is attainable and
// where it is not, and cohorts of a hundred of 10,000 clients.
func BenchmarkMinimumVariance(b *testing.B) {
	for name, m := range map[string]ot.Masked{"pairs": linear(), "infeasible": infeasible(),
		"100-of-10000": drawn(10_000, 100, 10_000)} {
		b.Run(name, func(b *testing.B) {
			steps := 0
			for b.Loop() {
				plan := m.MinimumVariance(1e-9, 5000)
				if steps = plan.Steps; !plan.Converged {
					b.Fatalf("%+v", plan)
				}
			}
			b.ReportMetric(float64(steps), "passes")
		})
	}
}

// BenchmarkFrontier draws the frontier of the same problems.
func BenchmarkFrontier(b *testing.B) {
	for name, m := range map[string]ot.Masked{"pairs": linear(), "infeasible": infeasible(),
		"100-of-10000": drawn(10_000, 100, 10_000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f := m.Frontier(33, 1e-3, 1e-6, 5000)
				b.ReportMetric(float64(len(f.Points)), "points")
				b.ReportMetric(f.Error, "error")
			}
		})
	}
}
