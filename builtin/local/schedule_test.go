package local_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The rate of a round is read off one plain step, whose length is η‖g‖.
func TestSchedules(t *testing.T) {
	b := newBench(t, 9, 3) // rule plans 40 rounds
	a, rhs := b.quadratic()
	g := mat.NewVecDense(3, nil)
	g.MulVec(a, mat.NewVecDense(3, b.task.Global))
	g.SubVec(g, rhs)
	length := mat.Norm(g, 2)
	for _, c := range []struct {
		given map[string]any
		want  map[int]float64
	}{
		{nil, map[int]float64{0: 0.01, 39: 0.01}},
		{map[string]any{"schedule": "step", "period": int64(10), "gamma": 0.5},
			map[int]float64{0: 0.01, 9: 0.01, 10: 0.005, 19: 0.005, 39: 0.00125}},
		{map[string]any{"schedule": "cosine"}, map[int]float64{0: 0.01, 20: 0.005,
			10: 0.005 + 0.005*math.Sqrt2/2, 39: 0.005 + 0.005*math.Cos(math.Pi*39/40)}},
		{map[string]any{"schedule": "cosine", "lr_end": 0.004}, map[int]float64{0: 0.01, 20: 0.007}},
	} {
		given := map[string]any{"lr": 0.01, "steps": int64(1)}
		for k, v := range c.given {
			given[k] = v
		}
		r := rule(t, given)
		for round, want := range c.want {
			b.task.T = round
			if got := b.train(t, r, round).Params.Distance(b.task.Global) / length; math.Abs(got-want) > 1e-14 {
				t.Errorf("%v: η of round %d is %v, want %v", c.given, round, got, want)
			}
		}
	}
}

// The optimizer of the experiment makes the steps, anew in every task: two steps with
// momentum are θ − η(g₀ + (g₁ + μg₀)), and the next task does not know of them.
func TestOptimizersBeginAnew(t *testing.T) {
	const rate, mu = 0.01, 0.9
	b := newBench(t, 9, 3)
	a, rhs := b.quadratic()
	gradient := func(theta fl.Vector) fl.Vector {
		g := mat.NewVecDense(len(theta), nil)
		g.MulVec(a, mat.NewVecDense(len(theta), theta))
		g.SubVec(g, rhs)
		return g.RawVector().Data
	}
	first := gradient(b.task.Global)
	want := b.task.Global.Clone()
	want.AddScaled(-rate, first)
	second := gradient(want)
	want.AddScaled(-rate, second)
	want.AddScaled(-rate*mu, first)
	r := rule(t, map[string]any{"lr": rate, "steps": int64(2),
		"optimizer": map[string]any{"name": "sgd", "momentum": mu}})
	for task := range 3 {
		if u := b.train(t, r, 0); u.Params.Distance(want) > 1e-13 {
			t.Errorf("task %d: %v, want %v", task, u.Params, want)
		}
	}
}
