package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// sign is that of a difference, and 0 for NaN.
func sign(x, c float64) float64 { return truth(x > c) - truth(x < c) }

func TestSumsOverVectorsAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	for _, special := range [][]float64{nil, corners} {
		for _, k := range []int{0, 1, 2, 10} {
			for _, n := range append(sizes, 511, 512, 513) {
				xs, w := models(rng, k, n, special...), make(tensor.Vector, k)
				w.AddNoise(1, rng)
				around := models(rng, 2, n, special...)
				v, center := tensor.Vector(around[0]), tensor.Vector(around[1])
				checkSums(t, v, w, xs, center)
				checkSums(t, v, w, xs, nil)
			}
		}
	}
}

// checkSums compares sums of squares and of signs with those of plain loops.
func checkSums(t *testing.T, v, w tensor.Vector, xs [][]float64, center tensor.Vector) {
	t.Helper()
	squares, signs := v.Clone(), v.Clone()
	for i := range v {
		c := 0.0
		if center != nil {
			c = center[i]
		}
		for k, x := range xs {
			d := x[i] - c
			squares[i] += float64(w[k] * float64(d*d))
			signs[i] += float64(w[k] * sign(x[i], c))
		}
	}
	got := v.Clone()
	got.AddSquares(w, xs, center)
	same(t, "squares", got, squares)
	copy(got, v)
	got.AddSigns(w, xs, center)
	same(t, "signs", got, signs)
}

// Around itself a vector sees its own elements as they were.
func TestTheCenterMayBeTheSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 2))
	xs, w := models(rng, 4, 1000), tensor.Vector{1, 2, 3, 4}
	for name, add := range map[string]func(v, center tensor.Vector){
		"squares": func(v, center tensor.Vector) { v.AddSquares(w, xs, center) },
		"signs":   func(v, center tensor.Vector) { v.AddSigns(w, xs, center) },
	} {
		v := tensor.Vector(models(rng, 1, 1000)[0])
		want := v.Clone()
		add(want, v.Clone())
		add(v, v)
		same(t, name, v, want)
	}
}

// Around the mean, squares are the variance as gonum has it, without its correction by n/(n − 1).
func TestSquaresAreTheVariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 3))
	const k, n = 9, 40
	xs, w := models(rng, k, n), make(tensor.Vector, k)
	w.Fill(1. / k)
	mean, variance, want := make(tensor.Vector, n), make(tensor.Vector, n), make(tensor.Vector, n)
	mean.AddWeighted(w, xs)
	variance.AddSquares(w, xs, mean)
	for i := range want {
		var column []float64
		for _, x := range xs {
			column = append(column, x[i])
		}
		want[i] = stat.PopVariance(column, nil)
	}
	if d := variance.Distance(want); d > 1e-12*want.Norm() {
		t.Errorf("the variance is off by %v", d)
	}
}

func TestCosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 4))
	for _, n := range []int{1, 2, 64, 1000} {
		v, x := make(tensor.Vector, n), make(tensor.Vector, n)
		v.AddNoise(1, rng)
		x.AddNoise(1, rng)
		want := v.Dot(x) / (v.Norm() * x.Norm())
		for _, scale := range []float64{1, 1e-300, 1e300} {
			u := v.Clone()
			u.Scale(scale)
			if got := u.Cosine(x); math.Abs(got-want) > 1e-13 {
				t.Errorf("%d numbers times %v: %v, want %v", n, scale, got, want)
			}
			if got := u.Cosine(u); math.Abs(got-1) > 1e-13 || got > 1 {
				t.Errorf("%d numbers times %v: of itself %v", n, scale, got)
			}
		}
	}
	zero, one := make(tensor.Vector, 2), tensor.Vector{1, 0}
	if zero.Cosine(one) != 0 || one.Cosine(zero) != 0 || one.Cosine(tensor.Vector{0, 1}) != 0 {
		t.Error("a right angle has a cosine")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, x := range []tensor.Vector{zero, one, {0, 1}} {
			if c := x.Cosine(tensor.Vector{bad, 1}); c == c {
				t.Errorf("of %v and %v: %v", x, bad, c)
			}
		}
	}
}

func TestGatherAndScatterAreInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 5))
	x, at := tensor.Vector(models(rng, 1, 100, corners...)[0]), rng.Perm(100)
	some, back := make(tensor.Vector, 100), make(tensor.Vector, 100)
	tensor.Gather(some, x, at)
	for i, from := range at {
		same(t, "gathered", some[i:i+1], x[from:from+1])
	}
	tensor.Scatter(back, some, at)
	same(t, "back", back, x)
	left := tensor.Vector{7, 8, 9}
	tensor.Scatter(left, tensor.Vector{1, 2}, []int{2, 2})
	same(t, "twice", left, tensor.Vector{7, 8, 2})
}

func TestSumsWantWhatFits(t *testing.T) {
	v, x, xs := make(tensor.Vector, 2), make(tensor.Vector, 3), [][]float64{{1, 2}, {3, 4}}
	for name, add := range map[string]func(v, w tensor.Vector, xs [][]float64, c tensor.Vector){
		"AddSquares": tensor.Vector.AddSquares, "AddSigns": tensor.Vector.AddSigns,
	} {
		kerneltest.Panics(t, map[string]func(){
			name + ", weights":      func() { add(v, x, xs, v) },
			name + ", vectors":      func() { add(x, v, xs, x) },
			name + ", a vector":     func() { add(v, v, [][]float64{{1, 2}, nil}, v) },
			name + ", center":       func() { add(v, v, xs, x) },
			name + ", empty center": func() { add(v, v, xs, tensor.Vector{}) },
		})
	}
	kerneltest.Panics(t, map[string]func(){
		"Cosine":             func() { v.Cosine(x) },
		"Gather":             func() { tensor.Gather(v, x, []int{1}) },
		"Gather, an index":   func() { tensor.Gather(v, x, []int{1, 3}) },
		"Scatter":            func() { tensor.Scatter(v, x, []int{1}) },
		"Scatter, an index":  func() { tensor.Scatter(v, v, []int{1, 2}) },
		"Scatter, below all": func() { tensor.Scatter(v, v, []int{1, -1}) },
	})
	kerneltest.None(t, func() {
		v.AddSquares(v, xs, v)
		v.AddSigns(v, xs, nil)
		v.Cosine(v)
		tensor.Gather(v, x, []int{0, 2})
	})
}
