package ot_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestUnbalancedPlansAreStationary: where T is positive, the derivative of (5) is 0; the problem is
// convex, so the plan is the best.
func TestUnbalancedPlansAreStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 1))
	for range 100 {
		p := unequal(rng, 1+rng.IntN(15), 1+rng.IntN(15))
		e := &ot.Unbalanced{Lambda: 0.05 + rng.Float64(), Rho: 0.01 + 2*rng.Float64(),
			Epsilon: 1e-12, MaxSweeps: 100_000}
		c := e.Solve(p)
		plan := planOf(e, p)
		if !c.Converged {
			t.Fatalf("%+v", c)
		}
		rows, cols := marginals(plan)
		for i, a := range p.A {
			for j, b := range p.B {
				x := plan.Row(i)[j]
				if a*b == 0 {
					if x != 0 {
						t.Fatalf("%v from mass %v to mass %v", x, a, b)
					}
					continue
				}
				slope := p.Cost.Row(i)[j] + e.Lambda*math.Log(x) +
					e.Rho*math.Log(rows[i]/a) + e.Rho*math.Log(cols[j]/b)
				tolerance{1e-10, 0}.one(t, "derivative", slope, 0)
			}
		}
		tolerance{1e-13, 1e-13}.one(t, "cost", c.Cost, price(plan, p))
	}
}

// TestAHighPriceBalancesThePlan compares with ε-OT.
func TestAHighPriceBalancesThePlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 2))
	for range 10 {
		p := haul(rng, 1+rng.IntN(8), 1+rng.IntN(8))
		e := &ot.Unbalanced{Lambda: 0.2, Rho: 1000, Epsilon: 1e-4, MaxSweeps: 1_000_000}
		balanced := &ot.Entropic{Lambda: 0.2, Epsilon: 1e-12, MaxSweeps: 100_000}
		balanced.Solve(p)
		if c := e.Solve(p); !c.Converged {
			t.Fatalf("%+v", c)
		}
		tolerance{2e-3, 0}.all(t, "plan", planOf(e, p).Data, planOf(balanced, p).Data)
	}
}

// TestUnbalancedResidualsAreBounds compares the potentials after some sweeps with those at the end,
// at a λ at which exp(−C/λ) underflows, too.
func TestUnbalancedResidualsAreBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 3))
	for trial := range 40 {
		p := unequal(rng, 1+rng.IntN(10), 1+rng.IntN(10))
		e := &ot.Unbalanced{Lambda: 0.1, Rho: 0.5, Epsilon: 1e-13, MaxSweeps: 100_000}
		if trial%2 == 0 {
			e.Lambda, e.Rho = 1e-5, 1e-3
		}
		end := e.Solve(p)
		f, g := end.F.Clone(), end.G.Clone()
		e.MaxSweeps = 1 + rng.IntN(20)
		c := e.Solve(p)
		for _, pair := range [][2]tensor.Vector{{c.F, f}, {c.G, g}} {
			for i, x := range pair[0] {
				far := math.Abs(x-pair[1][i]) / e.Lambda
				if p := pair[1][i]; !math.IsInf(p, -1) && !(far <= c.Residual*(1+1e-9)+1e-9) {
					t.Fatalf("%v from the end after %d sweeps, at most %v", far, c.Sweeps, c.Residual)
				}
			}
		}
	}
}

func TestUnbalancedSaysWhatIsWrong(t *testing.T) {
	p := ot.Transport{Cost: tensor.NewMatrix(1, 1), A: tensor.Vector{2}, B: tensor.Vector{1}}
	p.Cost.Data[0] = 1
	for want, e := range map[string]*ot.Unbalanced{
		"λ is 0, which must be above 0":            {Rho: 1},
		"ρ is +Inf, which must be above 0":         {Lambda: 1, Rho: math.Inf(1)},
		"λ is 1e-302, too small for costs up to 1": {Lambda: 1e-302, Rho: 1},
	} {
		if err := e.Check(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		isUndefined(t, want, e, p)
	}
	e := &ot.Unbalanced{Lambda: 1, Rho: 1}
	p.A[0] = math.NaN()
	if err := e.Check(p); err == nil || !strings.Contains(err.Error(), "a[0] is NaN") {
		t.Error(err)
	}
	isUndefined(t, "NaN", e, p)
}
