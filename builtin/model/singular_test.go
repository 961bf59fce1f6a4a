package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A degenerate problem has more than one minimiser.
type degenerate struct {
	name      string
	intercept bool
	pop       *fl.Population
}

func degenerates() []degenerate {
	few := population(fl.Shape{Features: 9}, 3, 2)
	twins := population(fl.Shape{Features: 4}, 20, 20)
	fixed := population(fl.Shape{Features: 3}, 20, 20)
	blank := population(fl.Shape{Features: 3}, 20, 20)
	nothing := population(fl.Shape{Features: 2}, 5, 5)
	scaled := population(fl.Shape{Features: 4}, 20, 20)
	for r := range 40 {
		twin := twins.Train.X.Row(r)
		twin[3] = twin[1]
		fixed.Train.X.Row(r)[1] = 2.5
		blank.Train.X.Row(r)[2] = 0
		sum := scaled.Train.X.Row(r)
		sum[0] = 1e4*sum[1] - sum[2]
	}
	clear(nothing.Train.X.Data)
	return []degenerate{
		{"fewer samples than features", false, few},
		{"fewer samples than features, intercept", true, few},
		{"the same feature twice", false, twins},
		{"a constant feature beside an intercept", true, fixed},
		{"a feature that is always zero", false, blank},
		{"nothing but zeros", false, nothing},
		{"nothing but zeros and an intercept", true, nothing},
		{"a feature that is a sum of others", false, scaled},
	}
}

// leastNorm returns the minimiser of least norm by the singular values of the rows.
func (c degenerate) leastNorm(t *testing.T, w fl.Vector) fl.Vector {
	t.Helper()
	x, y := system(c.pop, w, c.intercept)
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	rank := svd.Rank(1e-9)
	theta := mat.NewVecDense(x.RawMatrix().Cols, nil)
	if rank > 0 {
		svd.SolveVecTo(theta, y, rank)
	}
	return theta.RawVector().Data
}

// Where the minimiser is not unique the optimum says so, and is the one of least norm.
func TestSingularSystems(t *testing.T) {
	w := fl.Vector{.3, .7}
	for _, c := range degenerates() {
		m := build(t, Linear, map[string]any{"intercept": c.intercept}, c.pop.Train.Shape)
		best := optimum(t, m, c.pop, w)
		want := c.leastNorm(t, w)
		if best.Unique {
			t.Errorf("%s: the optimum claims to be unique", c.name)
		}
		if d := best.Params.Distance(want); d > 1e-6*(1+want.Norm()) {
			t.Errorf("%s: θ* = %v, least norm is %v", c.name, best.Params, want)
		}
		if value := objective(m, c.pop, w, want); !within(best.Value, value, 1e-9) {
			t.Errorf("%s: F* = %v, want %v", c.name, best.Value, value)
		}
		if best.Value < 0 {
			t.Errorf("%s: F* = %v is negative", c.name, best.Value)
		}
	}
}

// The gap is never negative: not at the optimum, nor anywhere on the flat of minimisers,
// where it is zero but for rounding.
func TestGapIsNotNegative(t *testing.T) {
	w := fl.Vector{.3, .7}
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range degenerates() {
		m := build(t, Linear, map[string]any{"intercept": c.intercept}, c.pop.Train.Shape)
		best := optimum(t, m, c.pop, w)
		x, _ := system(c.pop, w, c.intercept)
		var svd mat.SVD
		svd.Factorize(x, mat.SVDFull)
		var v mat.Dense
		svd.VTo(&v)
		rank, d := svd.Rank(1e-9), len(best.Params)
		for range 200 {
			theta := best.Params.Clone()
			flat := normals(d, rng)
			for k := range rank { // keep what the data do not see
				direction := v.ColView(k)
				flat.AddScaled(-mat.Dot(direction, mat.NewVecDense(d, flat)), mat.Col(nil, k, &v))
			}
			theta.AddScaled(1, flat)
			if gap := best.Gap(theta); gap < 0 || gap > 1e-9*(1+x.Norm(2)*x.Norm(2)) {
				t.Fatalf("%s: gap %v among the minimisers", c.name, gap)
			}
			theta.AddScaled(1, normals(d, rng))
			gap := best.Gap(theta)
			if want := objective(m, c.pop, w, theta) - best.Value; gap < 0 || !within(gap, want, 1e-6) {
				t.Fatalf("%s: gap %v, F(θ) − F* = %v", c.name, gap, want)
			}
		}
		if gap := best.Gap(best.Params); gap != 0 {
			t.Errorf("%s: gap %v at the optimum", c.name, gap)
		}
	}
}

// A system is not called singular because its features have different units.
func TestIllConditionedIsNotSingular(t *testing.T) {
	pop := population(fl.Shape{Features: 3}, 30, 30)
	for r := range 60 {
		row := pop.Train.X.Row(r)
		row[0] *= 1e3
		row[2] *= 1e-2
	}
	m := build(t, Linear, nil, pop.Train.Shape)
	w := fl.Vector{.5, .5}
	best := optimum(t, m, pop, w)
	x, y := system(pop, w, false)
	var theta mat.VecDense
	if err := theta.SolveVec(x, y); err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		if want := theta.AtVec(k); math.Abs(best.Params[k]-want) > 1e-7*math.Abs(want) {
			t.Errorf("θ*[%d] = %v, want %v", k, best.Params[k], want)
		}
	}
	if !best.Unique {
		t.Error("the optimum is called one of several")
	}
}
