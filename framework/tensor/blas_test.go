package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// BLAS is an implementation that gonum can use.
var _ blas.Float64 = new(tensor.BLAS)

// operands are the arguments of a random product.
type operands struct {
	tA, tB        blas.Transpose
	m, n, k       int
	lda, ldb, ldc int
	a, b, c       []float64
	alpha, beta   float64
}

func random(rng *rand.Rand) operands {
	pick := func(x ...float64) float64 { return x[rng.IntN(len(x))] }
	forms := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	o := operands{tA: forms[rng.IntN(3)], tB: forms[rng.IntN(3)], m: rng.IntN(40), n: rng.IntN(40),
		k: rng.IntN(40), alpha: pick(0, 1, -1, 0.3), beta: pick(0, 1, -1, 0.7)}
	make := func(rows, cols int, form blas.Transpose) ([]float64, int) {
		if form != blas.NoTrans {
			rows, cols = cols, rows
		}
		stride := max(1, cols+rng.IntN(3))
		data := make([]float64, rows*stride)
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		return data, stride
	}
	o.a, o.lda = make(o.m, o.k, o.tA)
	o.b, o.ldb = make(o.k, o.n, o.tB)
	o.c, o.ldc = make(o.m, o.n, blas.NoTrans)
	return o
}

// by returns what an implementation makes of c.
func (o operands) by(f blas.Float64) []float64 {
	c := slices.Clone(o.c)
	f.Dgemm(o.tA, o.tB, o.m, o.n, o.k, o.alpha, o.a, o.lda, o.b, o.ldb, o.beta, c, o.ldc)
	return c
}

func TestProductsAreGonums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := new(tensor.BLAS)
	for range 2000 {
		o := random(rng)
		got, want := o.by(f), o.by(gonum.Implementation{})
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Fatalf("%+v: element %d is %v, gonum's %v", o, i, got[i], want[i])
			}
		}
	}
}

// Zero times C is zero, whatever was in it.
func TestBetaZeroForgets(t *testing.T) {
	c := []float64{math.NaN()}
	new(tensor.BLAS).Dgemm(blas.NoTrans, blas.NoTrans, 1, 1, 1, 2, []float64{3}, 1, []float64{5}, 1, 0, c, 1)
	if c[0] != 30 {
		t.Errorf("2·3·5 = %v", c[0])
	}
}

func TestWrongArgumentsPanicLikeGonums(t *testing.T) {
	said := func(f blas.Float64, lda int) (what any) {
		defer func() { what = recover() }()
		x := make([]float64, 12)
		f.Dgemm(blas.NoTrans, blas.NoTrans, 3, 3, 4, 1, x, lda, x, 3, 0, x, 3)
		return nil
	}
	for _, lda := range []int{3, 5} {
		if got, want := said(new(tensor.BLAS), lda), said(gonum.Implementation{}, lda); got == nil || got != want {
			t.Errorf("lda = %d: %v, gonum says %v", lda, got, want)
		}
	}
}

func TestGoroutinesShareOne(t *testing.T) {
	f := new(tensor.BLAS)
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 3))
			for range 200 {
				o := random(rng)
				if !slices.Equal(o.by(f), o.by(new(tensor.BLAS))) {
					t.Error("a product depends on its neighbours")
				}
			}
		})
	}
	group.Wait()
}

func TestGonumTakesIt(t *testing.T) {
	before := blas64.Implementation()
	defer blas64.Use(before)
	blas64.Use(new(tensor.BLAS))
	a := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{2, 3}}
	c := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, a, a, 1, c)
	if c.Data[0] != -12 {
		t.Errorf("1 − (2, 3)·(2, 3) = %v", c.Data[0])
	}
}

func BenchmarkMat(b *testing.B) {
	x := mat.NewDense(512, 512, nil)
	for i := range 512 {
		for j := range 512 {
			x.Set(i, j, float64(i*j%17)+1)
		}
	}
	for name, f := range map[string]blas.Float64{"gonum": gonum.Implementation{}, "ours": new(tensor.BLAS)} {
		b.Run(name, func(b *testing.B) {
			defer blas64.Use(blas64.Implementation())
			blas64.Use(f)
			var y mat.Dense
			for b.Loop() {
				y.Mul(x, x)
			}
		})
	}
}
