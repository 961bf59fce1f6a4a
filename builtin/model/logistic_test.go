package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/hansa-fl/hansa/framework/fl"
)

// odds builds logistic regression for a population.
func odds(t *testing.T, l2 float64, bias bool, pop *fl.Population) fl.Model {
	t.Helper()
	return build(t, Logistic, map[string]any{"l2": l2, "bias": bias}, pop.Train.Shape)
}

// Softmax with two classes of scores ∓s/2 is the same model: losses are equal, and so are optima,
// where its two vectors share a penalty that is twice as large.
//
//hansa:verifies equivalence model/logistic
func TestLogisticIsSoftmaxWithTwoClasses(t *testing.T) {
	pop := population(fl.Shape{Features: 3, Classes: 2}, 12, 7, 30)
	w := fl.Vector{.5, .3, .2}
	for _, bias := range []bool{true, false} {
		for _, l2 := range []float64{0.01, 0.3} {
			one, two := odds(t, l2, bias, pop), regularised(t, 2*l2, bias, pop)
			a, b := optimum(t, one, pop, w), optimum(t, two, pop, w)
			if !within(a.Value, b.Value, 1e-13) {
				t.Errorf("F* = %v, by softmax %v", a.Value, b.Value)
			}
			theta := b.Params
			for k := range 3 {
				if d := theta[3+k] - theta[k] - a.Params[k]; math.Abs(d) > 1e-10 {
					t.Errorf("β%d is off by %g", k, d)
				}
			}
			if bias && math.Abs(theta[7]-theta[6]-a.Params[3]) > 1e-10 {
				t.Errorf("b = %v, by softmax %v", a.Params[3], theta[7]-theta[6])
			}
			both := fl.NewMatrix(pop.Train.Len(), 2)
			one.Worker().Scores(both, a.Params, pop.Train.X)
			for r := range both.Rows {
				row := both.Row(r)
				want := fl.Vector(a.Params[:3]).Dot(pop.Train.X.Row(r))
				if bias {
					want += a.Params[3]
				}
				if row[0] != 0 || !within(row[1], want, 1e-13) {
					t.Fatalf("row %d has scores %v, want 0 and %v", r, row, want)
				}
			}
		}
	}
}

// The optima that NumPy found, for the population and for what each method aims at.
//
//hansa:verifies golden model/logistic
func TestLogisticGolden(t *testing.T) {
	var in struct {
		A    [][]fl.Vector
		Y    []fl.Vector
		L2   float64
		Enr  fl.Vector `json:"enrollment_probability"`
		Part fl.Vector `json:"participation_probability"`
	}
	var want struct {
		Theta  map[string]fl.Vector
		Excess map[string]float64 `json:"excess_loss"`
	}
	golden(t, "fedipw", "population_optimum_and_objective_mismatch", &in, &want)
	pop := &fl.Population{Start: []int{0}, Train: &fl.Dataset{Shape: fl.Shape{Features: 2, Classes: 2}}}
	d := pop.Train
	for i, rows := range in.A {
		for r, x := range rows {
			d.X.Data = append(d.X.Data, x...)
			d.Y = append(d.Y, int(in.Y[i][r]))
		}
		pop.Start = append(pop.Start, len(d.Y))
	}
	d.X.Rows, d.X.Cols = len(d.Y), 2
	m := odds(t, in.L2, false, pop)
	both := in.Enr.Clone()
	both.Mul(in.Part)
	everyone := make(fl.Vector, len(in.A))
	everyone.Fill(1)
	all := map[string]fl.Vector{"population": everyone, "naive_expected": both,
		"round_only_expected": in.Enr}
	everyone.Scale(1 / everyone.Sum())
	best := optimum(t, m, pop, everyone)
	for name, weights := range all {
		w := weights.Clone()
		w.Scale(1 / w.Sum())
		got := optimum(t, m, pop, w)
		if d := got.Params.Distance(want.Theta[name]); d > 1e-9 {
			t.Errorf("%s: θ is %g away", name, d)
		}
		if gap := best.Gap(got.Params); math.Abs(gap-want.Excess[name]) > 1e-12 {
			t.Errorf("%s: excess %v, want %v", name, gap, want.Excess[name])
		}
	}
}

