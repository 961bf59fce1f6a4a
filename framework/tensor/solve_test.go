package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gram returns MᵀM + shift·I of a random n×n matrix M.
func gram(rng *rand.Rand, n int, shift float64) Matrix {
	m, a := Matrix{n, n, normal(rng, n*n)}, NewMatrix(n, n)
	for i := range n {
		for j := range n {
			for k := range n {
				a.Row(i)[j] += m.Row(k)[i] * m.Row(k)[j]
			}
		}
		a.Row(i)[i] += shift
	}
	return a
}

func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{1, 2, 7, 40} {
		a, want := Matrix{n, n, normal(rng, n*n)}, Vector(normal(rng, n))
		b := make(Vector, n)
		a.MulVec(b, want)
		before := append([]float64(nil), a.Data...)
		x, condition := Solve(a, b)
		if d := x.Distance(want); d > 1e-14*condition*want.Norm()*float64(n) {
			t.Errorf("%d unknowns: off by %g, condition %g", n, d, condition)
		}
		if Vector(before).Distance(a.Data) != 0 {
			t.Error("the matrix was changed")
		}
	}
	if x, condition := Solve(Matrix{2, 2, []float64{1, 2, 2, 4}}, Vector{1, 1}); condition < 1e15 {
		t.Errorf("of a singular matrix: %v, condition %g", x, condition)
	}
	if x, condition := Solve(NewMatrix(2, 2), Vector{1, 1}); x != nil || !math.IsInf(condition, 1) {
		t.Errorf("of zeros: %v, condition %g", x, condition)
	}
}

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	for _, n := range []int{1, 3, 20, 70} {
		a, want := gram(rng, n, 1), Vector(normal(rng, n))
		l, ok := Cholesky(a)
		if !ok {
			t.Fatalf("%d×%d: not positive definite", n, n)
		}
		for i := range n {
			for j := range n {
				if got := l.Row(i).Dot(l.Row(j)); math.Abs(got-a.Row(i)[j]) > 1e-12*float64(n*n) {
					t.Fatalf("%d×%d: LLᵀ is %v at %d, %d, want %v", n, n, got, i, j, a.Row(i)[j])
				}
				if j > i && l.Row(i)[j] != 0 {
					t.Fatalf("L is not lower triangular at %d, %d", i, j)
				}
			}
		}
		b := make(Vector, n)
		a.MulVec(b, want)
		if d := SolveCholesky(l, b).Distance(want); d > 1e-9*want.Norm() {
			t.Errorf("%d unknowns: off by %g", n, d)
		}
	}
	if l, ok := Cholesky(Matrix{2, 2, []float64{1, 2, 2, 1}}); ok {
		t.Errorf("an indefinite matrix has the factor %v", l)
	}
}

func ExampleSolve() {
	x, _ := Solve(Matrix{Rows: 2, Cols: 2, Data: []float64{2, 0, 1, 1}}, Vector{4, 5})
	fmt.Println(x)
	// Output: [2 3]
}

func ExampleCholesky() {
	l, ok := Cholesky(Matrix{Rows: 2, Cols: 2, Data: []float64{4, 2, 2, 5}})
	fmt.Println(l.Data, ok)
	// Output: [2 0 1 2] true
}

func ExampleSolveCholesky() {
	l, _ := Cholesky(Matrix{Rows: 2, Cols: 2, Data: []float64{4, 2, 2, 5}})
	fmt.Println(SolveCholesky(l, Vector{6, 7}))
	// Output: [1 1]
}
