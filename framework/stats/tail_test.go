package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// parabolas are Fᵤ(x) = ½(x − aᵤ)ᵀHᵤ(x − aᵤ) + bᵤ.
type parabolas struct {
	a    tensor.Matrix
	h    []tensor.Matrix
	rest tensor.Vector
}

func newParabolas(n, d int, rng *rand.Rand) *parabolas {
	f := &parabolas{a: tensor.NewMatrix(n, d), rest: make(tensor.Vector, n)}
	tensor.Vector(f.a.Data).AddNoise(1, rng)
	f.rest.AddNoise(0.2, rng)
	for range n {
		h, root := tensor.NewMatrix(d, d), tensor.NewMatrix(d, d)
		tensor.Vector(root.Data).AddNoise(1, rng)
		for i := range d {
			for j := range d {
				h.Row(i)[j] = tensor.Vector(root.Row(i)).Dot(root.Row(j))
			}
			h.Row(i)[i] += 0.1
		}
		f.h = append(f.h, h)
	}
	return f
}

func (f *parabolas) pull(dst tensor.Vector, u int, x tensor.Vector) {
	away := x.Clone()
	away.Sub(f.a.Row(u))
	f.h[u].MulVec(dst, away)
}

func (f *parabolas) Values(dst, x tensor.Vector) {
	g := make(tensor.Vector, len(x))
	for u := range dst {
		f.pull(g, u, x)
		away := x.Clone()
		away.Sub(f.a.Row(u))
		dst[u] = away.Dot(g)/2 + f.rest[u]
	}
}

func (f *parabolas) Gradients(dst tensor.Matrix, x tensor.Vector) {
	for u := range dst.Rows {
		f.pull(dst.Row(u), u, x)
	}
}

func (f *parabolas) Curve(dst, _, lambda, v tensor.Vector) {
	h := make(tensor.Vector, len(v))
	for u, l := range lambda {
		f.h[u].MulVec(h, v)
		dst.AddScaled(l, h)
	}
}

// least returns the minimum of Σ λᵤFᵤ.
func (f *parabolas) least(lambda tensor.Vector) float64 {
	d := f.a.Cols
	sum, pull := mat.NewSymDense(d, nil), make(tensor.Vector, d)
	for u, l := range lambda {
		for i := range d {
			for j := i; j < d; j++ {
				sum.SetSym(i, j, sum.At(i, j)+l*f.h[u].Row(i)[j])
			}
		}
		h := make(tensor.Vector, d)
		f.h[u].MulVec(h, f.a.Row(u))
		pull.AddScaled(l, h)
	}
	var chol mat.Cholesky
	chol.Factorize(sum)
	x, values := make(tensor.Vector, d), make(tensor.Vector, len(lambda))
	if err := chol.SolveVecTo(mat.NewVecDense(d, x), mat.NewVecDense(d, pull)); err != nil {
		panic(err)
	}
	f.Values(values, x)
	return lambda.Dot(values)
}

// A minimum of the tail is one to 1e-9: weights within their bounds have no lower sum than that, by
// an optimum of their own. So for means of the worst share, and for the worst of all.
func TestTailMinimumHasACertificate(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 25))
	for k := range 60 {
		n, d := 2+rng.IntN(30), 1+rng.IntN(6)
		f := newParabolas(n, d, rng)
		p := weights(rng, n, 2)
		if n > 2 && k%3 == 0 {
			p[rng.IntN(n)] = 0
		}
		p.Scale(1 / p.Sum())
		tail := Tail{Share: p, Worst: []float64{0, 0.05, 0.3, 0.8}[k%4]}
		start := make(tensor.Vector, d)
		got := tail.Minimise(f, start)
		values, lambda := make(tensor.Vector, n), make(tensor.Vector, n)
		f.Values(values, got.At)
		tolerance{1e-12, 1e-12}.one(t, "value", got.Value, tail.Of(lambda, values))
		for u, l := range got.Lambda {
			if l < 0 || l > tail.bound(u)+1e-15 {
				t.Fatalf("λ = %v of unit %d, at most %v", l, u, tail.bound(u))
			}
		}
		tolerance{1e-12, 0}.one(t, "Σλ", got.Lambda.Sum(), 1)
		if gap := got.Value - f.least(got.Lambda); !(math.Abs(gap) <= 1e-9*(1+math.Abs(got.Value))) {
			t.Errorf("n = %d, d = %d, c = %v: gap %.2e of %v", n, d, tail.Worst, gap, got.Value)
		}
	}
}

// The mean of the worst share is the minimum over η of Rockafellar and Uryasev, attained at one of
// the values.
func TestTailOfIsRockafellarUryasev(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 26))
	for range 200 {
		n := 1 + rng.IntN(12)
		p, f, lambda := weights(rng, n, 2), make(tensor.Vector, n), make(tensor.Vector, n)
		f.AddNoise(1, rng)
		p.Scale(1 / p.Sum())
		tail := Tail{Share: p, Worst: rng.Float64()}
		least := math.Inf(1)
		for _, eta := range f {
			sum := eta
			for u, x := range f {
				sum += p[u] * max(0, x-eta) / tail.Worst
			}
			least = min(least, sum)
		}
		got := tail.Of(lambda, f)
		tolerance{1e-12, 1e-12}.all(t, "CVaR", tensor.Vector{got, lambda.Dot(f), lambda.Sum()},
			tensor.Vector{least, least, 1})
	}
	tail := Tail{Share: tensor.Vector{0.5, 0.5, 0}}
	lambda := make(tensor.Vector, 3)
	if got := tail.Of(lambda, tensor.Vector{1, 2, 3}); got != 2 {
		t.Errorf("the worst that counts: %v by %v", got, lambda)
	}
}

// The least of the largest of squared distances is that of the smallest ball around the points.
func TestTailIsTheSmallestBall(t *testing.T) {
	f := &parabolas{a: tensor.Matrix{Rows: 4, Cols: 2, Data: []float64{0, 0, 2, 0, 1, 0.5, 1, -0.9}},
		rest: make(tensor.Vector, 4)}
	for range 4 {
		f.h = append(f.h, tensor.Matrix{Rows: 2, Cols: 2, Data: []float64{2, 0, 0, 2}})
	}
	tail := Tail{Share: tensor.Vector{0.25, 0.25, 0.25, 0.25}}
	got := tail.Minimise(f, tensor.Vector{5, 5})
	tolerance{1e-5, 0}.all(t, "centre", got.At, tensor.Vector{1, 0})
	tolerance{1e-9, 0}.one(t, "radius²", got.Value, 1)
}
