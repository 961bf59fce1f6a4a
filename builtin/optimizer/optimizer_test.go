package optimizer_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
)

// build builds an optimizer from what an experiment would say.
func build(t *testing.T, e fl.OptimizerEntry, given map[string]any) fl.Optimizer {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
	o, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s %v: %v, %v", e.Name, given, err, problems)
	}
	return o
}

// descent returns the first step of an optimizer from a point.
func descent(o fl.Optimizer, start fl.Vector, rate float64) *fl.Step {
	s := &fl.Step{Rate: rate, Params: start.Clone(), Grad: make(fl.Vector, len(start))}
	for range o.Slots() {
		s.Slots = append(s.Slots, make(fl.Vector, len(start)))
	}
	return s
}

// follow makes a step for every gradient, and returns where it ends.
func follow(o fl.Optimizer, start fl.Vector, rate float64, grads ...fl.Vector) fl.Vector {
	s := descent(o, start, rate)
	for _, g := range grads {
		copy(s.Grad, g)
		o.Step(s)
		s.T++
	}
	return s.Params
}

func near(a, b fl.Vector) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Abs(x-y) <= 1e-14*(1+math.Abs(y))
	})
}

// Plain steps are θ − ηg, bit for bit, and keep nothing.
//
//hansa:verifies theorem optimizer/sgd
func TestPlainSteps(t *testing.T) {
	o := build(t, optimizer.SGD, nil)
	if o.Slots() != 0 {
		t.Errorf("%d slots", o.Slots())
	}
	got := follow(o, fl.Vector{1, 2}, 0.1, fl.Vector{3, -4})
	if want := (fl.Vector{1 - 0.1*3, 2 + 0.1*4}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Under a gradient that never changes the velocity is g(1 + μ + μ² + …), and Nesterov's
// step is one power ahead.
func TestMomentumIsAGeometricSum(t *testing.T) {
	const mu, rate, steps = 0.8, 0.1, 12
	g := fl.Vector{1, -2, 0.5}
	grads := slices.Repeat([]fl.Vector{g}, steps)
	for _, nesterov := range []bool{false, true} {
		want := make(fl.Vector, len(g))
		for k := 1; k <= steps; k++ {
			v := (1 - math.Pow(mu, float64(k))) / (1 - mu)
			if nesterov {
				v = 1 + mu*v
			}
			want.AddScaled(-rate*v, g)
		}
		o := build(t, optimizer.SGD, map[string]any{"momentum": mu, "nesterov": nesterov})
		if got := follow(o, make(fl.Vector, len(g)), rate, grads...); !near(got, want) {
			t.Errorf("nesterov = %t: %v, want %v", nesterov, got, want)
		}
	}
}

// Without a gradient, weight decay shrinks θ by the factor 1 − ηλ: by sgd's and by AdamW's. Adam's
// passes through the means: its first step is η·sign(θ).
func TestWeightDecayAlone(t *testing.T) {
	start, none := fl.Vector{4, -2, 0}, make(fl.Vector, 3)
	for name, e := range map[string]fl.OptimizerEntry{"sgd": optimizer.SGD, "adamw": optimizer.AdamW} {
		o := build(t, e, map[string]any{"weight_decay": 0.5})
		if got := follow(o, start, 0.1, none, none); !near(got, fl.Vector{3.61, -1.805, 0}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	o := build(t, optimizer.Adam, map[string]any{"weight_decay": 0.5, "epsilon": 1e-300})
	if got := follow(o, start, 0.1, none); !near(got[:2], fl.Vector{3.9, -1.9}) {
		t.Errorf("adam: %v", got)
	}
}

// Adam's first step is η·sign(g), whatever the size of g, and a gradient that never changes
// gives such steps for ever: the bias corrections undo the zeros that the means begin with.
//
//hansa:verifies theorem optimizer/adam
func TestAdamDoesNotSeeTheScale(t *testing.T) {
	for _, e := range []fl.OptimizerEntry{optimizer.Adam, optimizer.AdamW} {
		for _, size := range []float64{1e-30, 1, 1e30} {
			o := build(t, e, map[string]any{"epsilon": 1e-200, "weight_decay": 0.0})
			grads := slices.Repeat([]fl.Vector{{size, -3 * size}}, 50)
			got := follow(o, fl.Vector{0, 0}, 0.01, grads...)
			if math.Abs(got[0]+0.5) > 1e-12 || math.Abs(got[1]-0.5) > 1e-12 {
				t.Errorf("%s at %g: %v, want ∓0.5", e.Name, size, got)
			}
		}
	}
}

// Where ε dwarfs the root, Adam is gradient descent by η/ε along the corrected mean.
func TestLargeEpsilon(t *testing.T) {
	o := build(t, optimizer.Adam, map[string]any{"epsilon": 1e8, "beta1": 0.0})
	got := follow(o, fl.Vector{0}, 1e8, fl.Vector{2}, fl.Vector{3})
	if math.Abs(got[0]+5) > 1e-6 {
		t.Errorf("%v, want −5", got)
	}
}

func TestNesterovNeedsMomentum(t *testing.T) {
	p := fl.NewParams(map[string]any{"nesterov": true}, fl.Setting{Clients: 1}, nil)
	if _, err := optimizer.SGD.New(p); err != nil {
		t.Fatal(err)
	}
	const want = "nesterov: needs a momentum above 0"
	if got := p.Finish(); len(got) != 1 || got[0].Message != want {
		t.Errorf("problems: %v", got)
	}
}

// No step allocates.
func TestStepsAllocateNothing(t *testing.T) {
	for name, o := range map[string]fl.Optimizer{
		"sgd":  build(t, optimizer.SGD, map[string]any{"momentum": 0.9, "weight_decay": 0.1}),
		"adam": build(t, optimizer.Adam, nil), "adamw": build(t, optimizer.AdamW, nil),
	} {
		s := descent(o, make(fl.Vector, 100), 0.1)
		if n := testing.AllocsPerRun(20, func() { o.Step(s); s.T++ }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
