package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// literal does sweeps in the log domain as (2) is written, without shifts or absorption, and
// returns the plan after the last half-step, that of the rows.
func literal(p ot.Transport, lambda float64, sweeps int) tensor.Matrix {
	n, m := len(p.A), len(p.B)
	f, g := make(tensor.Vector, n), make(tensor.Vector, m)
	terms := make(tensor.Vector, max(n, m))
	logSum := func(x tensor.Vector) float64 {
		top, sum := slices.Max(x), 0.0
		for _, v := range x {
			sum += math.Exp(v - top)
		}
		return top + math.Log(sum)
	}
	for k := range sweeps {
		for j := range g {
			for i := range f {
				terms[i] = (f[i] - p.Cost.Row(i)[j]) / lambda
			}
			if k > 0 {
				g[j] = lambda * (math.Log(p.B[j]) - logSum(terms[:n]))
			}
		}
		for i := range f {
			for j := range g {
				terms[j] = (g[j] - p.Cost.Row(i)[j]) / lambda
			}
			f[i] = lambda * (math.Log(p.A[i]) - logSum(terms[:m]))
		}
	}
	return gibbs(f, g, p.Cost, lambda)
}

// massive returns a random problem without atoms of mass 0.
func massive(rng *rand.Rand, n, m int) ot.Transport {
	p := haul(rng, n, m)
	p.A = unit(n, func(float64) float64 { return rng.ExpFloat64() })
	p.B = unit(m, func(float64) float64 { return rng.ExpFloat64() })
	return p
}

// TestSweepsAreThoseOfTheDefinition compares plans after a few sweeps, at a λ that is reached
// at once. Costs whose columns or rows differ by thousands make every pass under- or overflow.
func TestSweepsAreThoseOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	for _, steep := range []float64{0, 50, 3000, 1e5} {
		for range 40 {
			p := massive(rng, 1+rng.IntN(20), 1+rng.IntN(20))
			up, along := gauss(rng, len(p.A), steep), gauss(rng, len(p.B), steep)
			for i, x := range up {
				for j, y := range along {
					p.Cost.Row(i)[j] += x + y
				}
			}
			lambda := max(0.02, steep/5)
			if steep > 0 && rng.IntN(2) == 0 {
				lambda = steep / 60
			}
			e := &ot.Entropic{Lambda: lambda, MaxSweeps: 1 + rng.IntN(10)}
			if span := slices.Max(p.Cost.Data) - slices.Min(p.Cost.Data); span > 60*lambda {
				e.Lambda = span / 60
			}
			c := e.Solve(p)
			if c.Lambda != e.Lambda {
				t.Fatalf("λ is %g, not %g", c.Lambda, e.Lambda)
			}
			want := literal(p, e.Lambda, e.MaxSweeps)
			tolerance{1e-11, 1e-9}.all(t, "plan", planOf(e, p).Data, want.Data)
			tolerance{1e-11, 0}.one(t, "residual", c.Residual, off(want, p))
		}
	}
}

// TestPotentialsArePotentials: (2) holds for what the answer says, and λ is what was asked for.
func TestPotentialsArePotentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 2))
	for _, u := range []ot.Unit{"", ot.UnitNone, ot.UnitMax, ot.UnitMean, ot.UnitMedian} {
		for range 30 {
			p := haul(rng, 1+rng.IntN(15), 1+rng.IntN(15))
			e := &ot.Entropic{Lambda: 0.02, Unit: u, Epsilon: 1e-6, MaxSweeps: 100_000}
			c := e.Solve(p)
			if !c.Converged {
				t.Fatalf("%s: residual %g", u, c.Residual)
			}
			tolerance{1e-15, 0}.one(t, string(u), c.Lambda, 0.02*measure(u, p))
			want := gibbs(c.F, c.G, p.Cost, c.Lambda)
			tolerance{1e-13, 1e-9}.all(t, "plan", planOf(e, p).Data, want.Data)
		}
	}
	p := haul(rng, 3, 3)
	clear(p.Cost.Data)
	for _, u := range []ot.Unit{ot.UnitMax, ot.UnitMean, ot.UnitMedian} {
		e := &ot.Entropic{Lambda: 0.5, Unit: u, Epsilon: 1e-12, MaxSweeps: 2}
		if c := e.Solve(p); c.Lambda != 0.5 || !c.Converged {
			t.Errorf("%s: a cost of zero: %+v", u, c)
		}
	}
}

// measure returns the unit of λ from the costs between atoms that have mass.
func measure(u ot.Unit, p ot.Transport) float64 {
	var costs tensor.Vector
	for i, a := range p.A {
		for j, b := range p.B {
			if a*b > 0 {
				costs = append(costs, p.Cost.Row(i)[j])
			}
		}
	}
	slices.Sort(costs)
	switch u {
	case ot.UnitMax:
		return costs[len(costs)-1]
	case ot.UnitMean:
		return costs.Sum() / float64(len(costs))
	case ot.UnitMedian:
		return costs[(len(costs)-1)/2]
	}
	return 1
}

