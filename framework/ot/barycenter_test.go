package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Commuting covariances have the barycenter (Σ wₖΣₖ^½)², which the first iteration finds.
func TestTheoremCommutingCovariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, d := range []int{1, 2, 9, 40} {
		basis, root := symmetric(rng, d), make(tensor.Vector, d)
		w, gs := tensor.Vector{0.2, 0.5, 0.3}, make([]ot.Gaussian, 3)
		for k := range gs {
			lambda := make(tensor.Vector, d)
			for i := range lambda {
				lambda[i] = math.Exp(3 * rng.NormFloat64())
				root[i] += w[k] * math.Sqrt(lambda[i])
			}
			gs[k] = ot.Gaussian{Mean: make(tensor.Vector, d), Cov: turned(t, basis, lambda)}
		}
		root.Mul(root)
		c := mustBarycenter(t, new(ot.Bures), w, gs)
		e := far(c.Cov, turned(t, basis, root))
		if e > 5e-15*float64(d)+1e-14 || c.Iterations != 1 || !c.Converged {
			t.Errorf("d = %d: %v away, %d iterations, residual %v", d, e, c.Iterations, c.Residual)
		}
	}
}

// Of two laws the barycenter lies on the geodesic: B·Σ₁·B with B = (1 − w)I + wA.
func TestTheoremBarycenterOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, d := range []int{1, 3, 8, 30} {
		for _, w := range []float64{0.5, 0.1, 0.93} {
			p, q := gaussian(t, rng, d, 100), gaussian(t, rng, d, 100)
			b := ot.Bures{Tolerance: 1e-12}
			c := mustBarycenter(t, &b, tensor.Vector{1 - w, w}, []ot.Gaussian{p, q})
			want := b.Interpolate(mustMap(t, p, q), p, w)
			if e := far(c.Cov, want.Cov); e > 1e-10 || c.Mean.Distance(want.Mean) > 1e-14 {
				t.Errorf("d = %d, w = %v: %v away", d, w, e)
			}
			square := w * (1 - w) * math.Pow(mustDistance(t, p, still(q, p)), 2)
			if math.Abs(c.Objective-square) > 1e-10*square {
				t.Errorf("d = %d, w = %v: objective %v, want %v", d, w, c.Objective, square)
			}
		}
	}
}

// still returns q with the mean of p.
func still(q, p ot.Gaussian) ot.Gaussian { return ot.Gaussian{Mean: p.Mean, Cov: q.Cov} }

// The objective falls in every iteration, and nothing near the end has a smaller one.
func TestTheoremObjectiveFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for _, d := range []int{2, 7, 20} {
		w, gs := several(t, rng, 4, d, 1e4)
		last := math.Inf(1)
		for n := 1; ; n++ {
			b := ot.Bures{MaxIterations: n}
			c := mustBarycenter(t, &b, w, gs)
			if !(c.Objective <= last*(1+1e-14)) {
				t.Errorf("d = %d: the objective rises from %v to %v", d, last, c.Objective)
			}
			last = c.Objective
			if c.Converged {
				break
			}
			if c.Iterations != n {
				t.Fatalf("%d iterations, %d were allowed", c.Iterations, n)
			}
		}
		c := mustBarycenter(t, new(ot.Bures), w, gs)
		if f := objective(t, w, gs, c.Cov); math.Abs(f-last) > 1e-11*last {
			t.Errorf("d = %d: the objective is %v, not %v", d, f, last)
		}
		for _, size := range []float64{1e-3, 0.1} {
			beside := gaussian(t, rng, d, 1e4).Cov
			nudged := tensor.Matrix{Rows: d, Cols: d, Data: tensor.Vector(c.Cov.Data).Clone()}
			tensor.Vector(nudged.Data).AddScaled(size, beside.Data)
			if f := objective(t, w, gs, nudged); !(f > last) {
				t.Errorf("d = %d: %v beside the barycenter, %v there", d, f, last)
			}
		}
	}
}

// objective returns Σₖ wₖ·B²(s, Σₖ) by its distances.
func objective(t *testing.T, w tensor.Vector, gs []ot.Gaussian, s tensor.Matrix) (sum float64) {
	t.Helper()
	for k, g := range gs {
		sum += w[k] * math.Pow(mustDistance(t, g, ot.Gaussian{Mean: g.Mean, Cov: s}), 2)
	}
	return sum
}

