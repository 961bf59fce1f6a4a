package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A march runs an Ascent over cohorts one after the other.
type march struct {
	ot.Ascent
	p, state, delivered tensor.Vector
	rounds              int
}

func newMarch(s ot.Ascent, p tensor.Vector) *march {
	return &march{Ascent: s, p: p,
		state: make(tensor.Vector, 2*len(p)), delivered: make(tensor.Vector, len(p))}
}

// meet shows the ascent one more cohort and returns its weights.
func (m *march) meet(set []int) tensor.Vector {
	w := make(tensor.Vector, len(set))
	m.Observe(w, m.p, m.state, m.rounds, set)
	for k, i := range set {
		m.delivered[i] += w[k]
	}
	m.rounds++
	return w
}

// logU returns a as it is now.
func (m *march) logU() tensor.Vector {
	a := make(tensor.Vector, len(m.p))
	m.LogU(a, m.p, m.state, m.rounds)
	return a
}

// short returns ‖delivered/rounds − p‖₁.
func (m *march) short() float64 {
	mean := m.delivered.Clone()
	mean.Scale(1 / float64(m.rounds))
	return gap(mean, m.p)
}

func TestAscentGolden(t *testing.T) {
	for _, g := range readGolden(t, "aggregation.json") {
		if g.Name != "online_luce_dual_ascent" {
			continue
		}
		var in struct {
			P    tensor.Vector
			Eta  float64
			Sets [][]int `json:"set_sequence"`
		}
		g.inputs(t, &in)
		m := newMarch(ot.Ascent{Step: in.Eta}, in.P)
		for _, set := range in.Sets {
			if m.meet(set); m.rounds == 10 {
				g.check(t, "a_after_10", m.logU())
			}
		}
		g.check(t, "a_after_40", m.logU())
		g.check(t, "delivered_mass", m.delivered)
		g.check(t, "delivered_minus_target_l1_per_round", m.short())
		return
	}
	t.Error("the case is missing")
}

// TestTelescoping: a_T = η(T·p − delivered mass) for any sequence of cohorts.
func TestTelescoping(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	for range 50 {
		n := 2 + rng.IntN(10)
		m := newMarch(ot.Ascent{Step: 0.1 + rng.Float64()}, even(n))
		for range 200 {
			set := rng.Perm(n)[:1+rng.IntN(n)]
			slices.Sort(set)
			m.meet(set)
		}
		for i, a := range m.logU() {
			want := m.Step * (float64(m.rounds)*m.p[i] - m.delivered[i])
			if math.Abs(a-want) > 1e-10 && math.Abs(a) < 20 {
				t.Fatalf("a[%d] is %v, want %v", i, a, want)
			}
		}
	}
}

// TestLazyIsEager compares the closed form between two visits with the recursion on all
// clients in every round, with and without a leak.
func TestLazyIsEager(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	for _, s := range []ot.Ascent{{Step: 0.5}, {Step: 0.5, Leak: 0.01}, {Step: 1, Leak: 0.9}} {
		n := 12
		m := newMarch(s, unit(n, func(i float64) float64 { return i * i }))
		a := make(tensor.Vector, n)
		for range 300 {
			set := rng.Perm(n)[:1+rng.IntN(3)]
			slices.Sort(set)
			w := weights(a, set)
			for i := range a {
				a[i] = (1-s.Step*s.Leak)*a[i] + s.Step*m.p[i]
			}
			for k, i := range set {
				a[i] -= s.Step * w[k]
			}
			if got := m.meet(set); gap(got, w) > 1e-11 {
				t.Fatalf("%+v, round %d: weights %v, want %v", s, m.rounds, got, w)
			}
			if gap(m.logU(), a) > 1e-10 {
				t.Fatalf("%+v, round %d: a is %v, want %v", s, m.rounds, m.logU(), a)
			}
		}
	}
}

// TestMeanWeightTendsToImportance: like 1/T, for cohorts that go round in a circle and for
// independent ones.
func TestMeanWeightTendsToImportance(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 23))
	p := unit(20, func(i float64) float64 { return 20 + i })
	for name, next := range map[string]func(round int) []int{
		"cyclic":      func(t int) []int { return []int{t % 20, (t + 1) % 20, (t + 3) % 20} },
		"independent": func(int) []int { return rng.Perm(20)[:3] },
	} {
		m := newMarch(ot.Ascent{Step: 1}, p)
		early := 0.0
		for m.rounds < 20000 {
			set := next(m.rounds)
			slices.Sort(set)
			if m.meet(set); m.rounds == 1000 {
				early = m.short()
			}
		}
		if late := m.short(); late > 2e-3 || late > early/10 {
			t.Errorf("%s: the mean weight misses p by %g after 1000 rounds, %g after 20000",
				name, early, late)
		}
	}
}

// TestInfeasibleAscentStaysBounded: by clipping without a leak; with one, near the
// solution of p − P(a) = leak·a.
func TestInfeasibleAscentStaysBounded(t *testing.T) {
	law := ot.Masked{
		P: tensor.Vector{0.8, 0.1, 0.1}, Q: even(3), Sets: [][]int{{0, 1}, {1, 2}, {0, 2}},
	}
	for _, s := range []ot.Ascent{{Step: 1}, {Step: 0.02, Leak: 0.1}} {
		m := newMarch(s, law.P)
		mean := make(tensor.Vector, 3)
		for range 30000 {
			m.meet(law.Sets[m.rounds%3])
			mean.AddScaled(1./30000, m.logU())
		}
		for i, a := range m.logU() {
			if math.Abs(a) > 20 || math.IsNaN(a) {
				t.Errorf("%+v: a[%d] is %v", s, i, a)
			}
			off := law.P[i] - realised(law, mean)[i] - s.Leak*mean[i]
			if s.Leak > 0 && math.Abs(off) > 5e-3 {
				t.Errorf("%+v: p − P(a) misses leak·a by %g at client %d", s, off, i)
			}
		}
	}
}

// TestObserveTouchesTheCohortOnly: its cost is that of the cohort, it allocates nothing,
// and clients without importance get nothing beside others.
func TestObserveTouchesTheCohortOnly(t *testing.T) {
	p := unit(1000, func(i float64) float64 { return i - 1 })
	m := newMarch(ot.Ascent{Step: 1, Leak: 0.1}, p)
	for range 50 {
		m.meet([]int{0, 3, 500, 999})
	}
	before := m.state.Clone()
	if w := m.meet([]int{0, 3, 998}); w[0] != 0 || math.Abs(w.Sum()-1) > 1e-15 {
		t.Errorf("weights %v", w)
	}
	for i := range p {
		same := slices.Equal(before[2*i:2*i+2], m.state[2*i:2*i+2])
		if touched := i == 3 || i == 998; same == touched {
			t.Errorf("client %d: state changed: %t", i, !same)
		}
	}
	if w := m.meet([]int{0}); w[0] != 1 {
		t.Errorf("a client alone has weight %v", w[0])
	}
	w, set := make(tensor.Vector, 3), []int{1, 2, 3}
	if n := testing.AllocsPerRun(10, func() { m.Observe(w, p, m.state, 60, set) }); n != 0 {
		t.Errorf("%v allocations per cohort", n)
	}
}
