package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// system returns the rows of a weighted least-squares problem: row r of client i times
// √(wᵢ/nᵢ), with a column of ones where there is an intercept.
func system(pop *fl.Population, w fl.Vector, intercept bool) (x *mat.Dense, y *mat.VecDense) {
	d := pop.Train
	cols := d.X.Cols
	if intercept {
		cols++
	}
	x, y = mat.NewDense(d.Len(), cols, nil), mat.NewVecDense(d.Len(), nil)
	for i, weight := range w {
		n := pop.Start[i+1] - pop.Start[i]
		root := math.Sqrt(weight / float64(n))
		for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
			for k, v := range d.X.Row(r) {
				x.Set(r, k, root*v)
			}
			if intercept {
				x.Set(r, cols-1, root)
			}
			y.SetVec(r, root*d.Target[r])
		}
	}
	return x, y
}

// variants are the parameters of linear.
func variants() []map[string]any {
	return []map[string]any{
		{"loss": "mse"}, {"loss": "half-mse"},
		{"loss": "mse", "intercept": true}, {"loss": "half-mse", "intercept": true},
	}
}

func scaleOf(given map[string]any) float64 {
	if given["loss"] == "half-mse" {
		return 0.5
	}
	return 1
}

// Theorem: the optimum is the weighted least-squares solution, as QR finds it without
// squaring the condition number.
//
//hansa:verifies theorem model/linear
func TestOptimumIsLeastSquares(t *testing.T) {
	pop := population(fl.Shape{Features: 4}, 7, 1, 12, 5)
	for _, given := range variants() {
		m := build(t, Linear, given, pop.Train.Shape)
		for _, w := range []fl.Vector{{.25, .25, .25, .25}, {.7, .1, .15, .05}, {0, .4, .6, 0}} {
			x, y := system(pop, w, given["intercept"] == true)
			var theta mat.VecDense
			if err := theta.SolveVec(x, y); err != nil {
				t.Fatal(err)
			}
			want := fl.Vector(theta.RawVector().Data)
			best := optimum(t, m, pop, w)
			if !best.Unique || best.Params.Distance(want) > 1e-10 {
				t.Errorf("%v, w = %v: θ* = %v, unique = %t, want %v", given, w, best.Params, best.Unique, want)
			}
			var residual mat.VecDense
			residual.MulVec(x, &theta)
			residual.SubVec(&residual, y)
			value := scaleOf(given) * mat.Dot(&residual, &residual)
			if !within(best.Value, value, 1e-12) || !within(objective(m, pop, w, want), value, 1e-12) {
				t.Errorf("%v, w = %v: F* = %v, want %v", given, w, best.Value, value)
			}
		}
	}
}

// Gap is F(θ) − F(θ*): near the optimum to full relative accuracy, where subtracting would
// leave nothing, and far away as well.
func TestGapIsTheObjectiveAboveItsMinimum(t *testing.T) {
	pop := population(fl.Shape{Features: 4}, 7, 3, 12)
	w := fl.Vector{.2, .5, .3}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, given := range variants() {
		m := build(t, Linear, given, pop.Train.Shape)
		best := optimum(t, m, pop, w)
		x, _ := system(pop, w, given["intercept"] == true)
		for _, away := range []float64{0, 1e-12, 1e-6, 1, 1e6} {
			delta := normals(len(best.Params), rng)
			delta.Scale(away)
			theta := best.Params.Clone()
			theta.AddScaled(1, delta)
			theta.AddScaled(-1, best.Params) // what is left of δ beside θ*
			delta = theta.Clone()
			theta.AddScaled(1, best.Params)
			var moved mat.VecDense
			moved.MulVec(x, mat.NewVecDense(len(delta), delta))
			want := scaleOf(given) * mat.Dot(&moved, &moved)
			got := best.Gap(theta)
			if math.Abs(got-want) > 1e-9*want || got < 0 {
				t.Errorf("%v, %v away: gap %v, want %v", given, away, got, want)
			}
			if away >= 1 && !within(objective(m, pop, w, theta)-best.Value, got, 1e-9) {
				t.Errorf("%v, %v away: gap %v is not F(θ) − F*", given, away, got)
			}
		}
	}
}

