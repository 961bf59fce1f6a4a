package ot_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// unequal returns a problem whose masses sum to different numbers.
func unequal(rng *rand.Rand, n, m int) ot.Transport {
	p := haul(rng, n, m)
	p.A.Scale(3 * rng.Float64())
	p.B.Scale(3 * rng.Float64())
	return p
}

// TestMultipliersProvePartialPlans: the plan keeps to a and b and moves what it is to, and a
// feasible dual solution has its cost. A quarter of the problems moves all it can, some costs
// are negative, and some are ties.
func TestMultipliersProvePartialPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 1))
	p := new(ot.Partial)
	for trial := range 300 {
		problem := unequal(rng, 1+rng.IntN(20), 1+rng.IntN(20))
		for k, c := range problem.Cost.Data {
			switch trial % 3 {
			case 1:
				problem.Cost.Data[k] = c - 0.7
			case 2:
				problem.Cost.Data[k] = math.Floor(4 * c)
			}
		}
		p.Mass = min(problem.A.Sum(), problem.B.Sum())
		if trial%4 > 0 {
			p.Mass *= 0.01 + 0.98*rng.Float64()
		}
		provenPartial(t, p, problem)
	}
}

func provenPartial(t *testing.T, p *ot.Partial, problem ot.Transport) {
	t.Helper()
	c := p.Solve(problem)
	plan := planOf(p, problem)
	rows, cols := marginals(plan)
	for i, x := range rows {
		if x > problem.A[i]+1e-14 {
			t.Fatalf("row %d sends %v of %v", i, x, problem.A[i])
		}
	}
	for j, x := range cols {
		if x > problem.B[j]+1e-14 {
			t.Fatalf("column %d gets %v of %v", j, x, problem.B[j])
		}
	}
	tolerance{1e-14, 0}.one(t, "mass", rows.Sum(), p.Mass)
	dual := p.Multiplier() * p.Mass
	for i, f := range c.F {
		dual += f * problem.A[i]
		for j, g := range c.G {
			room := problem.Cost.Row(i)[j] - f - g - p.Multiplier()
			if f > 0 || g > 0 || room < -1e-13 {
				t.Fatalf("f is %g, g is %g, and costs exceed them by %g", f, g, room)
			}
		}
	}
	for j, g := range c.G {
		dual += g * problem.B[j]
	}
	tolerance{1e-14, 1e-13}.one(t, "cost", c.Cost, price(plan, problem))
	tolerance{1e-13, 0}.one(t, "dual", dual, c.Cost)
	if !c.Converged || least(plan) < 0 {
		t.Fatalf("%+v, least %g", c, least(plan))
	}
}

// TestAllOfTheMassIsAnExactPlan: of equal masses, moving all is the exact problem.
func TestAllOfTheMassIsAnExactPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 2))
	for range 50 {
		problem := haul(rng, 1+rng.IntN(12), 1+rng.IntN(12))
		p, e := &ot.Partial{Mass: 1}, new(ot.Exact)
		want := e.Solve(problem).Cost
		tolerance{1e-14, 1e-14}.one(t, "cost", p.Solve(problem).Cost, want)
		tolerance{1e-14, 0}.all(t, "plan", planOf(p, problem).Data, planOf(e, problem).Data)
	}
}

// TestMoreMassCostsMore: the cost is a convex function of the mass, of which the multiplier is a
// slope.
func TestMoreMassCostsMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 3))
	for range 40 {
		problem := haul(rng, 1+rng.IntN(12), 1+rng.IntN(12))
		var costs, slopes tensor.Vector
		for k := range 10 {
			p := &ot.Partial{Mass: float64(k+1) / 10}
			costs = append(costs, p.Solve(problem).Cost)
			slopes = append(slopes, p.Multiplier())
		}
		for k, cost := range costs {
			for l, other := range costs {
				if tangent := cost + slopes[k]*float64(l-k)/10; other < tangent-1e-13 {
					t.Fatalf("%v at mass %d/10, but the tangent at %d/10 is %v",
						other, l+1, k+1, tangent)
				}
			}
		}
	}
}

func TestPartialSaysWhatIsWrong(t *testing.T) {
	good := ot.Transport{Cost: tensor.NewMatrix(1, 2), A: tensor.Vector{2},
		B: tensor.Vector{1, 0.5}}
	wrong := func(change func(*ot.Transport)) ot.Transport {
		bad := ot.Transport{Cost: tensor.NewMatrix(1, 2), A: good.A.Clone(), B: good.B.Clone()}
		change(&bad)
		return bad
	}
	for _, c := range []struct {
		mass    float64
		problem ot.Transport
		want    string
	}{
		{2, good, "the mass to move is 2, which must be above 0 and at most 1.5"},
		{0, good, "the mass to move is 0"},
		{math.NaN(), good, "the mass to move is NaN"},
		{1, wrong(func(p *ot.Transport) { p.A[0] = -1 }), "a[0] is -1, which is no mass"},
		{1, wrong(func(p *ot.Transport) { clear(p.B) }), "b sums to 0"},
		{1, wrong(func(p *ot.Transport) { p.B = p.B[:1] }), "b has 1"},
		{1, wrong(func(p *ot.Transport) { p.Cost.Data[1] = math.Inf(1) }), "C[0, 1] is +Inf"},
	} {
		p := &ot.Partial{Mass: c.mass}
		if err := p.Check(c.problem); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		isUndefined(t, c.want, p, c.problem)
	}
	p := &ot.Partial{Mass: 1.5}
	if c := p.Solve(good); !c.Converged || c.Cost != 0 {
		t.Errorf("%+v", c)
	}
}
