package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A solver of transport problems.
type solver interface {
	Solve(ot.Transport) ot.Coupling
	Plan(tensor.Matrix)
}

// solvers returns both, the entropic one for a λ of 0.05 times the largest cost.
func solvers() map[string]solver {
	return map[string]solver{
		"exact":    new(ot.Exact),
		"entropic": blurred(0.05, 1e-9),
	}
}

// blurred returns a solver whose λ is in units of the largest cost.
func blurred(lambda, epsilon float64) *ot.Entropic {
	return &ot.Entropic{Lambda: lambda, Unit: ot.UnitMax, Epsilon: epsilon, MaxSweeps: 200_000}
}

// planOf returns the plan of the problem that s has solved last.
func planOf(s solver, t ot.Transport) tensor.Matrix {
	plan := tensor.NewMatrix(t.Cost.Rows, t.Cost.Cols)
	s.Plan(plan)
	return plan
}

// haul returns a problem of random costs between 0 and 1 and of masses of which some are 0.
func haul(rng *rand.Rand, n, m int) ot.Transport {
	t := ot.Transport{Cost: tensor.NewMatrix(n, m), A: scatter(rng, n), B: scatter(rng, m)}
	for k := range t.Cost.Data {
		t.Cost.Data[k] = rng.Float64()
	}
	return t
}

// matching returns a problem of n uniform masses on each side.
func matching(rng *rand.Rand, n int) ot.Transport {
	t := haul(rng, n, n)
	t.A, t.B = even(n), even(n)
	return t
}

// marginals returns T1 and Tᵀ1.
func marginals(plan tensor.Matrix) (rows, cols tensor.Vector) {
	rows, cols = make(tensor.Vector, plan.Rows), make(tensor.Vector, plan.Cols)
	for i := range rows {
		rows[i] = plan.Row(i).Sum()
		cols.AddScaled(1, plan.Row(i))
	}
	return rows, cols
}

// off returns ‖T1 − a‖₁ + ‖Tᵀ1 − b‖₁.
func off(plan tensor.Matrix, t ot.Transport) float64 {
	rows, cols := marginals(plan)
	return gap(rows, t.A) + gap(cols, t.B)
}

// price returns ⟨T, C⟩.
func price(plan tensor.Matrix, t ot.Transport) (sum float64) {
	for k, x := range plan.Data {
		sum += x * t.Cost.Data[k]
	}
	return sum
}

// least returns the smallest element of a plan, NaN if one is.
func least(plan tensor.Matrix) float64 {
	low := math.Inf(1)
	for _, x := range plan.Data {
		low = min(low, x)
	}
	return low
}

// TestPlansAreWhatTheAnswerSays compares the numbers of an answer with its plan, for problems
// of all shapes, one after the other on the same memory.
func TestPlansAreWhatTheAnswerSays(t *testing.T) {
	for name, s := range solvers() {
		rng := rand.New(rand.NewPCG(61, 1))
		for range 150 {
			p := haul(rng, 1+rng.IntN(12), 1+rng.IntN(12))
			if rng.IntN(3) == 0 {
				p = matching(rng, 1+rng.IntN(12))
			}
			c := s.Solve(p)
			plan := planOf(s, p)
			if !c.Converged || !(least(plan) >= 0) || off(plan, p) > 1e-9+1e-14 {
				t.Fatalf("%s: converged %t, least %g, marginals wrong by %g, says %g",
					name, c.Converged, least(plan), off(plan, p), c.Residual)
			}
			tolerance{1e-12, 1e-12}.one(t, name+": cost", c.Cost, price(plan, p))
			for i, a := range p.A {
				for j, b := range p.B {
					if x := plan.Row(i)[j]; a*b == 0 && x != 0 {
						t.Fatalf("%s: %g from mass %g to mass %g", name, x, a, b)
					}
				}
			}
		}
	}
}

// TestOrderOfAtomsDoesNotMatter permutes rows and columns.
func TestOrderOfAtomsDoesNotMatter(t *testing.T) {
	for name, s := range solvers() {
		rng := rand.New(rand.NewPCG(61, 2))
		for range 50 {
			p := haul(rng, 1+rng.IntN(9), 1+rng.IntN(9))
			rows, cols := rng.Perm(len(p.A)), rng.Perm(len(p.B))
			q := ot.Transport{Cost: tensor.NewMatrix(p.Cost.Rows, p.Cost.Cols),
				A: make(tensor.Vector, len(p.A)), B: make(tensor.Vector, len(p.B))}
			for i, k := range rows {
				q.A[i] = p.A[k]
				for j, l := range cols {
					q.Cost.Row(i)[j], q.B[j] = p.Cost.Row(k)[l], p.B[l]
				}
			}
			s.Solve(p)
			before := planOf(s, p)
			s.Solve(q)
			after := planOf(s, q)
			for i, k := range rows {
				for j, l := range cols {
					tolerance{1e-8, 0}.one(t, name, after.Row(i)[j], before.Row(k)[l])
				}
			}
		}
	}
}