// TestTheLimitIsExact: as λ falls, the cost falls to the smallest, and is never farther from it
// than λ log(nm) and what the marginals lack.
func TestTheLimitIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 3))
	for range 40 {
		p := massive(rng, 2+rng.IntN(8), 2+rng.IntN(8))
		best := new(ot.Exact).Solve(p).Cost
		last := math.Inf(1)
		for _, lambda := range []float64{1, 0.1, 0.01, 0.001} {
			c := blurred(lambda, 1e-6).Solve(p)
			above := c.Cost - best
			bound := c.Lambda * math.Log(float64(len(p.A)*len(p.B)))
			if !c.Converged || above < -1e-6 || above > bound+1e-6 {
				t.Fatalf("λ = %g: %g above the least, bound %g", lambda, above, bound)
			}
			if above > last+1e-6 {
				t.Fatalf("λ = %g: %g above the least, %g before", lambda, above, last)
			}
			last = above
		}
		if last > 0.01 {
			t.Fatalf("%g above the least in the end", last)
		}
	}
}

// TestTinyLambda has costs of hundreds of λ, where the potentials have a long way to go. From
// zero, at the λ asked for, as many sweeps do not do.
func TestTinyLambda(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 4))
	p := massive(rng, 60, 60)
	for i := range p.A { // points on a line
		for j := range p.B {
			d := float64(i-j) / 60
			p.Cost.Row(i)[j] = d * d
		}
	}
	const lambda = 1. / 800
	e := &ot.Entropic{Lambda: lambda, Epsilon: 1e-6, MaxSweeps: 3000}
	c := e.Solve(p)
	if !c.Converged || c.Lambda != lambda || off(planOf(e, p), p) > 1e-6+1e-14 {
		t.Errorf("residual %g, λ %g after %d sweeps", c.Residual, c.Lambda, c.Sweeps)
	}
	if wrong := off(literal(p, lambda, c.Sweeps), p); wrong < 1e-5 {
		t.Errorf("%d sweeps from zero leave the marginals wrong by %g", c.Sweeps, wrong)
	}
}

// TestGivingUpIsSaid: too few sweeps, be it on the way to λ or there, and marginals that float64
// hardly meets.
func TestGivingUpIsSaid(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 5))
	p := massive(rng, 10, 10)
	for _, e := range []*ot.Entropic{
		{Lambda: 1e-5, Epsilon: 1e-9, MaxSweeps: 2},
		{Lambda: 1e-5, Epsilon: 1e-9, MaxSweeps: -1},
		{Lambda: 1e-5, Epsilon: 1e-9, MaxSweeps: 1000},
		{Lambda: 0.05, Epsilon: 1e-9, MaxSweeps: 3},
		{Lambda: 0.05, Epsilon: 0, MaxSweeps: 100},
	} {
		c := e.Solve(p)
		plan := planOf(e, p)
		if c.Converged || c.Sweeps != max(1, e.MaxSweeps) || !(c.Lambda >= e.Lambda) {
			t.Errorf("λ = %g, ε = %g: %d sweeps, λ = %g, converged %t",
				e.Lambda, e.Epsilon, c.Sweeps, c.Lambda, c.Converged)
		}
		tolerance{1e-13, 1e-9}.one(t, "residual", c.Residual, off(plan, p))
	}
}

// TestLambdaTooSmallForFloat64: the answer is for a λ at which costs still differ in float64.
func TestLambdaTooSmallForFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 8))
	for _, lambda := range []float64{1e-17, 1e-300, 5e-324} {
		p := massive(rng, 6, 6)
		e := &ot.Entropic{Lambda: lambda, Epsilon: 1, MaxSweeps: 5000}
		c := e.Solve(p)
		best := new(ot.Exact).Solve(p).Cost
		if c.Converged || !(c.Lambda < 1e-14) || !(c.Residual <= 1) || c.Cost > best+c.Residual {
			t.Errorf("λ = %g: %+v, the least cost is %g", lambda, c, best)
		}
		fillWith(p.Cost, 7)
		e.Epsilon = 1e-9
		if c := e.Solve(p); c.Converged != (lambda >= 1e-300) || !(c.Residual <= 1e-9) {
			t.Errorf("λ = %g and equal costs: %+v", lambda, c)
		}
	}
}

func fillWith(m tensor.Matrix, x float64) {
	for k := range m.Data {
		m.Data[k] = x
	}
}

func TestSettingsThatMakeNoSense(t *testing.T) {
	p := haul(rand.New(rand.NewPCG(62, 6)), 3, 4)
	for _, e := range []*ot.Entropic{
		{Lambda: 0}, {Lambda: -1}, {Lambda: math.NaN()}, {Lambda: math.Inf(1)},
		{Lambda: 1, Unit: "furlong"},
	} {
		isUndefined(t, "λ", e, p)
	}
}

// TestMassesOfAllSizes has masses far below what a float64 of the plan can resolve.
func TestMassesOfAllSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 7))
	for range 40 {
		p := massive(rng, 8, 6)
		for _, mass := range []tensor.Vector{p.A, p.B} {
			for i := range mass[1:] {
				mass[i] = math.Pow(10, -320*rng.Float64())
			}
			mass[len(mass)-1] = 0
			mass[len(mass)-1] = 1 - mass.Sum()
		}
		e := blurred(0.01, 1e-10)
		if c := e.Solve(p); !c.Converged || off(planOf(e, p), p) > 1e-10+1e-14 {
			t.Fatalf("a = %v, b = %v: %+v", p.A, p.B, c)
		}
	}
}
