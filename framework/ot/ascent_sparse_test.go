package ot_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestSparseAscentTelescopes: λ = η(T·p − what was given), for any sequence of cohorts.
func TestSparseAscentTelescopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	for range 50 {
		n := 2 + rng.IntN(10)
		m := newMarch(ot.Ascent{Step: 0.05 + 0.2*rng.Float64(), Sparse: true}, even(n))
		for range 200 {
			set := rng.Perm(n)[:1+rng.IntN(n)]
			slices.Sort(set)
			m.meet(set)
		}
		want := m.delivered.Clone()
		for i, p := range m.p {
			want[i] = m.Step * (float64(m.rounds)*p - m.delivered[i])
		}
		if d := gap(m.logU(), want); d > 1e-10 {
			t.Fatalf("λ is %g away", d)
		}
	}
}

// TestSparseAscentFindsTheMinimum: over rounds the mean weights tend to p, and with small steps the
// variance tends to that of MinimumVariance, below that of the entropic plan.
func TestSparseAscentFindsTheMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 2))
	law := planted(listed(uniform(even(8), 3)), tensor.Vector{0, -3, 1, 2, -1, -2, 0, 1})
	exact := law.MinimumVariance(1e-12, 1000)
	entropic, _ := squares(law, func(set []int) tensor.Vector {
		return weights(law.Scale(1e-12, 1000).LogU, set)
	})
	const burn, rounds = 10_000, 60_000
	m := newMarch(ot.Ascent{Step: 0.005, Sparse: true}, law.P)
	variance := 0.0
	for t := range burn + rounds {
		if t == burn {
			clear(m.delivered)
		}
		w := m.meet(law.Sets[rng.IntN(len(law.Sets))])
		if t >= burn {
			variance += w.Dot(w) / rounds
		}
	}
	m.delivered.Scale(1. / rounds)
	if d := gap(m.delivered, law.P); d > 0.01 {
		t.Errorf("the mean weight misses p by %g", d)
	}
	t.Logf("variance %.5f, least %.5f, entropic %.5f", variance, exact.Variance, entropic)
	if variance > entropic || variance > 1.01*exact.Variance || variance < 0.99*exact.Variance {
		t.Errorf("variance %v, least %v, entropic %v", variance, exact.Variance, entropic)
	}
}
