package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// sizes are of all that is done differently: no blocks, one, and one more or less.
var sizes = []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 34, 63, 64, 65, 66, 95, 96, 97, 128, 129, 130,
	193, 257}

// symmetric returns the matrix with f's elements on and below the diagonal.
func symmetric(n int, f func(i, j int) float64) Matrix {
	a := NewMatrix(n, n)
	for i := range n {
		for j := range i + 1 {
			a.Row(i)[j] = f(i, j)
			a.Row(j)[i] = a.Row(i)[j]
		}
	}
	return a
}

// diagonal returns the diagonal matrix of d.
func diagonal(d Vector) Matrix {
	a := NewMatrix(len(d), len(d))
	for i, x := range d {
		a.Row(i)[i] = x
	}
	return a
}

// times returns aᵀ·b.
func times(a, b Matrix) Matrix {
	var space kernel.Workspace
	c := NewMatrix(a.Cols, b.Cols)
	kernel.Gemm64(&space, kernel.RowMajor(c.Data, c.Rows, c.Cols),
		kernel.RowMajor(a.Data, a.Rows, a.Cols).T(), kernel.RowMajor(b.Data, b.Rows, b.Cols), false)
	return c
}

// reflected returns QᵀDQ for a diagonal D and a product Q of random reflections.
func reflected(rng *rand.Rand, d Vector) Matrix {
	n, a := len(d), diagonal(d)
	for range 3 {
		v, av := normal(rng, n), make(Vector, n)
		v.Scale(math.Sqrt2 / v.Norm())
		a.MulVec(av, v)
		av.AddScaled(-v.Dot(av)/2, v)
		old := a
		a = symmetric(n, func(i, j int) float64 { return old.Row(i)[j] - (v[i]*av[j] + av[i]*v[j]) })
	}
	return a
}

// geometric returns n numbers from 1 down to 1/condition.
func geometric(n int, condition float64) Vector {
	d := make(Vector, n)
	for i := range d {
		d[i] = math.Pow(condition, -float64(i)/float64(max(n-1, 1)))
	}
	return d
}

// kinds are kinds of matrices, by what makes them hard.
var kinds = map[string]func(rng *rand.Rand, n int) Matrix{
	"random": func(rng *rand.Rand, n int) Matrix {
		return symmetric(n, func(int, int) float64 { return rng.NormFloat64() })
	},
	"condition 10":    func(rng *rand.Rand, n int) Matrix { return reflected(rng, geometric(n, 10)) },
	"condition 1e6":   func(rng *rand.Rand, n int) Matrix { return reflected(rng, geometric(n, 1e6)) },
	"condition 1e12":  func(rng *rand.Rand, n int) Matrix { return reflected(rng, geometric(n, 1e12)) },
	"condition 1e300": func(rng *rand.Rand, n int) Matrix { return reflected(rng, geometric(n, 1e300)) },
	"repeated": func(rng *rand.Rand, n int) Matrix {
		d := make(Vector, n)
		for i := range d {
			d[i] = float64(i % 3)
		}
		return reflected(rng, d)
	},
	"clustered": func(rng *rand.Rand, n int) Matrix {
		d := make(Vector, n)
		for i := range d {
			d[i] = 1 + 1e-14*rng.NormFloat64()
		}
		return reflected(rng, d)
	},
	"zero":     func(_ *rand.Rand, n int) Matrix { return NewMatrix(n, n) },
	"identity": func(_ *rand.Rand, n int) Matrix { return diagonal(geometric(n, 1)) },
	"diagonal": func(rng *rand.Rand, n int) Matrix { return diagonal(normal(rng, n)) },
	"ones": func(_ *rand.Rand, n int) Matrix {
		return symmetric(n, func(int, int) float64 { return 1 })
	},
	"rank one": func(rng *rand.Rand, n int) Matrix {
		v := normal(rng, n)
		return symmetric(n, func(i, j int) float64 { return v[i] * v[j] })
	},
	"second differences": func(_ *rand.Rand, n int) Matrix { // eigenvalues in closed form
		return symmetric(n, func(i, j int) float64 { return []float64{2, -1, 0}[min(i-j, 2)] })
	},
	"Wilkinson": func(_ *rand.Rand, n int) Matrix { // pairs that agree to rounding
		return symmetric(n, func(i, j int) float64 {
			return []float64{math.Abs(float64(i) - float64(n-1)/2), 1, 0}[min(i-j, 2)]
		})
	},
	"graded": func(rng *rand.Rand, n int) Matrix { // from 1 to 1e-300
		g := geometric(n, 1e150)
		return symmetric(n, func(i, j int) float64 { return rng.NormFloat64() * g[i] * g[j] })
	},
	"graded upwards": func(rng *rand.Rand, n int) Matrix {
		g := geometric(n, 1e150)
		return symmetric(n, func(i, j int) float64 {
			return rng.NormFloat64() * g[n-1-i] * g[n-1-j] * 1e150
		})
	},
	"blocks apart": func(rng *rand.Rand, n int) Matrix { // whose squares underflow
		return symmetric(n, func(i, j int) float64 {
			return rng.NormFloat64() * []float64{1, 1e-160, 1e-170}[(i+j)%3]
		})
	},
	"tiny": func(rng *rand.Rand, n int) Matrix {
		return symmetric(n, func(int, int) float64 { return 1e-150 * rng.NormFloat64() })
	},
	"denormal": func(rng *rand.Rand, n int) Matrix {
		return symmetric(n, func(int, int) float64 { return 1e-310 * rng.NormFloat64() })
	},
	"huge": func(rng *rand.Rand, n int) Matrix {
		return symmetric(n, func(int, int) float64 { return 1e305 * rng.NormFloat64() })
	},
}