// half-mse is half of mse bit for bit, in loss and gradient, with rows and with moments;
// both have the same optimum.
func TestHalfIsHalf(t *testing.T) {
	pop := population(fl.Shape{Features: 3}, 9, 4)
	w, theta := fl.Vector{.5, .5}, fl.Vector{1, -2, .5, 3}
	whole := build(t, Linear, map[string]any{"intercept": true}, pop.Train.Shape)
	half := build(t, Linear, map[string]any{"intercept": true, "loss": "half-mse"}, pop.Train.Shape)
	rows := *pop.Train
	squares := *pop.Train
	squares.Moments = fl.NewMoments(pop.Train, nil)
	for name, d := range map[string]*fl.Dataset{"rows": &rows, "moments": &squares} {
		if a, b := whole.Worker().Loss(theta, d), half.Worker().Loss(theta, d); a != 2*b {
			t.Errorf("%s: losses %v and %v", name, a, b)
		}
		for _, batch := range [][]int{nil, {3, 1, 7}} {
			a, b := make(fl.Vector, 4), make(fl.Vector, 4)
			whole.Worker().Gradient(a, theta, d, batch)
			half.Worker().Gradient(b, theta, d, batch)
			b.Scale(2)
			if !slices.Equal(a, b) {
				t.Errorf("%s, batch %v: gradients %v and twice %v", name, batch, a, b)
			}
		}
	}
	a, b := optimum(t, whole, pop, w), optimum(t, half, pop, w)
	if !slices.Equal(a.Params, b.Params) || a.Value != 2*b.Value || a.Gap(theta) != 2*b.Gap(theta) {
		t.Errorf("optima %v and %v, values %v and %v", a.Params, b.Params, a.Value, b.Value)
	}
}

// An intercept is a feature that is always one.
func TestInterceptIsAFeature(t *testing.T) {
	pop := population(fl.Shape{Features: 3}, 9, 4)
	wide := &fl.Population{Start: pop.Start, Train: &fl.Dataset{Shape: fl.Shape{Features: 4},
		X: fl.NewMatrix(13, 4), Target: pop.Train.Target}}
	for r := range 13 {
		copy(wide.Train.X.Row(r), append(slices.Clone(pop.Train.X.Row(r)), 1))
	}
	with := build(t, Linear, map[string]any{"intercept": true}, pop.Train.Shape)
	without := build(t, Linear, nil, wide.Train.Shape)
	w, theta := fl.Vector{.3, .7}, fl.Vector{1, -2, .5, 3}
	if a, b := with.Worker().Loss(theta, pop.Train), without.Worker().Loss(theta, wide.Train); !within(a, b, 1e-14) {
		t.Errorf("losses %v and %v", a, b)
	}
	a, b := optimum(t, with, pop, w), optimum(t, without, wide, w)
	if a.Params.Distance(b.Params) > 1e-12 || !within(a.Value, b.Value, 1e-13) || !a.Unique {
		t.Errorf("optima %v and %v", a.Params, b.Params)
	}
}

// The mixture of the clients' data as moments has the loss Σ wᵢ fᵢ and its gradient, in
// clients of unequal size, and where some do not count.
func TestMixtureIsTheObjective(t *testing.T) {
	pop := population(fl.Shape{Features: 3}, 9, 1, 40)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, given := range variants() {
		m := build(t, Linear, given, pop.Train.Shape)
		k := m.Worker()
		for _, w := range []fl.Vector{{.2, .5, .3}, {1, 0, 0}} {
			theta := normals(m.Layout().Len(), rng)
			mixed := &fl.Dataset{Shape: pop.Train.Shape, Moments: pop.Mix(w)}
			if got, want := k.Loss(theta, mixed), objective(m, pop, w, theta); !within(got, want, 1e-12) {
				t.Errorf("%v, w = %v: the loss is %v, Σwf = %v", given, w, got, want)
			}
			got, want := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
			k.Gradient(got, theta, mixed, nil)
			for i, weight := range w {
				c, own := pop.Train.Rows(pop.Start[i], pop.Start[i+1]), make(fl.Vector, len(theta))
				k.Gradient(own, theta, &c, nil)
				want.AddScaled(weight, own)
			}
			if got.Distance(want) > 1e-12*want.Norm() {
				t.Errorf("%v, w = %v: the gradient is %v, Σw∇f = %v", given, w, got, want)
			}
		}
	}
}

// A loss beyond the largest number is infinite, never NaN, with rows and with moments.
func TestHugeParameters(t *testing.T) {
	pop := population(fl.Shape{Features: 2}, 9)
	m := build(t, Linear, map[string]any{"intercept": true}, pop.Train.Shape)
	squares := *pop.Train
	squares.Moments = fl.NewMoments(pop.Train, nil)
	best := optimum(t, m, pop, fl.Vector{1})
	for _, theta := range []fl.Vector{
		{1e200, -1e200, 1}, {1e200, 1e200, -1e200}, {0, 0, 1e308}, {-math.MaxFloat64, 1, math.MaxFloat64},
	} {
		for name, d := range map[string]*fl.Dataset{"rows": pop.Train, "moments": &squares} {
			if got := m.Worker().Loss(theta, d); !math.IsInf(got, 1) {
				t.Errorf("%s: loss at %v is %v", name, theta, got)
			}
		}
		if got := best.Gap(theta); !math.IsInf(got, 1) {
			t.Errorf("gap at %v is %v", theta, got)
		}
	}
}