// The divergence of scores is the integral of the curvature between them, whose integrand has
// one sign; so has it, and near the optimum it keeps all its digits.
func TestDivergenceDoesNotCancel(t *testing.T) {
	for _, from := range []float64{0, 0.3, -0.3, 4, -4, 36, -36, 300, -300} {
		for _, away := range []float64{1e-12, 1e-7, 9.9e-4, 1.01e-3, 0.1, 1, 5} {
			for _, step := range []float64{away, -away} {
				got := divergence(from+step, from)
				exact := (from + step) - from
				want := quad.Fixed(func(u float64) float64 {
					p := rarer(from + u*exact)
					return (1 - u) * p * (1 - p) * exact * exact
				}, 0, 1, 60, nil, 0)
				if !(math.Abs(got-want) <= 1e-11*want) {
					t.Errorf("from %v by %v: %v, want %v", from, step, got, want)
				}
			}
		}
	}
	for _, c := range []struct{ s, t, want float64 }{
		{1000, 0, 500 - math.Ln2}, {-1000, 0, 500 - math.Ln2}, {0, 1000, math.Ln2},
		{50, -50, 50}, {1e300, -1, 1e300 * (1 - rarer(1))}, {math.Inf(1), 0, math.Inf(1)},
	} {
		if got := divergence(c.s, c.t); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("divergence of %v from %v: %v, want %v", c.s, c.t, got, c.want)
		}
	}
}

// The gap grows with the square of the distance, down to where a difference is rounding.
func TestGapOfTheSmallest(t *testing.T) {
	pop := population(fl.Shape{Features: 3, Classes: 2}, 20, 9)
	w := fl.Vector{.5, .5}
	m := odds(t, 0.1, true, pop)
	best := optimum(t, m, pop, w)
	last := 0.0
	for _, h := range []float64{1e-3, 1e-5, 1e-7, 1e-9} {
		theta := best.Params.Clone()
		theta.AddConst(h)
		ratio := best.Gap(theta) / (h * h)
		if last != 0 && math.Abs(ratio/last-1) > 1e-3 {
			t.Errorf("at a distance of %v the gap is %v·h², before %v·h²", h, ratio, last)
		}
		last = ratio
	}
}

// One class only has no optimum with a bias, and one without.
func TestOneClassHasNoBias(t *testing.T) {
	pop := population(fl.Shape{Features: 2, Classes: 2}, 10)
	for r := range pop.Train.Y {
		pop.Train.Y[r] = 1
	}
	if _, err := odds(t, 0.1, true, pop).Facts().Solve(pop, fl.Vector{1}); err == nil {
		t.Error("an optimum at infinity was found")
	}
	optimum(t, odds(t, 0.1, false, pop), pop, fl.Vector{1})
	if odds(t, 0, false, pop).Facts().Solve != nil {
		t.Error("l2 = 0 has a solver")
	}
}

// Scores that exp cannot take leave losses and gradients exact.
func TestLogisticOfExtremeScores(t *testing.T) {
	d := &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 2},
		X: fl.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, Y: []int{0}}
	m := build(t, Logistic, nil, d.Shape)
	for _, c := range []struct{ s, zero, one, p float64 }{
		{0, math.Ln2, math.Ln2, .5}, {1000, 1000, 0, 1}, {-1e300, 0, 1e300, 0},
		{math.MaxFloat64, math.MaxFloat64, 0, 1}, {-40, math.Log1p(math.Exp(-40)), 40, math.Exp(-40)},
	} {
		theta := fl.Vector{c.s, 0}
		for y, want := range []float64{c.zero, c.one} {
			d.Y[0] = y
			grad := make(fl.Vector, 2)
			m.Worker().Gradient(grad, theta, d, nil)
			if got := m.Worker().Loss(theta, d); math.Abs(got-want) > 1e-15*(1+want) {
				t.Errorf("s = %v, y = %d: the loss is %v, want %v", c.s, y, got, want)
			}
			if slope := c.p - float64(y); math.Abs(grad[0]-slope) > 1e-15 || grad[0] != grad[1] {
				t.Errorf("s = %v, y = %d: the gradient is %v, want %v", c.s, y, grad, slope)
			}
		}
	}
	if got := m.Worker().Loss(fl.Vector{math.MaxFloat64, math.MaxFloat64}, d); got != 0 {
		t.Errorf("an infinite score for the right class: loss %v", got)
	}
}
