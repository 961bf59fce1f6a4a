package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestInfeasibleMomentsHaveAProof: the direction separates the target from all clients, the nearest
// moments are feasible, and the softened weights meet them.
func TestInfeasibleMomentsHaveAProof(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 2))
	infeasible := 0
	for range 200 {
		k := 1 + rng.IntN(5)
		m := someMoments(rng, 2*k+2+rng.IntN(100), k)
		j := rng.IntN(k)
		m.Target[j] += (m.X.Row(0)[j] - m.Target[j]) * 10 * rng.NormFloat64()
		r, unit := m.Reach(), m.ranges()
		if r.Feasible {
			continue
		}
		infeasible++
		beyond := func(i int) float64 {
			h := m.X.Row(i).Clone()
			h.Sub(m.Target)
			return h.Dot(r.Direction)
		}
		margin, length := math.Inf(1), 0.0
		for i := range m.X.Rows {
			margin = min(margin, beyond(i))
		}
		for j, u := range unit {
			length = math.Hypot(length, u*r.Direction[j])
		}
		tolerance{1e-12, 0}.one(t, "length", length, 1)
		tolerance{1e-9, 0}.one(t, "margin", margin, r.Margin)
		if !(r.Margin > 0) || math.Abs(r.Margin-r.Distance) > 1e-11*(1+r.Distance) {
			t.Fatalf("no proof: %+v", r)
		}
		for name, calibrate := range calibrators {
			w := make(tensor.Vector, m.X.Rows)
			c := calibrate(m, w)
			for i, x := range w {
				if beyond(i) > r.Margin+1e-8 && x != 0 {
					t.Fatalf("%s: a client off the face has a weight of %v", name, x)
				}
			}
			nearest := &Moments{X: m.X, Target: r.Nearest}
			if again := nearest.Reach(); !c.Converged || !again.Feasible {
				t.Fatalf("%s: %+v, nearest %+v", name, c, again)
			}
			for j, met := range c.Met {
				if math.Abs(met-r.Nearest[j]) > 1e-10*unit[j]*(1+r.Distance) {
					t.Fatalf("%s meets %v, nearest %v", name, c.Met, r.Nearest)
				}
			}
		}
	}
	if infeasible < 40 {
		t.Errorf("%d of 200 targets cannot be met", infeasible)
	}
}

// TestUnreachableMomentsAreTheLimit of vanishing noise, on the face next to the target.
func TestUnreachableMomentsAreTheLimit(t *testing.T) {
	square := matrix([]tensor.Vector{{0, 0}, {0, 1}, {1, 0}, {1, 0.5}, {1, 1}, {0.9, 0.9}})
	for _, c := range []struct {
		target, quadratic tensor.Vector
	}{
		{tensor.Vector{4, 0.5}, tensor.Vector{0, 0, 1. / 3, 1. / 3, 1. / 3, 0}},
		{tensor.Vector{4, 7}, tensor.Vector{0, 0, 0, 0, 1, 0}},
		{tensor.Vector{-1, 0.25}, tensor.Vector{0.75, 0.25, 0, 0, 0, 0}},
		{tensor.Vector{4, 0.7}, tensor.Vector{0, 0, 2. / 15, 1. / 3, 8. / 15, 0}},
	} {
		m := Moments{X: square, Target: c.target}
		for name, calibrate := range calibrators {
			w, soft := make(tensor.Vector, 6), make(tensor.Vector, 6)
			m.Noise = nil
			hard := calibrate(&m, w)
			if name == "quadratic" {
				tolerance{1e-10, 0}.all(t, name, w, c.quadratic)
			}
			m.Noise = tensor.Vector{1e-4, 1e-4}
			if near := calibrate(&m, soft); !hard.Converged || !near.Converged {
				t.Errorf("%s: %+v, %+v", name, hard, near)
			}
			tolerance{1e-5, 0}.all(t, name+" with little noise", soft, w)
		}
	}
}

// TestMomentsOfGroups: covariates of a few values, many clients with the same ones, and targets on
// corners, edges and faces of the feasible set. Either the moments are met or there is a proof.
func TestMomentsOfGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 5))
	feasible := 0
	for range 1500 {
		n, k, values := 2+rng.IntN(60), 1+rng.IntN(6), 2+rng.IntN(2)
		m := Moments{X: tensor.NewMatrix(n, k), Target: make(tensor.Vector, k)}
		for i := range m.X.Data {
			m.X.Data[i] = float64(rng.IntN(values))
		}
		few := 1 + rng.IntN(k+1)
		for range few { // the mean of a few clients
			m.Target.AddScaled(1/float64(few), m.X.Row(rng.IntN(n)))
		}
		inside := rng.IntN(2) == 0
		if !inside {
			m.Target[rng.IntN(k)] += float64(rng.IntN(3)-1) * rng.Float64()
		}
		r := m.Reach()
		if r.Feasible {
			feasible++
		} else if inside || !(r.Margin > 0) || math.Abs(r.Margin-r.Distance) > 1e-12 {
			t.Fatalf("%v for %v: %+v", m.X, m.Target, r)
		}
		for name, calibrate := range calibrators {
			w := make(tensor.Vector, n)
			if c := calibrate(&m, w); !c.Converged || r.Feasible && !(c.Missed <= 1e-10) ||
				c.Reach.Distance != r.Distance || math.Abs(w.Sum()-1) > 1e-11 {
				t.Fatalf("%s of %v for %v: %+v", name, m.X, m.Target, c)
			}
		}
	}
	if feasible < 750 || feasible > 1400 {
		t.Errorf("%d of 1500 targets can be met", feasible)
	}
}
