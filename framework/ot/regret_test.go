package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A drama is a sequence of cohorts from laws that change, and of each round the dual solution of its
// law.
type drama struct {
	p         tensor.Vector
	sets      [][]int
	compare   []tensor.Vector // c_t
	variation float64         // V_T = Σ‖c_{t+1} − c_t‖
	longest   float64         // max ‖c_t‖
}

// seasons returns rounds of two laws that take turns of so many rounds, in each of which p is
// attainable: pairs of six clients.
func seasons(rng *rand.Rand, rounds, turn int) *drama {
	d := &drama{p: even(6)}
	var laws [2]ot.Masked
	var best [2]tensor.Vector
	for k := range laws {
		laws[k] = listed(uniform(even(6), 2))
		for j, set := range laws[k].Sets {
			laws[k].Q[j] = 1
			for _, i := range set {
				place := float64(i)
				if k == 1 {
					place = 5 - place
				}
				laws[k].Q[j] *= 1 + 0.08*place
			}
		}
		laws[k].Q.Scale(1 / laws[k].Q.Sum())
		laws[k].P = d.p
		best[k] = laws[k].MinimumVariance(1e-11, 10_000).Lambda.Clone()
		mean := best[k].Sum() / 6 // the same for all adds nothing
		for i := range best[k] {
			best[k][i] -= mean
		}
		d.longest = max(d.longest, best[k].Norm())
	}
	for t := range rounds {
		now := t / turn % 2
		x, j := rng.Float64(), 0
		for q := laws[now].Q[0]; x > q && j < len(laws[now].Q)-1; q += laws[now].Q[j] {
			j++
		}
		d.sets, d.compare = append(d.sets, laws[now].Sets[j]), append(d.compare, best[now])
		if t > 0 {
			d.variation += d.compare[t].Distance(d.compare[t-1])
		}
	}
	return d
}

// dual returns f(a) = max_w ⟨a, w⟩ − ½‖w‖² over weights w of a cohort, less ⟨p, a⟩: convex, with the
// gradient w(a) − p, and least in the mean over a law where its plan is.
func dual(a, p tensor.Vector, set []int) float64 {
	w, sum := make(tensor.Vector, len(set)), 0.0
	ot.Sparsemax(w, a, set)
	for k, i := range set {
		sum += a[i]*w[k] - w[k]*w[k]/2
	}
	return sum - a.Dot(p)
}

// An act is what an ascent makes of a drama.
type act struct {
	regret float64 // Σ f_t(a_t) − f_t(c_t)
	reach  float64 // max ‖a_t‖ + max ‖c_t‖
	tv     float64 // mean of TV(w̄, p) over stretches
}

func (d *drama) play(s ot.Ascent, stretch int) (out act) {
	m := newMarch(s, d.p)
	longest := 0.0
	stretches := 0.0
	for t, set := range d.sets {
		a := m.logU()
		longest = max(longest, a.Norm())
		out.regret += dual(a, d.p, set) - dual(d.compare[t], d.p, set)
		m.meet(set)
		if (t+1)%stretch == 0 {
			m.delivered.Scale(1 / float64(stretch))
			out.tv += gap(m.delivered, d.p) / 2
			stretches++
			clear(m.delivered)
		}
	}
	out.reach = max(longest, m.logU().Norm()) + d.longest
	out.tv /= stretches
	return out
}

// Theorem: against plans that move, over any cohorts, Σ f_t(a_t) − f_t(c_t) is at most
// (R·V_T + B²/2)/η + ηT, with R ≥ ‖a_t‖ + ‖c_t‖ and B ≥ ‖c_1‖, as gradients are no longer than √2. And
// what is missing of p over a stretch of rounds is what a moved by meanwhile, over η.
func TestTheoremRegret(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 4))
	const rounds = 2000
	for _, turn := range []int{1, 10, 100, 1000} {
		d := seasons(rng, rounds, turn)
		for _, step := range []float64{0.001, 0.01, 0.1, 1} {
			got := d.play(ot.Ascent{Step: step, Sparse: true}, 50)
			bound := (got.reach*d.variation+d.longest*d.longest/2)/step + step*rounds
			if got.regret > bound {
				t.Errorf("turns of %d, step %v: regret %v above %v", turn, step, got.regret, bound)
			}
		}
	}
}

