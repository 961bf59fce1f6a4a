package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// minus returns the largest element of a − b.
func minus(a, b Matrix) float64 {
	d := Vector(a.Data).Clone()
	d.AddScaled(-1, b.Data)
	return largest(d)
}

func TestRoots(t *testing.T) {
	var e Eigen
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range sizes {
		for _, condition := range []float64{1, 10, 1e6, 1e12} {
			a := reflected(rng, geometric(n, condition))
			s, err := e.FactorPositive(a, 1e-15)
			if err != nil || s.Clipped != 0 {
				t.Fatalf("n = %d, condition %v: %v, %d clipped", n, condition, err, s.Clipped)
			}
			root, inverse := NewMatrix(n, n), NewMatrix(n, n)
			e.Sqrt(root)
			e.InvSqrt(inverse)
			bound := 8 * 0x1p-52 * float64(n)
			if gap := minus(times(root, root), a); !(gap <= bound) {
				t.Errorf("n = %d, condition %v: root² − a = %v", n, condition, gap)
			}
			one := kinds["identity"](nil, n)
			if gap := minus(times(root, inverse), one); !(gap <= bound*math.Sqrt(condition)) {
				t.Errorf("n = %d, condition %v: root·inverse − 1 = %v", n, condition, gap)
			}
			for i := range n {
				for j := range i {
					if root.Row(i)[j] != root.Row(j)[i] || inverse.Row(i)[j] != inverse.Row(j)[i] {
						t.Fatalf("n = %d: roots are not symmetric at (%d, %d)", n, i, j)
					}
				}
			}
		}
	}
}

func TestEigenvaluesBelowTheFloorAreRaisedAndCounted(t *testing.T) {
	var e Eigen
	rng := rand.New(rand.NewPCG(8, 2))
	for _, n := range []int{5, 40, 131} {
		d, raised := make(Vector, n), make(Vector, n)
		for i := range d {
			d[i] = 4*rng.Float64() + 2
		}
		d[0], d[1], d[2], d[3], d[4] = 8, -3, 0, 1e-9, 0.01
		for i := range d {
			raised[i] = max(d[i], 8e-3)
		}
		a := reflected(rand.New(rand.NewPCG(9, 9)), d)
		want := reflected(rand.New(rand.NewPCG(9, 9)), raised)
		s, err := e.FactorPositive(a, 1e-3)
		if err != nil || s.Clipped != 3 {
			t.Fatalf("n = %d: %v, %+v", n, err, s)
		}
		near := func(x, y float64) bool { return math.Abs(x-y) < 1e-13 }
		if !near(s.Smallest, -3) || !near(s.Largest, 8) || !near(s.Floor, 8e-3) {
			t.Errorf("n = %d: %+v", n, s)
		}
		root := NewMatrix(n, n)
		e.Sqrt(root)
		if gap := minus(times(root, root), want); gap > 1e-12 {
			t.Errorf("n = %d: root² − clipped = %v", n, gap)
		}
	}
}

func TestRootsThatCannotBe(t *testing.T) {
	var e Eigen
	for _, x := range []float64{0, -1} {
		a := NewMatrix(3, 3)
		for i := range 3 {
			a.Row(i)[i] = x
		}
		if s, err := e.FactorPositive(a, 1e-9); err != ErrNotPositive || s.Largest != x {
			t.Errorf("all eigenvalues %v: %v, %+v", x, err, s)
		}
	}
	a := NewMatrix(3, 3)
	a.Data[4] = math.NaN()
	if _, err := e.FactorPositive(a, 1e-9); err != ErrNotFinite {
		t.Errorf("the error is %v", err)
	}
	for _, floor := range []float64{0, -1, 2, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the floor %v is taken", floor)
				}
			}()
			_, _ = e.FactorPositive(NewMatrix(3, 3), floor)
		}()
	}
}
