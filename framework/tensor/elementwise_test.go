package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

func TestElementsAgainstNaiveLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	for _, n := range sizes {
		xs := models(rng, 2, n, special...)
		v, x := tensor.Vector(xs[0]), tensor.Vector(xs[1])
		for name, c := range map[string]struct {
			do   func(dst tensor.Vector)
			want func(a, b float64) float64
		}{
			"Fill":     {func(d tensor.Vector) { d.Fill(3) }, func(a, b float64) float64 { return 3 }},
			"Add":      {func(d tensor.Vector) { d.Add(x) }, func(a, b float64) float64 { return a + b }},
			"Sub":      {func(d tensor.Vector) { d.Sub(x) }, func(a, b float64) float64 { return a - b }},
			"AddConst": {func(d tensor.Vector) { d.AddConst(.3) }, func(a, b float64) float64 { return a + .3 }},
			"Mul":      {func(d tensor.Vector) { d.Mul(x) }, func(a, b float64) float64 { return a * b }},
			"Div":      {func(d tensor.Vector) { d.Div(x) }, func(a, b float64) float64 { return a / b }},
			"Max":      {func(d tensor.Vector) { d.Max(x) }, func(a, b float64) float64 { return max(a, b) }},
			"Min":      {func(d tensor.Vector) { d.Min(x) }, func(a, b float64) float64 { return min(a, b) }},
			"Floor":    {tensor.Vector.Floor, func(a, b float64) float64 { return math.Floor(a) }},
			"Log":      {tensor.Vector.Log, func(a, b float64) float64 { return math.Log(a) }},
			"Pow":      {func(d tensor.Vector) { d.Pow(1.5) }, func(a, b float64) float64 { return math.Pow(a, 1.5) }},
			"AddProduct": {func(d tensor.Vector) { d.AddProduct(.1, x, x) }, func(a, b float64) float64 {
				product := float64(.1*b) * b
				return a + float64(product)
			}},
			"AddProduct of itself": {func(d tensor.Vector) { d.AddProduct(-.3, d, d) },
				func(a, b float64) float64 {
					product := float64(-.3*a) * a
					return a + float64(product)
				}},
			"Sqrt": {tensor.Vector.Sqrt, func(a, b float64) float64 { return math.Sqrt(a) }},
			"Abs":  {tensor.Vector.Abs, func(a, b float64) float64 { return math.Abs(a) }},
			"Sign": {tensor.Vector.Sign, func(a, b float64) float64 {
				if a == 0 || a != a {
					return a
				}
				return math.Copysign(1, a)
			}},
			"Clamp": {func(d tensor.Vector) { d.Clamp(-1, 2) }, func(a, b float64) float64 {
				if a < -1 {
					return -1
				} else if a > 2 {
					return 2
				}
				return a
			}},
		} {
			got, want := v.Clone(), make(tensor.Vector, n)
			c.do(got)
			for i := range want {
				want[i] = c.want(v[i], x[i])
			}
			same(t, name, got, want)
		}
	}
}

// e^x is right to 1 ulp, and ln undoes it.
func TestExpAndLog(t *testing.T) {
	x := tensor.Vector{0, 1, -1, 700, -700, 1e-9, math.Inf(1), math.Inf(-1), math.NaN(), 710, -800}
	got := x.Clone()
	got.Exp()
	for i, y := range got {
		want := math.Exp(x[i])
		if y != want && !(math.Abs(y-want) <= 1.01*(math.Nextafter(want, math.Inf(1))-want)) &&
			(y == y || want == want) {
			t.Errorf("e^%v is %v, want %v", x[i], y, want)
		}
	}
	back := got[:6].Clone()
	back.Log()
	within(t, "ln e^x", back, x[:6])
}

func TestSoftmaxIsADistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 2))
	for _, n := range sizes {
		x, p := make(tensor.Vector, n), make(tensor.Vector, n)
		sum := 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			sum += math.Exp(x[i])
		}
		x.AddConst(800)
		logSum := tensor.Softmax(p, x)
		if n == 0 {
			if !math.IsInf(logSum, -1) {
				t.Errorf("log Σ of nothing is %v", logSum)
			}
			continue
		}
		within(t, "log Σ", tensor.Vector{logSum}, tensor.Vector{x.LogSumExp()})
		within(t, "log Σ, naively", tensor.Vector{logSum}, tensor.Vector{800 + math.Log(sum)})
		within(t, "Σ", tensor.Vector{p.Sum()}, tensor.Vector{1})
		tensor.Softmax(x, x)
		same(t, "in place", x, p)
	}
	off := tensor.Vector{math.Inf(-1), 0}
	tensor.Softmax(off, off)
	same(t, "−Inf", off, tensor.Vector{0, 1})
	for _, x := range []tensor.Vector{{math.Inf(-1)}, {math.Inf(1), 0}, {math.NaN(), 0}} {
		if tensor.Softmax(x, x); x[0] == x[0] {
			t.Errorf("softmax made %v", x)
		}
	}
}

// The noise is normal: by the test of Kolmogorov and Smirnov, D√n is below 1.95 in 999 of 1000
// samples.
func TestNoiseIsNormal(t *testing.T) {
	const n, sigma = 200_000, 0.3
	v := make(tensor.Vector, n)
	v.Fill(5)
	v.AddNoise(sigma, rand.New(rand.NewPCG(33, 3)))
	law, gap := distuv.Normal{Mu: 5, Sigma: sigma}, 0.0
	for rank, i := range tensor.ArgSort(nil, v) {
		p := law.CDF(v[i])
		gap = max(gap, p-float64(rank)/n, float64(rank+1)/n-p)
	}
	if gap*math.Sqrt(n) > 1.95 {
		t.Errorf("D = %v", gap)
	}
	one, other := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	tensor.Vector{1, 2}.AddNoise(0, one)
	if one.Uint64() != other.Uint64() {
		t.Error("no noise was drawn")
	}
}

// Rounding at random keeps the mean: over n numbers it is off by less than 4 standard deviations,
// of which one is at most 1/(2√n). A mask has the share that it is asked for.
func TestUniformNumbersRoundWithoutBias(t *testing.T) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(33, 5))
	for _, x := range []float64{-3.7, 0.2, 5} {
		v := make(tensor.Vector, n)
		v.Fill(x)
		v.AddUniform(1, rng)
		v.Floor()
		if mean := v.Sum() / n; math.Abs(mean-x) > 2/math.Sqrt(n) {
			t.Errorf("%v is rounded to %v in the mean", x, mean)
		}
		for _, y := range v {
			if y != math.Floor(y) || math.Abs(y-x) > 1 {
				t.Fatalf("%v is rounded to %v", x, y)
			}
		}
	}
	mask := make(tensor.Vector, n)
	mask.AddUniform(1, rng)
	mask.Below(0.3)
	if share := mask.Sum() / n; math.Abs(share-0.3) > 2/math.Sqrt(n) {
		t.Errorf("a mask of %v", share)
	}
	one, other := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	tensor.Vector{1, 2}.AddUniform(0, one)
	if one.Uint64() != other.Uint64() {
		t.Error("no numbers were drawn")
	}
}

func TestElementsWantWhatFits(t *testing.T) {
	v, x, rng := make(tensor.Vector, 2), make(tensor.Vector, 3), rand.New(rand.NewPCG(33, 4))
	kerneltest.Panics(t, map[string]func(){
		"Add":                    func() { v.Add(x) },
		"Sub":                    func() { v.Sub(x) },
		"Mul":                    func() { v.Mul(x) },
		"Div":                    func() { v.Div(x) },
		"Clamp":                  func() { v.Clamp(1, 0) },
		"Clamp ?":                func() { v.Clamp(math.NaN(), 0) },
		"Softmax":                func() { tensor.Softmax(v, x) },
		"Max":                    func() { v.Max(x) },
		"Min":                    func() { v.Min(x) },
		"AddProduct, the first":  func() { v.AddProduct(1, x, v) },
		"AddProduct, the second": func() { v.AddProduct(1, v, x) },
	})
	kerneltest.None(t, func() {
		v.Fill(1)
		v.AddNoise(1, rng)
		tensor.Softmax(v, v)
		v.LogSumExp()
		v.Exp()
		v.Log()
		v.Floor()
		v.AddUniform(1, rng)
		v.Pow(2)
		v.Max(v)
		v.AddProduct(1, v, v)
	})
}
