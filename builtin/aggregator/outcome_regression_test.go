package aggregator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A round allocates nothing once all clients were seen. Covariates of which one decides another are
// no trouble.
func TestDoublyRobustAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 5))
	v := newSurvey(rng, 6, false)
	for i := range v.pop.N {
		v.pop.Covariates.Row(i)[1] = 2 * v.pop.Covariates.Row(i)[0]
	}
	v.pop.Moments[1] = 2 * v.pop.Moments[0]
	for _, outcome := range []string{"covariates", "memory", "both"} {
		for _, fit := range []string{"earlier", "current"} {
			a := buildIn(t, surveyed(), DoublyRobust, robustly(outcome, "fit", fit))
			r := roundOf(v.pop, nil, v.global, v.params, []int{0, 1, 2, 3, 4, 5})
			r.Oracle = &fl.Oracle{Enrollment: v.e, Inclusion: v.s}
			step := func() {
				r.Recycle()
				if out := outcomeOf(t, a, r); !out.Params.Finite() {
					t.Fatalf("%s: θ = %v", outcome, out.Params)
				}
			}
			for range 5 {
				step()
			}
			if n := testing.AllocsPerRun(50, step); n != 0 {
				t.Errorf("%s, %s: %v allocations per round", outcome, fit, n)
			}
		}
	}
}

func outcomeOf(t *testing.T, a fl.Aggregator, r *fl.Round) fl.Outcome {
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Equations are solved on what their matrix spans.
func TestSolveSpanned(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 6))
	for n := 1; n <= 6; n++ {
		half := fl.Matrix{Rows: n, Cols: n, Data: normal(rng, n*n)}
		a, want, c := fl.NewMatrix(n, n), normal(rng, n), make(fl.Vector, n)
		for k := range n {
			for j := range n {
				a.Row(j).AddScaled(half.Row(k)[j], half.Row(k))
			}
		}
		a.MulVec(c, want)
		solveSpanned(a, c)
		if d := c.Distance(want); !(d < 1e-6) {
			t.Errorf("%d equations: %g away", n, d)
		}
	}
	a, c := fl.Matrix{Rows: 3, Cols: 3, Data: fl.Vector{1, 2, 0, 2, 4, 0, 0, 0, 0}}, fl.Vector{3, 6, 0}
	solveSpanned(a, c)
	if math.Abs(c[0]-3) > 1e-12 || c[1] != 0 || c[2] != 0 {
		t.Errorf("of what is spanned: %v", c)
	}
}
