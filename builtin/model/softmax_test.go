package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// regularised builds softmax with a penalty.
func regularised(t *testing.T, l2 float64, bias bool, pop *fl.Population) fl.Model {
	t.Helper()
	return build(t, Softmax, map[string]any{"l2": l2, "bias": bias}, pop.Train.Shape)
}

// slope is the gradient of Σ wᵢ fᵢ + (l2/2)‖W‖² written out, one sample after another,
// for parameters W row by row and then b.
func slope(pop *fl.Population, w, theta fl.Vector, l2 float64) fl.Vector {
	d := pop.Train
	c, f := d.Shape.Classes, d.Shape.Features
	grad := make(fl.Vector, len(theta))
	for k := range c * f {
		grad[k] = l2 * theta[k]
	}
	for i, weight := range w {
		for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
			x, share := d.X.Row(r), weight/float64(pop.Start[i+1]-pop.Start[i])
			scores, sum := make(fl.Vector, c), 0.0
			for a := range c {
				scores[a] = fl.Vector(theta[a*f : a*f+f]).Dot(x)
				if len(theta) > c*f {
					scores[a] += theta[c*f+a]
				}
				sum += math.Exp(scores[a])
			}
			for a := range c {
				v := math.Exp(scores[a]) / sum
				if a == d.Y[r] {
					v--
				}
				fl.Vector(grad[a*f:a*f+f]).AddScaled(share*v, x)
				if len(theta) > c*f {
					grad[c*f+a] += share * v
				}
			}
		}
	}
	return grad
}

// descend runs Nesterov's accelerated gradient descent from zero, restarted where it turns
// uphill (O'Donoghue, Candès, Found. Comput. Math. 15, 2015): slow, and nothing like Newton.
func descend(pop *fl.Population, w fl.Vector, n int, l2, rate float64) fl.Vector {
	theta, ahead, last := make(fl.Vector, n), make(fl.Vector, n), make(fl.Vector, n)
	momentum := 1.0
	for range 20_000 {
		grad := slope(pop, w, ahead, l2)
		copy(last, theta)
		copy(theta, ahead)
		theta.AddScaled(-rate, grad)
		step := theta.Clone()
		step.AddScaled(-1, last)
		if grad.Dot(step) > 0 {
			momentum = 1
		}
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		copy(ahead, theta)
		ahead.AddScaled((momentum-1)/next, step)
		momentum = next
		if grad.Norm() < 1e-12 {
			break
		}
	}
	return theta
}

// Newton's optimum has a gradient of at most 1e-12 by the formula, it is where plain
// descent ends, and its biases sum to zero.
//
//hansa:verifies theorem model/softmax
func TestNewtonFindsTheOptimum(t *testing.T) {
	for _, classes := range []int{2, 4} {
		pop := population(fl.Shape{Features: 3, Classes: classes}, 15, 6, 30)
		for _, bias := range []bool{true, false} {
			for _, l2 := range []float64{0.02, 1} {
				w := fl.Vector{.6, .3, .1}
				m := regularised(t, l2, bias, pop)
				best := optimum(t, m, pop, w)
				what := fmt.Sprintf("%d classes, bias = %t, l2 = %v", classes, bias, l2)
				if g := slope(pop, w, best.Params, l2).Norm(); g > 1e-12+1e-15 || !best.Unique {
					t.Errorf("%s: ‖∇F‖ = %g, unique = %t", what, g, best.Unique)
				}
				far := descend(pop, w, len(best.Params), l2, 0.15)
				if d := best.Params.Distance(far); d > 1e-8 {
					t.Errorf("%s: %g away from where descent ends", what, d)
				}
				if !within(best.Value, objective(m, pop, w, best.Params), 1e-13) {
					t.Errorf("%s: F* = %v, F(θ*) = %v", what, best.Value, objective(m, pop, w, best.Params))
				}
				if sum := fl.Vector(best.Params[classes*3:]).Sum(); math.Abs(sum) > 1e-12 {
					t.Errorf("%s: Σb = %v", what, sum)
				}
			}
		}
	}
}

