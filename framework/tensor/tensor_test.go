package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

func normal(rng *rand.Rand, n int) Vector {
	v := make(Vector, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func TestVectors(t *testing.T) {
	v, x := Vector{3, 4}, Vector{1, -1}
	if v.Norm() != 5 || v.Sum() != 7 || v.Dot(x) != -1 || v.Distance(Vector{0, 0}) != 5 {
		t.Errorf("norm %v, sum %v, dot %v", v.Norm(), v.Sum(), v.Dot(x))
	}
	c := v.Clone()
	c.AddScaled(2, x)
	c.AddWeighted(Vector{1, 10}, [][]float64{{1, 0}, {0, 1}})
	c.Scale(0.5)
	if c[0] != 3 || c[1] != 6 || v[0] != 3 {
		t.Errorf("got %v from %v", c, v)
	}
}

func TestProjectionOnABall(t *testing.T) {
	for _, c := range []struct {
		radius float64
		want   Vector
	}{{10, Vector{3, 4}}, {5, Vector{3, 4}}, {1, Vector{.6, .8}}, {0, Vector{0, 0}}} {
		v := Vector{3, 4}
		v.Project(c.radius)
		if v.Distance(c.want) > 1e-15 {
			t.Errorf("radius %v: %v, want %v", c.radius, v, c.want)
		}
	}
}

func TestMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := Matrix{Rows: 3, Cols: 70, Data: normal(rng, 210)}
	x, y := normal(rng, 70), normal(rng, 3)
	ax, aty := make(Vector, 3), make(Vector, 70)
	m.MulVec(ax, x)
	m.AddMulTVec(aty, y)
	// ⟨y, Ax⟩ = ⟨Aᵀy, x⟩.
	if a, b := y.Dot(ax), aty.Dot(x); math.Abs(a-b) > 1e-12 {
		t.Errorf("⟨y, Ax⟩ = %v, ⟨Aᵀy, x⟩ = %v", a, b)
	}
	if s := m.Slice(1, 3); s.Rows != 2 || &s.Row(0)[0] != &m.Row(1)[0] {
		t.Error("a slice of rows is not a view")
	}
}

func TestShapesThatDoNotFitPanic(t *testing.T) {
	m := NewMatrix(2, 3)
	for name, f := range map[string]func(){
		"MulVec":     func() { m.MulVec(make(Vector, 3), make(Vector, 3)) },
		"AddMulTVec": func() { m.AddMulTVec(make(Vector, 2), make(Vector, 2)) },
		"AddScaled":  func() { make(Vector, 2).AddScaled(1, make(Vector, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes anything", name)
				}
			}()
			f()
		}()
	}
}

func TestSumsDoNotDependOnWhereNumbersLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 16))
	for n := range 70 {
		x, room := normal(rng, n), make(Vector, n+3)
		want := x.Sum()
		for offset := range 4 {
			at := room[offset:][:min(n, len(room)-offset)]
			copy(at, x)
			if len(at) == n && at.Sum() != want {
				t.Errorf("%d numbers: %v, and %v at an offset of %d", n, want, at.Sum(), offset)
			}
		}
	}
}