// largest returns the largest absolute value of an element.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// examine checks a decomposition of a, divided by scale so that nothing overflows: order,
// signs, vᵀv = 1 and av = λv, to a few times n roundings.
func examine(a Matrix, values Vector, vectors Matrix) error {
	n := a.Rows
	scale := math.Ldexp(1, min(-math.Ilogb(max(largest(a.Data), 1e-308)), 1000))
	b := Matrix{Rows: n, Cols: n, Data: Vector(a.Data).Clone()}
	Vector(b.Data).Scale(scale)
	norm := max(largest(values)*scale, largest(b.Data))
	bound := 4 * 0x1p-52 * float64(n)
	columns := NewMatrix(n, n)
	for k := range n {
		for i, x := range vectors.Row(k) {
			columns.Row(i)[k] = x
		}
	}
	images, products := times(columns, b), times(columns, columns)
	for k := range n {
		v := vectors.Row(k)
		if k > 0 && values[k] < values[k-1] {
			return fmt.Errorf("values %d and %d descend: %v, %v", k-1, k, values[k-1], values[k])
		}
		for _, x := range v {
			if math.Abs(x) == largest(v) {
				if x < 0 {
					return fmt.Errorf("the largest component of vector %d is %v", k, x)
				}
				break
			}
		}
		products.Row(k)[k]--
		if gap := largest(products.Row(k)); !(gap <= bound) {
			return fmt.Errorf("vector %d is not orthonormal: %v > %v", k, gap, bound)
		}
		images.Row(k).AddScaled(-values[k]*scale, v)
		// Among denormal numbers, roundings are of their own size.
		if gap := images.Row(k).Norm(); !(gap <= bound*norm+scale*0x1p-1073) {
			return fmt.Errorf("pair %d has a residual of %v > %v", k, gap, bound*norm)
		}
	}
	return nil
}

func TestDecompositions(t *testing.T) {
	var e Eigen
	for name, kind := range kinds {
		rng := rand.New(rand.NewPCG(3, uint64(len(name))))
		for _, n := range sizes {
			a := kind(rng, n)
			values, vectors, err := e.Factor(a)
			if err == nil {
				err = examine(a, values, vectors)
			}
			if err != nil {
				t.Errorf("%s, n = %d: %v", name, n, err)
			}
		}
	}
}