// A client that does not count leaves no trace: the optimum is that of the others alone.
func TestWeightsOfZero(t *testing.T) {
	pop := population(fl.Shape{Features: 2, Classes: 3}, 20, 25)
	m := regularised(t, 0.1, true, pop)
	first := pop.Train.Rows(0, 20)
	alone := &fl.Population{Train: &first, Start: []int{0, 20}}
	a, b := optimum(t, m, pop, fl.Vector{1, 0}), optimum(t, m, alone, fl.Vector{1})
	if a.Params.Distance(b.Params) > 1e-10 {
		t.Errorf("optima %v and %v", a.Params, b.Params)
	}
	if c := optimum(t, m, pop, fl.Vector{.5, .5}); a.Params.Distance(c.Params) < 1e-3 {
		t.Error("the example is too easy: both clients want the same")
	}
}

// At zero every class is equally likely, so the loss is log C, whatever the penalty.
func TestLossAtZeroIsLogC(t *testing.T) {
	for _, classes := range []int{2, 3, 10} {
		pop := population(fl.Shape{Features: 2, Classes: classes}, 20)
		for _, l2 := range []float64{0, 0.5} {
			m := regularised(t, l2, true, pop)
			theta := m.Init(nil)
			if got := m.Worker().Loss(theta, pop.Train); !within(got, math.Log(float64(classes)), 1e-15) {
				t.Errorf("C = %d, l2 = %v: the loss at zero is %v", classes, l2, got)
			}
		}
	}
}

// The more penalty, the smaller W; in the limit W is 0 and the biases are the logarithms
// of the class shares, less their mean.
func TestPenaltyShrinks(t *testing.T) {
	pop := population(fl.Shape{Features: 3, Classes: 3}, 30, 12)
	w := fl.Vector{.8, .2}
	last := math.Inf(1)
	for _, l2 := range []float64{1e-3, 1e-2, 0.1, 1, 10, 1e3, 1e8} {
		best := optimum(t, regularised(t, l2, true, pop), pop, w)
		norm := fl.Vector(best.Params[:9]).Norm()
		if norm >= last {
			t.Errorf("l2 = %v: ‖W‖ grew from %v to %v", l2, last, norm)
		}
		last = norm
		if l2 < 1e8 {
			continue
		}
		logs, mean := make(fl.Vector, 3), 0.0
		for i, weight := range w {
			for r := pop.Start[i]; r < pop.Start[i+1]; r++ {
				logs[pop.Train.Y[r]] += weight / float64(pop.Start[i+1]-pop.Start[i])
			}
		}
		for c, share := range logs {
			logs[c] = math.Log(share)
			mean += logs[c] / 3
		}
		for c := range logs {
			logs[c] -= mean
		}
		if got := fl.Vector(best.Params[9:]); norm > 1e-7 || got.Distance(logs) > 1e-6 {
			t.Errorf("in the limit ‖W‖ = %v and b = %v, want 0 and %v", norm, got, logs)
		}
	}
}

// The penalty is (l2/2)‖W‖² and leaves the biases free, in loss and gradient.
func TestPenaltyIsOnWeightsOnly(t *testing.T) {
	pop := population(fl.Shape{Features: 2, Classes: 2}, 10)
	theta := fl.Vector{1, 2, 3, 4, 50, 60}
	free, paid := regularised(t, 0, true, pop).Worker(), regularised(t, 0.2, true, pop).Worker()
	if got := paid.Loss(theta, pop.Train) - free.Loss(theta, pop.Train); !within(got, 3, 1e-12) {
		t.Errorf("the penalty is %v, want 0.1·30", got)
	}
	a, b := make(fl.Vector, 6), make(fl.Vector, 6)
	paid.Gradient(a, theta, pop.Train, []int{2, 5})
	free.Gradient(b, theta, pop.Train, []int{2, 5})
	a.AddScaled(-1, b)
	if a.Distance(fl.Vector{.2, .4, .6, .8, 0, 0}) > 1e-14 {
		t.Errorf("the gradient of the penalty is %v", a)
	}
}