// TestConstantsLeaveThePlan adds one to all costs, and gets it back in the cost.
func TestConstantsLeaveThePlan(t *testing.T) {
	for name, s := range solvers() {
		if e, ok := s.(*ot.Entropic); ok {
			e.Unit = ot.UnitNone
		}
		rng := rand.New(rand.NewPCG(61, 3))
		for _, constant := range []float64{1e4, -1e4, 1e9} {
			p := haul(rng, 7, 5)
			before := s.Solve(p).Cost
			plan := planOf(s, p)
			for k := range p.Cost.Data {
				p.Cost.Data[k] += constant
			}
			after := s.Solve(p)
			tolerance{1e-15 * math.Abs(constant), 0}.one(t, name+": cost", after.Cost-constant, before)
			// The costs themselves are rounded to constant's last place.
			bound := tolerance{1e-14 * math.Abs(constant), 0}
			bound.all(t, name+": plan", planOf(s, p).Data, plan.Data)
		}
	}
}

// TestOneAtom: all mass goes where there is only one place to go, or from where it is.
func TestOneAtom(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 4))
	for name, s := range solvers() {
		for _, shape := range [][2]int{{1, 1}, {1, 6}, {6, 1}} {
			p := haul(rng, shape[0], shape[1])
			if c := s.Solve(p); !c.Converged {
				t.Errorf("%s: %v does not converge", name, shape)
			}
			want := p.A
			if shape[0] == 1 {
				want = p.B
			}
			tolerance{1e-15, 0}.all(t, name, planOf(s, p).Data, want)
		}
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	nan := math.NaN()
	matrix := func(x ...float64) tensor.Matrix { return tensor.Matrix{Rows: 2, Cols: 2, Data: x} }
	half, free := even(2), matrix(0, 1, 1, 0)
	wrong := map[string]ot.Transport{
		"the cost is 2×2 with 4 elements, but a has 3 elements and b has 2": {free, even(3), half},
		"the cost is 2×2 with 3 elements, but a has 2 elements and b has 2": {matrix(1, 2, 3), half, half},
		"a[1] is -1, which is not a probability":                            {free, tensor.Vector{2, -1}, half},
		"b sums to 2, not to 1":                                             {free, half, tensor.Vector{1, 1}},
		"b[0] is NaN, which is not a probability":                           {free, half, tensor.Vector{nan, 1}},
		"C[1, 0] is NaN, which is no cost":                                  {matrix(1, 2, nan, 4), half, half},
		"C[0, 1] is +Inf, which is no cost":                                 {matrix(1, math.Inf(1), 3, 4), half, half},
		"C[0, 0] is -1e+301, which is no cost":                              {matrix(-1e301, 2, 3, 4), half, half},
		"a sums to 0, not to 1\nb sums to 0, not to 1":                      {},
	}
	for want, p := range wrong {
		if err := p.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		for name, s := range solvers() {
			isUndefined(t, name+": "+want, s, p)
		}
	}
	if err := (ot.Transport{Cost: free, A: half, B: half}).Check(); err != nil {
		t.Error(err)
	}
}

// isUndefined fails unless a problem has no answer.
func isUndefined(t *testing.T, what string, s solver, p ot.Transport) {
	t.Helper()
	c := s.Solve(p)
	numbers := append([]float64{c.Cost, c.Residual, c.Lambda}, planOf(s, p).Data...)
	numbers = append(append(numbers, c.F...), c.G...)
	for _, x := range numbers {
		if !math.IsNaN(x) {
			t.Errorf("%s: %v", what, c)
			return
		}
	}
	if c.Converged || c.Sweeps != 0 || len(c.F) != p.Cost.Rows || len(c.G) != p.Cost.Cols {
		t.Errorf("%s: %v", what, c)
	}
}

// TestRoundReachesThePolytope: the marginals of the rounded plan are exact, and it is not
// farther away than Altschuler, Weed and Rigollet prove.
func TestRoundReachesThePolytope(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 5))
	for range 200 {
		p := haul(rng, 1+rng.IntN(8), 1+rng.IntN(8))
		plan := tensor.NewMatrix(len(p.A), len(p.B))
		for k := range plan.Data {
			plan.Data[k] = rng.ExpFloat64() / float64(len(plan.Data)) * float64(rng.IntN(2))
		}
		before, wrong := tensor.Vector(plan.Data).Clone(), off(plan, p)
		ot.Round(plan, p.A, p.B)
		if got := off(plan, p); got > 1e-14 || !(least(plan) >= 0) {
			t.Fatalf("marginals wrong by %g, least %g", got, least(plan))
		}
		if moved := gap(before, plan.Data); moved > 2*wrong+1e-14 {
			t.Fatalf("moved by %g, marginals were wrong by %g", moved, wrong)
		}
		copy(before, plan.Data)
		if ot.Round(plan, p.A, p.B); gap(before, plan.Data) > 1e-14 {
			t.Fatal("a plan of the polytope moves")
		}
	}
}

func TestNothingIsAllocatedOnceThereIsRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 6))
	large, small := haul(rng, 30, 40), matching(rng, 20)
	plan := tensor.NewMatrix(30, 40)
	list := solvers()
	list["partial"] = &ot.Partial{Mass: 0.5}
	list["unbalanced"] = &ot.Unbalanced{Lambda: 0.1, Rho: 1, Epsilon: 1e-6, MaxSweeps: 1000}
	for name, s := range list {
		if e, ok := s.(*ot.Entropic); ok {
			e.Unit = ot.UnitMedian
		}
		t.Run(name, func(t *testing.T) {
			kerneltest.None(t, func() {
				s.Solve(large)
				s.Plan(plan)
				s.Solve(small)
			})
		})
	}
}