// Both fixed points are the same.
func TestPlainIterationEndsAtTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	w, gs := several(t, rng, 5, 12, 30)
	quick := mustBarycenter(t, &ot.Bures{Tolerance: 1e-12}, w, gs)
	plain := mustBarycenter(t, &ot.Bures{Plain: true, Tolerance: 1e-12}, w, gs)
	if e := far(plain.Cov, quick.Cov); e > 1e-10 || !plain.Converged || !quick.Converged {
		t.Errorf("%v away: residuals %v and %v", e, plain.Residual, quick.Residual)
	}
}

// Neither the order of clients, nor the sum of their weights, nor those of no weight matter; and
// a rotation or a change of units of all laws is one of the barycenter.
func TestBarycenterSymmetries(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const d = 11
	w, gs := several(t, rng, 4, d, 50)
	want := mustBarycenter(t, new(ot.Bures), w, gs)
	weightless := ot.Gaussian{} // has no weight, and is never read
	order := []ot.Gaussian{gs[2], weightless, gs[0], gs[3], gs[1]}
	triple := tensor.Vector{3 * w[2], 0, 3 * w[0], 3 * w[3], 3 * w[1]}
	c := mustBarycenter(t, new(ot.Bures), triple, order)
	if e := far(c.Cov, want.Cov); e > 1e-13 || c.Mean.Distance(want.Mean) > 1e-14 {
		t.Errorf("in another order: %v away", e)
	}
	_, v, err := new(tensor.Eigen).Factor(symmetric(rng, d))
	if err != nil {
		t.Fatal(err)
	}
	back := tensor.NewMatrix(d, d)
	for i := range d {
		for j := range d {
			back.Row(i)[j] = v.Row(j)[i]
		}
	}
	for k, g := range gs {
		gs[k].Cov = times(times(v, g.Cov), back)
		tensor.Vector(gs[k].Cov.Data).Scale(1e-6)
	}
	c = mustBarycenter(t, new(ot.Bures), w, gs)
	tensor.Vector(c.Cov.Data).Scale(1e6)
	if e := far(times(times(back, c.Cov), v), want.Cov); e > 1e-12 {
		t.Errorf("turned: %v away", e)
	}
}

func TestBarycenterOfOneAndOfEquals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	g := gaussian(t, rng, 6, 1e5)
	c := mustBarycenter(t, new(ot.Bures), tensor.Vector{0, 7}, []ot.Gaussian{{}, g})
	if far(c.Cov, g.Cov) != 0 || c.Mean.Distance(g.Mean) != 0 || !c.Converged || c.Rank != 6 {
		t.Errorf("the barycenter of one law is another: %+v", c)
	}
	c.Cov.Data[0] = math.NaN()
	if math.IsNaN(g.Cov.Data[0]) {
		t.Error("the barycenter of one law shares its memory")
	}
	for range 10 {
		g := gaussian(t, rng, 6, 1e5)
		c = mustBarycenter(t, new(ot.Bures), tensor.Vector{1, 2, 3}, []ot.Gaussian{g, g, g})
		if far(c.Cov, g.Cov) > 1e-13 || c.Iterations != 0 || !(c.Objective >= 0 && c.Objective < 6e-9) {
			t.Errorf("the barycenter of equal laws: %+v", c)
		}
	}
}

// diagonal returns the Gaussian of mean 0 with a diagonal covariance.
func diagonal(lambda ...float64) ot.Gaussian {
	g := ot.Gaussian{Mean: make(tensor.Vector, len(lambda)),
		Cov: tensor.NewMatrix(len(lambda), len(lambda))}
	for i, x := range lambda {
		g.Cov.Row(i)[i] = x
	}
	return g
}