// Without a penalty there need be no optimum, and none is guaranteed.
func TestNoPenaltyNoSolver(t *testing.T) {
	pop := population(fl.Shape{Features: 2, Classes: 2}, 10)
	if regularised(t, 0, true, pop).Facts().Solve != nil {
		t.Error("l2 = 0 has a solver")
	}
}

// Scores that exp cannot take leave losses and gradients exact: for scores (s, 0) the loss
// of class 0 is log(1 + e^{−s}), of class 1 that plus s.
func TestExtremeScores(t *testing.T) {
	d := &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 2},
		X: fl.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, Y: []int{0}}
	m := build(t, Softmax, nil, d.Shape)
	for _, c := range []struct{ s, own, other, p float64 }{
		{0, math.Ln2, math.Ln2, .5},
		{1000, 0, 1000, 1}, {-1000, 1000, 0, 0},
		{1e300, 0, 1e300, 1}, {-1e300, 1e300, 0, 0},
		{40, math.Log1p(math.Exp(-40)), 40, 1},
	} {
		theta, grad := fl.Vector{c.s, 0, 0, 0}, make(fl.Vector, 4)
		for y, want := range []float64{c.own, c.other} {
			d.Y[0] = y
			if got := m.Worker().Loss(theta, d); math.Abs(got-want) > 1e-15*(1+want) {
				t.Errorf("s = %v, y = %d: the loss is %v, want %v", c.s, y, got, want)
			}
		}
		d.Y[0] = 1
		m.Worker().Gradient(grad, theta, d, nil)
		if grad.Distance(fl.Vector{c.p, -c.p, c.p, -c.p}) > 1e-15 {
			t.Errorf("s = %v: the gradient is %v", c.s, grad)
		}
	}
	// Beyond the largest number a loss is infinite, not NaN.
	for _, theta := range []fl.Vector{{math.MaxFloat64, -math.MaxFloat64, 0, 0}, {1e308, 0, 1e308, 0}} {
		d.Y[0] = 1
		if got := m.Worker().Loss(theta, d); !math.IsInf(got, 1) {
			t.Errorf("θ = %v: the loss is %v", theta, got)
		}
	}
}

// The curvature that Newton's method uses is the derivative of the gradient, and the
// gradient that of the value; both are those of Σ wᵢ fᵢ.
func TestCurveIsTheDerivativeOfTheGradient(t *testing.T) {
	pop := population(fl.Shape{Features: 3, Classes: 4}, 12, 5, 9)
	w := fl.Vector{.5, .5, 0}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, bias := range []bool{true, false} {
		m := regularised(t, 0.3, bias, pop)
		f := &crossEntropy{model: m.(*softmax), pop: pop, share: w}
		n := m.Layout().Len()
		for range 5 {
			x, v := normals(n, rng), normals(n, rng)
			grad, curve := make(fl.Vector, n), make(fl.Vector, n)
			f.Gradient(grad, x)
			f.Curve(curve, v)
			if grad.Distance(slope(pop, w, x, 0.3)) > 1e-14 {
				t.Errorf("bias = %t: ∇f = %v", bias, grad)
			}
			if !within(f.Value(x), objective(m, pop, w, x), 1e-14) {
				t.Errorf("bias = %t: f = %v, Σwf = %v", bias, f.Value(x), objective(m, pop, w, x))
			}
			const h = 1e-5
			ahead, behind := x.Clone(), x.Clone()
			ahead.AddScaled(h, v)
			behind.AddScaled(-h, v)
			if d := (f.Value(ahead) - f.Value(behind)) / (2 * h); math.Abs(d-grad.Dot(v)) > 1e-8 {
				t.Errorf("bias = %t: ⟨∇f, v⟩ = %v, differences give %v", bias, grad.Dot(v), d)
			}
			up, down := make(fl.Vector, n), make(fl.Vector, n)
			f.Gradient(up, ahead)
			f.Gradient(down, behind)
			up.AddScaled(-1, down)
			up.Scale(1 / (2 * h))
			if up.Distance(curve) > 1e-8 {
				t.Errorf("bias = %t: ∇²f·v = %v, differences give %v", bias, curve, up)
			}
		}
	}
}