// Theorem: over any rounds s to t of any cohorts, TV(w̄, p) ≤ ‖a_t − a_s‖₁/(2η(t−s)), without a leak.
func TestTheoremStretchesFollow(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 5))
	d := seasons(rng, 1000, 37)
	for _, sparse := range []bool{false, true} {
		m := newMarch(ot.Ascent{Step: 0.2, Sparse: sparse}, d.p)
		before := m.logU()
		for k, set := range d.sets {
			if m.meet(set); (k+1)%25 == 0 {
				m.delivered.Scale(1. / 25)
				now := m.logU()
				if tv, most := gap(m.delivered, d.p)/2, gap(now, before)/(2*0.2*25); tv > most+1e-12 {
					t.Fatalf("TV %v, at most %v", tv, most)
				}
				before = now
				clear(m.delivered)
			}
		}
	}
}

// The step that the theory sets, η = √(R·v), beside others: the bound holds, and where the plan moves
// slowly no other step has much less regret; where it moves fast, a worst case is assumed that does
// not occur. The regret is of the dual: over few rounds p̃ is nearer to p with every larger step. With
// -v it prints what experiments/frontier/time.md has.
func TestStepByTheory(t *testing.T) {
	const rounds = 20_000
	for _, turn := range []int{10, 50, 200, 1000} {
		d := seasons(rand.New(rand.NewPCG(25, uint64(turn))), rounds, turn)
		least, nearest, v := math.Inf(1), math.Inf(1), d.variation/rounds
		for _, step := range []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1} {
			got := d.play(ot.Ascent{Step: step, Sparse: true}, 50)
			t.Logf("turns of %4d, step %.3f: regret %.5f a round, TV over 50 rounds %.4f", turn,
				step, got.regret/rounds, got.tv)
			if got.tv > nearest {
				t.Errorf("turns of %d: TV is %v with step %v, less with a smaller one", turn,
					got.tv, step)
			}
			least, nearest = min(least, got.regret/rounds), got.tv
		}
		theory := math.Sqrt(2 * d.longest * v)
		got := d.play(ot.Ascent{Step: theory, Sparse: true}, 50)
		bound := (got.reach*v+d.longest*d.longest/(2*rounds))/theory + theory
		t.Logf("turns of %4d, v = %.5f, R = %.3f, step by theory %.3f: regret %.5f a round, "+
			"at most %.5f; TV over 50 rounds %.4f", turn, v, 2*d.longest, theory,
			got.regret/rounds, bound, got.tv)
		if regret := got.regret / rounds; regret > bound || turn == 1000 && regret > 1.2*least {
			t.Errorf("turns of %d: regret %v, bound %v, least %v", turn, regret, bound, least)
		}
	}
}

// What the plans of experiments/frontier/time.toml move by from one phase to the other, which is
// where it has its variation and reach from. The drift goes there and back in 1000 rounds, phases
// change every 50 rounds.
func TestVariationOfTheExperiment(t *testing.T) {
	var least, entropic [2]tensor.Vector
	for k := range least {
		s := ot.Independent{P: even(12), Chance: make(tensor.Vector, 12)}
		for i := range s.Chance {
			place := float64(i + 1)
			if k == 1 {
				place = float64(12 - i)
			}
			s.Chance[i] = math.Pow(place, 0.4)
		}
		s.Chance.Scale(0.3 * 12 / s.Chance.Sum())
		m := listed(s)
		if !m.Feasibility().Feasible {
			t.Fatal("p is unattainable within a phase")
		}
		least[k], entropic[k] = m.MinimumVariance(1e-10, 10_000).Lambda, m.Scale(1e-10, 10_000).LogU
		for _, x := range []tensor.Vector{least[k], entropic[k]} {
			mean := x.Sum() / 12
			for i := range x {
				x[i] -= mean
			}
		}
	}
	for name, x := range map[string][2]tensor.Vector{"λ": least, "log u": entropic} {
		apart := x[0].Distance(x[1])
		t.Logf("%s: longest %.3f, apart by %.3f: v = %.5f with phases, %.5f with the drift", name,
			max(x[0].Norm(), x[1].Norm()), apart, apart/50, 2*apart/1000)
		if apart < 0.1 {
			t.Errorf("%s: plans of phases are %v apart", name, apart)
		}
	}
}