func TestBarycenterOfSingularCovariances(t *testing.T) {
	half := tensor.Vector{0.5, 0.5}
	for _, c := range []struct {
		a, b, want ot.Gaussian
		rank       int
	}{
		{diagonal(1, 0), diagonal(0, 1), diagonal(0.25, 0.25), 2},
		{diagonal(4, 0, 0), diagonal(16, 0, 0), diagonal(9, 0, 0), 1},
		{diagonal(4, 1, 0), diagonal(0, 1, 0), diagonal(1, 1, 0), 2},
		{diagonal(0, 0), diagonal(0, 4), diagonal(0, 1), 1},
		{diagonal(0, 0), diagonal(0, 0), diagonal(0, 0), 0},
	} {
		got := mustBarycenter(t, new(ot.Bures), half, []ot.Gaussian{c.a, c.b})
		gap := tensor.Vector(got.Cov.Data).Distance(c.want.Cov.Data)
		if gap > 1e-7 || got.Rank != c.rank || !got.Converged {
			t.Errorf("%v and %v: %+v", c.a.Cov.Data, c.b.Cov.Data, got)
		}
	}
	// One regular law is enough for a regular barycenter: that of two has a closed form.
	rng := rand.New(rand.NewPCG(5, 7))
	const d = 8
	regular, flat := gaussian(t, rng, d, 10), gaussian(t, rng, d, 10)
	lambda := make(tensor.Vector, d)
	lambda[0], lambda[3], lambda[7] = 1, 2, 3
	flat.Cov = turned(t, symmetric(rng, d), lambda)
	got := mustBarycenter(t, new(ot.Bures), half, []ot.Gaussian{regular, flat})
	want := new(ot.Bures).Interpolate(mustMap(t, regular, flat), regular, 0.5)
	if e := far(got.Cov, want.Cov); e > 1e-6 || got.Rank != d || !got.Converged {
		t.Errorf("%v away, rank %d: residual %v", e, got.Rank, got.Residual)
	}
}

// What is asked for and cannot be reached is said, and where rounding ends it that is said too.
func TestBarycenterSaysHowItEnded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	w, gs := several(t, rng, 3, 10, 1e3)
	c := mustBarycenter(t, &ot.Bures{MaxIterations: 2}, w, gs)
	if c.Converged || c.Stagnated || c.Iterations != 2 || !(c.Residual > 1e-6) {
		t.Errorf("after 2 iterations: %+v", c)
	}
	c = mustBarycenter(t, &ot.Bures{Tolerance: 1e-30}, w, gs)
	if !c.Converged || !c.Stagnated || !(c.Residual < 1e-13) {
		t.Errorf("with a tolerance of 1e-30: residual %v, %d iterations", c.Residual, c.Iterations)
	}
}

func TestGaussiansOfBadNumbers(t *testing.T) {
	good, nan, huge := diagonal(1, 2), diagonal(1, math.NaN()), diagonal(1e300, 1)
	for name, gs := range map[string][]ot.Gaussian{
		"other dimension": {good, diagonal(1)}, "NaN": {good, nan}, "overflow": {huge, good},
		"no covariance": {good, {Mean: good.Mean}},
	} {
		if c, err := new(ot.Bures).Barycenter(tensor.Vector{1, 1}, gs); err == nil {
			t.Errorf("%s: barycenter %+v", name, c)
		}
		if name == "overflow" {
			continue // it is there, but for the products of covariances
		}
		if x, err := new(ot.Bures).Distance(gs[0], gs[1]); err == nil || !math.IsNaN(x) {
			t.Errorf("%s: distance %v, %v", name, x, err)
		}
		if m, err := new(ot.Bures).Map(gs[0], gs[1]); err == nil {
			t.Errorf("%s: map %+v", name, m)
		}
	}
	two := []ot.Gaussian{good, good}
	for _, w := range []tensor.Vector{
		{0, 0}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}, {1}, nil,
	} {
		if c, err := new(ot.Bures).Barycenter(w, two); err == nil {
			t.Errorf("weights %v: %+v", w, c)
		}
	}
	if _, err := new(ot.Bures).Barycenter(nil, nil); err == nil {
		t.Error("nothing has a barycenter")
	}
}

// An iteration allocates nothing in a workspace that was used at its dimension.
func TestIterationsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	w, gs := several(t, rng, 3, 40, 1e3)
	few := ot.Bures{MaxIterations: 1, Tolerance: 1e-30}
	many := ot.Bures{MaxIterations: 12, Tolerance: 1e-30}
	count := func(b *ot.Bures) float64 {
		return testing.AllocsPerRun(3, func() { mustBarycenter(t, b, w, gs) })
	}
	if a, b := count(&few), count(&many); a != b {
		t.Errorf("%v allocations with one iteration, %v with twelve", a, b)
	}
}
