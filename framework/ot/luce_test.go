package ot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// crowded returns the choice of a random problem of n clients, with cohorts of one, two
// and more members.
func crowded(rng *rand.Rand, n int) *luce {
	m := Masked{P: make(tensor.Vector, n)}
	keep := make([]bool, n)
	for i := range keep {
		m.P[i], keep[i] = 1/float64(n), true
	}
	for size := range 60 {
		set := rng.Perm(n)[:1+size%4]
		slices.Sort(set)
		m.Sets = append(m.Sets, set)
		m.Q = append(m.Q, rng.Float64()/30)
	}
	return newLuce(m.block(keep))
}

// TestMarginalsNearAndFar compares the linear form with the exact one, and both with the
// definition, up to the edge of the linear range.
func TestMarginalsNearAndFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	for _, spread := range []float64{0, 1, 30, 599, 3000} {
		l := crowded(rng, 12)
		a := make(tensor.Vector, 12)
		for i := range a {
			a[i] = -spread * rng.Float64()
		}
		a[3], a[4] = 0, -spread
		want := make(tensor.Vector, 12)
		for j := range l.q {
			ids := make([]int, len(l.set(j)))
			for k, i := range l.set(j) {
				ids[k] = int(i)
			}
			w := make(tensor.Vector, len(ids))
			Weights(w, a, ids)
			for k, i := range ids {
				want[i] += l.q[j] * w[k]
			}
		}
		near, far := make(tensor.Vector, 12), make(tensor.Vector, 12)
		l.marginal(near, a)
		l.exact(far, a)
		for i := range want {
			if e := 1e-12 * want[i]; math.Abs(near[i]-want[i]) > e || math.Abs(far[i]-want[i]) > e {
				t.Errorf("spread %v, client %d: %v and %v, want %v", spread, i, near[i], far[i], want[i])
			}
		}
	}
}

// TestJacobian compares curve with central differences of the marginal, and bend with
// the diagonal of curve.
func TestJacobian(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 32))
	const n, h = 12, 1e-5
	v := func() tensor.Vector { return make(tensor.Vector, n) }
	for range 20 {
		l, a, x := crowded(rng, n), v(), v()
		for i := range a {
			a[i], x[i] = 2*rng.NormFloat64(), rng.NormFloat64()
		}
		diag, got, ahead, behind := v(), v(), v(), v()
		l.bend(diag, a)
		l.curve(got, x)
		a.AddScaled(h, x)
		l.marginal(ahead, a)
		a.AddScaled(-2*h, x)
		l.marginal(behind, a)
		for i := range got {
			want := (ahead[i] - behind[i]) / (2 * h)
			if math.Abs(got[i]-want) > 1e-8 {
				t.Fatalf("(Hx)[%d] is %v, want %v", i, got[i], want)
			}
			unit, column := v(), v()
			unit[i] = 1
			if l.curve(column, unit); math.Abs(column[i]-diag[i]) > 1e-15 {
				t.Fatalf("H[%d, %[1]d] is %v, want %v", i, diag[i], column[i])
			}
		}
	}
}

// TestLogRatioOfNothing: a share lost to underflow moves no client to infinity.
func TestLogRatioOfNothing(t *testing.T) {
	for _, m := range []float64{0, 5e-324, 1e-310} {
		if r := logRatio(0.5, m); r != 0 {
			t.Errorf("log(0.5/%v) is taken as %v", m, r)
		}
	}
	if r := logRatio(0.5, 0.25); r != math.Ln2 {
		t.Errorf("log 2 is taken as %v", r)
	}
}
