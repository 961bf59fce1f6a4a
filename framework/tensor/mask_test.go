package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// corners are numbers at which comparisons, ranks and signs can go wrong.
var corners = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324,
	-5e-324, math.MaxFloat64, -math.MaxFloat64}

// truth is a mask of one element.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestMasksAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, n := range sizes {
		xs := models(rng, 2, n, corners...)
		a, b := tensor.Vector(xs[0]), tensor.Vector(xs[1])
		for _, c := range append(corners, 1, -2) {
			for name, m := range map[string]struct {
				do   func(v tensor.Vector)
				want func(x, y float64) bool
			}{
				"Above":     {func(v tensor.Vector) { v.Above(c) }, func(x, y float64) bool { return x > c }},
				"AtLeast":   {func(v tensor.Vector) { v.AtLeast(c) }, func(x, y float64) bool { return x >= c }},
				"Below":     {func(v tensor.Vector) { v.Below(c) }, func(x, y float64) bool { return x < c }},
				"AtMost":    {func(v tensor.Vector) { v.AtMost(c) }, func(x, y float64) bool { return x <= c }},
				"Less":      {func(v tensor.Vector) { tensor.Less(v, v, b) }, func(x, y float64) bool { return x < y }},
				"LessEqual": {func(v tensor.Vector) { tensor.LessEqual(v, v, b) }, func(x, y float64) bool { return x <= y }},
				"Greater":   {func(v tensor.Vector) { tensor.Less(v, b, v) }, func(x, y float64) bool { return x > y }},
			} {
				got, want := a.Clone(), make(tensor.Vector, n)
				m.do(got)
				for i := range want {
					want[i] = truth(m.want(a[i], b[i]))
				}
				same(t, name, got, want)
			}
		}
	}
}

// What is selected keeps its bits, and what is not leaves no trace.
func TestSelectTakesOneOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	for _, n := range sizes {
		xs := models(rng, 3, n, corners...)
		mask, a, b := tensor.Vector(xs[0]), tensor.Vector(xs[1]), tensor.Vector(xs[2])
		want := make(tensor.Vector, n)
		for i := range want {
			if mask[i] == 0 {
				want[i] = b[i]
			} else {
				want[i] = a[i]
			}
		}
		got := make(tensor.Vector, n)
		tensor.Select(got, mask, a, b)
		same(t, "apart", got, want)
		for _, in := range []int{0, 1, 2} {
			args := []tensor.Vector{mask.Clone(), a.Clone(), b.Clone()}
			tensor.Select(args[in], args[0], args[1], args[2])
			same(t, "in place", args[in], want)
		}
	}
}

// Masks are counted, crossed and turned round by arithmetic, which is exact.
func TestMasksAreArithmetic(t *testing.T) {
	v := tensor.Vector{-2, 3, math.NaN(), 5, 0}
	up, finite := v.Clone(), make(tensor.Vector, len(v))
	up.Above(0)
	tensor.LessEqual(finite, v, v)
	if up.Sum() != 2 || finite.Sum() != 4 {
		t.Errorf("%v are above 0, %v are numbers", up.Sum(), finite.Sum())
	}
	up.Scale(-1)
	up.AddConst(1)
	up.Mul(finite)
	same(t, "at most 0", up, tensor.Vector{1, 0, 0, 0, 1})
}

func TestMasksWantWhatFits(t *testing.T) {
	v, x := make(tensor.Vector, 2), make(tensor.Vector, 3)
	kerneltest.Panics(t, map[string]func(){
		"Less":              func() { tensor.Less(v, v, x) },
		"Less, the first":   func() { tensor.Less(v, x, v) },
		"LessEqual":         func() { tensor.LessEqual(x, v, v) },
		"Select, a mask":    func() { tensor.Select(v, x, v, v) },
		"Select, the first": func() { tensor.Select(v, v, x, v) },
		"Select, the last":  func() { tensor.Select(v, v, v, x) },
	})
	kerneltest.None(t, func() {
		v.Above(1)
		v.AtMost(1)
		tensor.Less(v, v, v)
		tensor.Select(v, v, v, v)
	})
}