// Data with the wrong kind of target are refused in words.
func TestModelsNeedTheirTargets(t *testing.T) {
	labelled := fl.Setting{Clients: 1, Shape: fl.Shape{Features: 2, Classes: 3}}
	if err := Linear.Fits(labelled); err == nil || Softmax.Fits(labelled) != nil {
		t.Errorf("classes: linear %v, softmax %v", err, Softmax.Fits(labelled))
	}
	numbers := fl.Setting{Clients: 1, Shape: fl.Shape{Features: 2}}
	if err := Softmax.Fits(numbers); err == nil || Linear.Fits(numbers) != nil {
		t.Errorf("targets: softmax %v, linear %v", err, Linear.Fits(numbers))
	}
}

// After its first call a worker allocates nothing, whatever it evaluates.
func TestWorkersAllocateNothing(t *testing.T) {
	regression := population(fl.Shape{Features: 5}, 40)
	classes := population(fl.Shape{Features: 5, Classes: 3}, 40)
	two := population(fl.Shape{Features: 5, Classes: 2}, 70)
	for name, m := range map[string]fl.Model{
		"linear":   build(t, Linear, map[string]any{"intercept": true}, regression.Train.Shape),
		"softmax":  regularised(t, 0.1, true, classes),
		"logistic": odds(t, 0.1, true, two),
	} {
		d := regression.Train
		switch name {
		case "softmax":
			d = classes.Train
		case "logistic":
			d = two.Train
		}
		k, theta := m.Worker(), make(fl.Vector, m.Layout().Len())
		grad, scores := make(fl.Vector, len(theta)), fl.NewMatrix(d.Len(), max(1, d.Shape.Classes))
		rows := []int{1, 5, 7}
		work := func() {
			k.Loss(theta, d)
			k.Gradient(grad, theta, d, nil)
			k.Gradient(grad, theta, d, rows)
			k.Scores(scores, theta, d.X)
		}
		work()
		if n := testing.AllocsPerRun(20, work); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The loss of code that takes probabilities for scores, by PyTorch. With one sample per feature,
// all 1, the weights are the scores.
func TestGoldenDoubleSoftmax(t *testing.T) {
	var in struct {
		Logits []fl.Vector
		Y      []int
	}
	var want struct {
		Loss float64
		Grad []fl.Vector
	}
	golden(t, "nn_dense", "double_softmax_loss", &in, &want)
	n, classes := len(in.Logits), len(in.Logits[0])
	d := &fl.Dataset{Shape: fl.Shape{Features: n, Classes: classes}, X: fl.NewMatrix(n, n), Y: in.Y}
	m := build(t, Softmax, map[string]any{"double_softmax": true, "l2": 0.1}, d.Shape)
	plain := build(t, Softmax, map[string]any{"double_softmax": true}, d.Shape)
	theta := make(fl.Vector, m.Layout().Len())
	for i, logits := range in.Logits {
		d.X.Row(i)[i] = 1
		for c, s := range logits {
			theta[c*n+i] = s
		}
	}
	k := plain.Worker()
	if got := k.Loss(theta, d); !within(got, want.Loss, 1e-10) {
		t.Errorf("loss %v, want %v", got, want.Loss)
	}
	grad := make(fl.Vector, len(theta))
	k.Gradient(grad, theta, d, nil)
	scores := fl.NewMatrix(n, classes)
	k.Scores(scores, theta, d.X)
	for i, row := range want.Grad {
		for c, g := range row {
			if !within(grad[c*n+i], g, 1e-10) {
				t.Errorf("gradient of score %d of sample %d is %v, want %v", c, i, grad[c*n+i], g)
			}
		}
		if sum := scores.Row(i).Sum(); !within(sum, 1, 1e-12) {
			t.Errorf("scores of sample %d are no probabilities: they sum to %v", i, sum)
		}
	}
	if m.Facts().Solve != nil {
		t.Error("a loss that is not convex has a solver")
	}
	penalty := 0.1 / 2 * theta[:n*classes].Dot(theta[:n*classes])
	if got := m.Worker().Loss(theta, d); !within(got, want.Loss+penalty, 1e-10) {
		t.Errorf("loss with penalty %v, want %v", got, want.Loss+penalty)
	}
}
