package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// logSumExp is f(x) = log Σᵢ exp(⟨aᵢ, x⟩) + (ρ/2)‖x − c‖²: smooth, strongly convex, and
// far from quadratic.
type logSumExp struct {
	a   [][]float64
	c   []float64
	rho float64
	p   []float64 // softmax of ⟨aᵢ, x⟩ at the last Gradient
}

// lse returns log Σᵢ exp(⟨aᵢ, x⟩).
func (f *logSumExp) lse(x tensor.Vector) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, a := range f.a {
		top = math.Max(top, x.Dot(a))
	}
	for _, a := range f.a {
		sum += math.Exp(x.Dot(a) - top)
	}
	return top + math.Log(sum)
}

func (f *logSumExp) Value(x tensor.Vector) float64 {
	away := x.Distance(f.c)
	return f.lse(x) + f.rho/2*away*away
}

func (f *logSumExp) Gradient(dst, x tensor.Vector) {
	for i := range x {
		dst[i] = f.rho * (x[i] - f.c[i])
	}
	lse := f.lse(x)
	f.p = f.p[:0]
	for _, a := range f.a {
		p := math.Exp(x.Dot(a) - lse)
		f.p = append(f.p, p)
		dst.AddScaled(p, a)
	}
}

func (f *logSumExp) Curve(dst, v tensor.Vector) {
	mean := 0.0
	for i, a := range f.a {
		mean += f.p[i] * v.Dot(a)
	}
	for i := range dst {
		dst[i] = f.rho * v[i]
	}
	for i, a := range f.a {
		dst.AddScaled(f.p[i]*(v.Dot(a)-mean), a)
	}
}

func TestMinimiseReachesTheMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + rng.IntN(12)
		// Flatter functions have their minimum so far out that ⟨aᵢ, x⟩ rounds by 1e-12.
		f := &logSumExp{rho: math.Pow(10, -2*rng.Float64())}
		for range 1 + rng.IntN(20) {
			f.a = append(f.a, normals(rng, n, 3))
		}
		f.c = normals(rng, n, 1)
		m := Minimise(f, normals(rng, n, 5), 1e-12, 200)
		if !m.Converged {
			t.Fatalf("‖∇f‖ = %g after %d steps", m.Residual, m.Steps)
		}
		for range 20 {
			near := m.X.Clone()
			near.AddScaled(1e-2, normals(rng, n, 1))
			if f.Value(near) < m.Value-1e-12 {
				t.Fatalf("a neighbour is lower: %g < %g", f.Value(near), m.Value)
			}
		}
	}
}

func TestMinimiseSolvesAQuadraticExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 30
	b := mat.NewDense(n, n, normals(rng, n*n, 1))
	var a mat.SymDense
	a.SymOuterK(1, b)
	want := mat.NewVecDense(n, normals(rng, n, 1))
	var rhs mat.VecDense
	rhs.MulVec(&a, want)
	m := Minimise(&quadratic{&a, &rhs}, make(tensor.Vector, n), 1e-11, 100)
	if d := m.X.Distance(want.RawVector().Data); !m.Converged || d > 1e-8 {
		t.Errorf("distance %g after %d steps, residual %g", d, m.Steps, m.Residual)
	}
}

// quadratic is ½xᵀax − ⟨b, x⟩.
type quadratic struct {
	a *mat.SymDense
	b *mat.VecDense
}

func (q *quadratic) Value(x tensor.Vector) float64 {
	v := mat.NewVecDense(len(x), x)
	return mat.Inner(v, q.a, v)/2 - mat.Dot(q.b, v)
}

func (q *quadratic) Gradient(dst, x tensor.Vector) {
	q.Curve(dst, x)
	dst.AddScaled(-1, q.b.RawVector().Data)
}

func (q *quadratic) Curve(dst, v tensor.Vector) {
	mat.NewVecDense(len(dst), dst).MulVec(q.a, mat.NewVecDense(len(v), v))
}

func normals(rng *rand.Rand, n int, scale float64) tensor.Vector {
	v := make(tensor.Vector, n)
	for i := range v {
		v[i] = scale * rng.NormFloat64()
	}
	return v
}
