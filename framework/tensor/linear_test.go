package tensor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// square returns a random n×n matrix, and one that is symmetric and positive definite.
func square(rng *rand.Rand, n int) (a, positive tensor.Matrix) {
	a, positive = tensor.NewMatrix(n, n), tensor.NewMatrix(n, n)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = a.Row(i)
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64()
		}
	}
	tensor.Gram(positive, rows)
	for i := range n {
		positive.Row(i)[i]++
	}
	return a, positive
}

func TestEquationsAreSolved(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, n := range []int{0, 1, 2, 3, 10, 64, 65} {
		a, positive := square(rng, n)
		b := make(tensor.Vector, n)
		b.AddNoise(1, rng)
		x, image := make(tensor.Vector, n), make(tensor.Vector, n)
		condition, err := tensor.Solve(x, a, b)
		if err != nil || !(condition > 1-1e-12) {
			t.Fatalf("n = %d: condition %v, %v", n, condition, err)
		}
		a.MulVec(image, x)
		if image.Distance(b) > 1e-14*condition*(1+b.Norm()) {
			t.Errorf("n = %d: a·x misses b by %v", n, image.Distance(b))
		}
		if condition, err = tensor.SolvePositive(x, positive, b); err != nil || !(condition > 1-1e-12) {
			t.Fatalf("n = %d: condition %v, %v", n, condition, err)
		}
		positive.MulVec(image, x)
		within(t, "SolvePositive", image, b)
		if _, err := tensor.SolvePositive(b, positive, b); err != nil {
			t.Fatal(err)
		}
		same(t, "in place", b, x)
	}
}

// Right-hand sides are solved for one by one, or all at once.
func TestEquationsAreSolvedByRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 8))
	for _, n := range []int{1, 5, 64} {
		_, a := square(rng, n)
		b, x := tensor.NewMatrix(3, n), tensor.NewMatrix(3, n)
		tensor.Vector(b.Data).AddNoise(1, rng)
		if _, err := tensor.SolvePositiveRows(x, a, b); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			image := make(tensor.Vector, n)
			a.MulVec(image, x.Row(k))
			within(t, "row", image, b.Row(k))
		}
		if _, err := tensor.SolvePositiveRows(b, a, b); err != nil {
			t.Fatal(err)
		}
		same(t, "in place", b.Data, x.Data)
	}
}

func TestConditionIsSaid(t *testing.T) {
	x := make(tensor.Vector, 2)
	a := tensor.Matrix{Rows: 2, Cols: 2, Data: tensor.Vector{1, 0, 0, 1e-9}}
	for name, solve := range map[string]func(tensor.Vector, tensor.Matrix, tensor.Vector) (float64, error){
		"Solve": tensor.Solve, "SolvePositive": tensor.SolvePositive,
	} {
		condition, err := solve(x, a, tensor.Vector{1, 1})
		if math.Abs(condition-1e9) > 1 || err != nil {
			t.Errorf("%s: condition %v, %v", name, condition, err)
		}
	}
}

func TestWhatCannotBeSolved(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		data           tensor.Vector
		b              float64
		general, other error // of Solve and of SolvePositive
	}{
		{tensor.Vector{0, 0, 0, 0}, 1, tensor.ErrUnsolvable, tensor.ErrNotDefinite},
		{tensor.Vector{1, 2, 2, 4}, 1, tensor.ErrUnsolvable, tensor.ErrNotDefinite},
		{tensor.Vector{1, 2, 2, 1}, 1, nil, tensor.ErrNotDefinite},
		{tensor.Vector{nan, 0, 0, 1}, 1, tensor.ErrUnsolvable, tensor.ErrNotDefinite},
		{tensor.Vector{1, 0, 0, inf}, 1, tensor.ErrUnsolvable, tensor.ErrUnsolvable},
		{tensor.Vector{1, 0, 0, 1}, nan, tensor.ErrUnsolvable, tensor.ErrUnsolvable},
		{tensor.Vector{1, 0, 0, 1}, inf, tensor.ErrUnsolvable, tensor.ErrUnsolvable},
		{tensor.Vector{1e308, 1e308, -1e308, 1e308}, 1, tensor.ErrUnsolvable, tensor.ErrNotDefinite},
	} {
		a, x := tensor.Matrix{Rows: 2, Cols: 2, Data: c.data}, tensor.Vector{7, 7}
		if _, err := tensor.SolvePositive(x, a, tensor.Vector{1, c.b}); !errors.Is(err, c.other) {
			t.Errorf("SolvePositive %v, %v: %v", c.data, c.b, err)
		}
		if c.general != nil {
			if _, err := tensor.Solve(x, a, tensor.Vector{1, c.b}); !errors.Is(err, c.general) {
				t.Errorf("Solve %v, %v: %v", c.data, c.b, err)
			}
			same(t, "what was there", x, tensor.Vector{7, 7})
		}
	}
}

func TestCholeskySquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	for _, n := range []int{0, 1, 2, 3, 64, 65} {
		_, a := square(rng, n)
		l, square := tensor.NewMatrix(n, n), tensor.NewMatrix(n, n)
		if err := tensor.Cholesky(l, a); err != nil {
			t.Fatal(err)
		}
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = l.Row(i)
			for j, x := range rows[i] {
				if j > i && x != 0 || j == i && !(x > 0) {
					t.Fatalf("n = %d: L[%d, %d] = %v", n, i, j, x)
				}
			}
		}
		tensor.Gram(square, rows)
		within(t, "L·Lᵀ", square.Data, a.Data)
		if err := tensor.Cholesky(a, a); err != nil {
			t.Fatal(err)
		}
		same(t, "in place", a.Data, l.Data)
	}
	a := tensor.Matrix{Rows: 2, Cols: 2, Data: tensor.Vector{1, 2, 2, 1}}
	if err := tensor.Cholesky(a, a); !errors.Is(err, tensor.ErrNotDefinite) || a.Data[3] != 1 {
		t.Errorf("%v, %v", err, a.Data)
	}
}

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 3))
	for range 50 {
		m, n, k := rng.IntN(20), rng.IntN(20), rng.IntN(20)
		a, b := tensor.NewMatrix(m, k), tensor.NewMatrix(k, n)
		tensor.Vector(a.Data).AddNoise(1, rng)
		tensor.Vector(b.Data).AddNoise(1, rng)
		got, want := tensor.NewMatrix(m, n), tensor.NewMatrix(m, n)
		tensor.Vector(got.Data).Fill(9)
		tensor.Mul(got, a, b)
		for i := range m {
			for j := range k {
				want.Row(i).AddScaled(a.Row(i)[j], b.Row(j))
			}
		}
		within(t, "Mul", got.Data, want.Data)
	}
}

func TestEquationsWantWhatFits(t *testing.T) {
	x, b, a := make(tensor.Vector, 2), make(tensor.Vector, 3), tensor.NewMatrix(2, 3)
	square := tensor.NewMatrix(2, 2)
	kerneltest.Panics(t, map[string]func(){
		"Solve":         func() { _, _ = tensor.Solve(x, square, b) },
		"SolvePositive": func() { _, _ = tensor.SolvePositive(b, a, x) },
		"Cholesky":      func() { _ = tensor.Cholesky(a, a) },
		"Cholesky, dst": func() { _ = tensor.Cholesky(a, square) },
		"Mul":           func() { tensor.Mul(square, a, square) },
	})
}
