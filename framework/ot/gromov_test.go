package ot_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// pairwise returns the squared distances of n random points in the plane, or their roots, or
// any symmetric numbers.
func pairwise(rng *rand.Rand, n, kind int) tensor.Matrix {
	x, d := gauss(rng, 2*n, 1), tensor.NewMatrix(n, n)
	for i := range n {
		for k := range i {
			apart := math.Pow(x[2*i]-x[2*k], 2) + math.Pow(x[2*i+1]-x[2*k+1], 2)
			switch kind {
			case 1:
				apart = math.Sqrt(apart)
			case 2:
				apart = rng.NormFloat64()
			}
			d.Row(i)[k], d.Row(k)[i] = apart, apart
		}
	}
	return d
}

// spaces returns a random problem.
func spaces(rng *rand.Rand, n, m int) ot.Spaces {
	kind := rng.IntN(3)
	return ot.Spaces{X: pairwise(rng, n, kind), Y: pairwise(rng, m, kind),
		A: scatter(rng, n), B: scatter(rng, m)}
}

// mismatch returns E(T) by its definition, and the gradient.
func mismatch(s ot.Spaces, plan tensor.Matrix) (loss float64, grad tensor.Matrix) {
	grad = tensor.NewMatrix(plan.Rows, plan.Cols)
	for i := range s.A {
		for j := range s.B {
			for k := range s.A {
				for l := range s.B {
					gap := s.X.Row(i)[k] - s.Y.Row(j)[l]
					grad.Row(i)[j] += 2 * gap * gap * plan.Row(k)[l]
				}
			}
			loss += grad.Row(i)[j] * plan.Row(i)[j] / 2
		}
	}
	return loss, grad
}

// scaleOf returns S.
func scaleOf(s ot.Spaces) (sum float64) {
	for i, a := range s.A {
		for k, x := range s.X.Row(i) {
			sum += x * x * a * s.A[k]
		}
	}
	for j, b := range s.B {
		for l, y := range s.Y.Row(j) {
			sum += y * y * b * s.B[l]
		}
	}
	return sum
}

// TestGromovPlansAreStationary: by the definition of E no plan is better at first order, by more
// than the residual says; and E falls from step to step.
func TestGromovPlansAreStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 1))
	for range 60 {
		s := spaces(rng, 1+rng.IntN(9), 1+rng.IntN(9))
		scale, last := scaleOf(s), math.Inf(1)
		for steps := 1; ; steps++ {
			e := &ot.Gromov{Epsilon: 1e-9, MaxSteps: steps}
			c := e.Solve(s)
			plan := tensor.NewMatrix(len(s.A), len(s.B))
			e.Plan(plan)
			loss, grad := mismatch(s, plan)
			tolerance{1e-13 * scale, 1e-12}.one(t, "loss", c.Cost, loss)
			if loss > last+1e-13*scale {
				t.Fatalf("E rises from %v to %v", last, loss)
			}
			last = loss
			p := ot.Transport{Cost: grad, A: s.A, B: s.B}
			best := new(ot.Exact).Solve(p).Cost
			bound := c.Residual*scale + 1e-12*scale
			if off(plan, p) > 1e-12 || price(plan, p)-best > bound {
				t.Fatalf("marginals wrong by %g, gain %g of %g", off(plan, p),
					price(plan, p)-best, bound)
			}
			if c.Converged {
				break
			}
			if steps > 200 {
				t.Fatalf("%+v after %d steps", c, steps)
			}
		}
	}
}