func TestEigenvaluesAreThoseOfGonum(t *testing.T) {
	var e Eigen
	// Where numbers are far from 1, gonum's lapack panics.
	far := []string{"tiny", "denormal", "huge", "graded", "graded upwards", "blocks apart",
		"condition 1e300"}
	for name, kind := range kinds {
		if slices.Contains(far, name) {
			continue
		}
		rng := rand.New(rand.NewPCG(4, uint64(len(name))))
		for _, n := range []int{1, 2, 5, 33, 70, 101} {
			a := kind(rng, n)
			values, _, err := e.Factor(a)
			if err != nil {
				t.Fatal(err)
			}
			var reference mat.EigenSym
			if !reference.Factorize(mat.NewSymDense(n, a.Data), false) {
				t.Fatalf("%s, n = %d: gonum fails", name, n)
			}
			want := reference.Values(nil)
			bound := 4*0x1p-52*float64(n)*largest(want) + 0x1p-1070
			for k := range want {
				if !(math.Abs(values[k]-want[k]) <= bound) {
					t.Errorf("%s, n = %d: value %d is %v, gonum's %v", name, n, k, values[k], want[k])
					break
				}
			}
		}
	}
}

// The eigenvalues of the matrix of second differences are 2 − 2·cos(π·k/(n+1)).
func TestEigenvaluesInClosedForm(t *testing.T) {
	var e Eigen
	for _, n := range sizes {
		values, _, err := e.Factor(kinds["second differences"](nil, n))
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range values {
			want := 2 - 2*math.Cos(math.Pi*float64(k+1)/float64(n+1))
			if math.Abs(x-want) > 4*0x1p-52*float64(n) {
				t.Errorf("n = %d: value %d is %v, want %v", n, k, x, want)
			}
		}
	}
}

// Nor is what a workspace was used for before.
func TestOnlyTheLowerTriangleIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var e Eigen
	for _, n := range slices.Backward(sizes) {
		var f Eigen
		a := kinds["random"](rng, n)
		values, vectors, _ := e.Factor(a)
		for i := range n {
			copy(a.Row(i)[i+1:], normal(rng, n))
		}
		again, same, _ := f.Factor(a)
		for i := range values {
			if values[i] != again[i] || vectors.Row(i).Distance(same.Row(i)) != 0 {
				t.Fatalf("n = %d: pair %d differs", n, i)
			}
		}
	}
}

func TestDecompositionsThatCannotBe(t *testing.T) {
	var e Eigen
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range []int{0, 5, 40*40 - 1, 39 * 40} {
			a := NewMatrix(40, 40)
			a.Data[at] = x
			if _, _, err := e.Factor(a); err != ErrNotFinite {
				t.Errorf("%v at %d: the error is %v", x, at, err)
			}
		}
	}
	a := symmetric(9, func(int, int) float64 { return math.MaxFloat64 })
	if _, _, err := e.Factor(a); err != ErrNotFinite {
		t.Errorf("an eigenvalue beyond all numbers: the error is %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Factor takes a matrix that is not square")
		}
	}()
	_, _, _ = e.Factor(NewMatrix(2, 3))
}

func TestDecompositionsAllocateNothing(t *testing.T) {
	var e Eigen
	rng := rand.New(rand.NewPCG(6, 1))
	large, small := kinds["repeated"](rng, 130), kinds["random"](rng, 71)
	root := NewMatrix(130, 130)
	work := func() {
		if _, _, err := e.Factor(small); err != nil {
			t.Fatal(err)
		}
		if _, err := e.FactorPositive(large, 1e-3); err != nil {
			t.Fatal(err)
		}
		e.Sqrt(root)
		e.InvSqrt(root)
	}
	work()
	if n := testing.AllocsPerRun(5, work); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