// TestTheSameSpace starts at the right permutation of the points, and stays there.
func TestTheSameSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 2))
	for range 20 {
		n := 2 + rng.IntN(12)
		order := rng.Perm(n)
		s := ot.Spaces{X: pairwise(rng, n, 1), Y: tensor.NewMatrix(n, n), A: even(n), B: even(n)}
		start := tensor.NewMatrix(n, n)
		for i, j := range order {
			start.Row(i)[j] = 1 / float64(n)
			for k, l := range order {
				s.Y.Row(j)[l] = s.X.Row(i)[k]
			}
		}
		e := &ot.Gromov{Epsilon: 1e-12, MaxSteps: 10, Start: start}
		c := e.Solve(s)
		plan := tensor.NewMatrix(n, n)
		e.Plan(plan)
		if !c.Converged || c.Sweeps != 1 {
			t.Fatalf("%+v", c)
		}
		tolerance{1e-14 * scaleOf(s), 0}.one(t, "loss", c.Cost, 0)
		tolerance{0, 0}.all(t, "plan", plan.Data, start.Data)
	}
}

// TestOrderOfPointsDoesNotMatter permutes both spaces.
func TestOrderOfPointsDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 3))
	for range 30 {
		s := spaces(rng, 2+rng.IntN(6), 2+rng.IntN(6))
		rows, cols := rng.Perm(len(s.A)), rng.Perm(len(s.B))
		r := ot.Spaces{X: permuted(s.X, rows), Y: permuted(s.Y, cols),
			A: make(tensor.Vector, len(s.A)), B: make(tensor.Vector, len(s.B))}
		for i, k := range rows {
			r.A[i] = s.A[k]
		}
		for j, l := range cols {
			r.B[j] = s.B[l]
		}
		e := &ot.Gromov{Epsilon: 1e-10, MaxSteps: 1000}
		before := e.Solve(s).Cost
		tolerance{1e-8 * scaleOf(s), 0}.one(t, "loss", e.Solve(r).Cost, before)
	}
}

// permuted returns the distances of points in another order.
func permuted(x tensor.Matrix, order []int) tensor.Matrix {
	y := tensor.NewMatrix(x.Rows, x.Cols)
	for i, k := range order {
		for j, l := range order {
			y.Row(i)[j] = x.Row(k)[l]
		}
	}
	return y
}

func TestGromovSaysWhatIsWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 4))
	for _, c := range []struct {
		want   string
		change func(*ot.Gromov, *ot.Spaces)
	}{
		{"X is 3×3 with 9 elements, but a has 2", func(_ *ot.Gromov, s *ot.Spaces) {
			s.A = even(2)
		}},
		{"b sums to 2, not to 1", func(_ *ot.Gromov, s *ot.Spaces) { s.B.Scale(2) }},
		{"Y[0, 1] is 7, but [1, 0] is", func(_ *ot.Gromov, s *ot.Spaces) { s.Y.Row(0)[1] = 7 }},
		{"X[1, 1] is NaN", func(_ *ot.Gromov, s *ot.Spaces) { s.X.Row(1)[1] = math.NaN() }},
		{"the start is 2×2 with 4 elements, not 3×2", func(e *ot.Gromov, _ *ot.Spaces) {
			e.Start = tensor.NewMatrix(2, 2)
		}},
		{"the start has marginals that differ from a and b by", func(e *ot.Gromov, _ *ot.Spaces) {
			e.Start = tensor.NewMatrix(3, 2)
		}},
		{"the start at [0, 0] is -1, which is no mass", func(e *ot.Gromov, _ *ot.Spaces) {
			e.Start = tensor.NewMatrix(3, 2)
			e.Start.Data[0] = -1
		}},
	} {
		e := &ot.Gromov{MaxSteps: 5}
		s := ot.Spaces{X: pairwise(rng, 3, 1), Y: pairwise(rng, 2, 1), A: even(3), B: even(2)}
		c.change(e, &s)
		if err := e.Check(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		plan := tensor.NewMatrix(len(s.A), len(s.B))
		a := e.Solve(s)
		e.Plan(plan)
		if a.Converged || !math.IsNaN(a.Cost) || !math.IsNaN(plan.Data[0]) {
			t.Errorf("%+v", a)
		}
	}
}
