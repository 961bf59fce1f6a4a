package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// project returns the weights of least variance of a cohort.
func project(lambda tensor.Vector, set []int) tensor.Vector {
	w := make(tensor.Vector, len(set))
	ot.Sparsemax(w, lambda, set)
	return w
}

// squares returns Σ_A q_A ‖Y_A‖² and Σ_A q_A Y_A for weights by cohort.
func squares(m ot.Masked, weigh func(set []int) tensor.Vector) (float64, tensor.Vector) {
	sum, mean := 0.0, make(tensor.Vector, len(m.P))
	for j, set := range m.Sets {
		for k, y := range weigh(set) {
			sum += m.Q[j] * y * y
			mean[set[k]] += m.Q[j] * y
		}
	}
	return sum, mean
}

// TestSparsemaxIsTheProjection: by its optimality conditions, at any range of λ.
func TestSparsemaxIsTheProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for range 500 {
		lambda := gauss(rng, 1+rng.IntN(12), []float64{0, 0.1, 1, 30, 1e6}[rng.IntN(5)])
		set := make([]int, len(lambda))
		for i := range set {
			set[i] = i
		}
		y := project(lambda, set)
		if math.Abs(y.Sum()-1) > 1e-9 || slices.Min(y) < 0 {
			t.Fatalf("%v: weights %v", lambda, y)
		}
		nu := 0.0
		for i, x := range y {
			if x > 0 {
				nu = lambda[i] - x
			}
		}
		for i, x := range y {
			if math.Abs(x-max(0, lambda[i]-nu)) > 1e-9 {
				t.Fatalf("%v: weights %v for ν = %v", lambda, y, nu)
			}
		}
	}
	inf := math.Inf(-1)
	for _, c := range []struct{ lambda, want tensor.Vector }{
		{tensor.Vector{inf, 3, inf}, tensor.Vector{0, 1, 0}},
		{tensor.Vector{inf, inf}, tensor.Vector{0.5, 0.5}},
		{tensor.Vector{0, -0.5, -1}, tensor.Vector{0.75, 0.25, 0}},
	} {
		set := []int{0, 1, 2}[:len(c.lambda)]
		if y := project(c.lambda, set); gap(y, c.want) > 1e-15 {
			t.Errorf("%v: weights %v, want %v", c.lambda, y, c.want)
		}
	}
}

// TestMinimumVarianceHasACertificate: the marginal is its target, which is p or what Tiers has in
// its place, and weights are projections of one λ: these are the Karush–Kuhn–Tucker conditions, and
// the problem is strictly convex.
func TestMinimumVarianceHasACertificate(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	most := 0
	for k := range 400 {
		m := random(rng, 1+rng.IntN(9), 1+rng.IntN(12))
		if k%2 == 0 {
			m = planted(m, gauss(rng, len(m.P), 2))
		}
		mustCheck(t, m)
		plan := m.MinimumVariance(1e-11, 4000)
		most = max(most, plan.Steps)
		variance, mean := squares(m, func(set []int) tensor.Vector { return project(plan.Lambda, set) })
		if !plan.Converged || gap(mean, plan.Marginal) > 1e-9 || math.Abs(variance-plan.Variance) > 1e-9 {
			t.Fatalf("%d: %+v of %+v: marginal %v, variance %v", k, plan, m, mean, variance)
		}
		want := m.P.Clone()
		if !m.Feasibility().Feasible {
			want = m.TierPlan(1e-10, 20_000).Marginal
		}
		if d := gap(plan.Marginal, want); d > 1e-8 {
			t.Fatalf("%d: the marginal is %g from its target", k, d)
		}
	}
	t.Logf("at most %d passes", most)
}

// TestFrontierIsAFrontier: no plan lies below it: random weights, entropic plans, soft ones. Its
// points are where they say, it falls and is convex, from equal weights to the minimum of variance.
func TestFrontierIsAFrontier(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	for range 100 {
		m := random(rng, 2+rng.IntN(8), 2+rng.IntN(12))
		f := m.Frontier(64, 1e-3, 1e-11, 20_000)
		first, last := f.Points[0], f.Points[len(f.Points)-1]
		if f.Error > 1e-3 {
			t.Errorf("%d points are wrong by %v", len(f.Points), f.Error)
		}
		uniform, _ := squares(m, func(set []int) tensor.Vector { return even(len(set)) })
		if math.Abs(first.Variance-uniform) > 1e-10 {
			t.Errorf("equal weights have variance %v, the first point %v", uniform, first.Variance)
		}
		if least := m.Feasibility().Deficiency; math.Abs(last.TV-least) > 1e-8 {
			t.Errorf("the last point has total variation %v, the least is %v", last.TV, least)
		}
		for _, pt := range f.Points {
			if pt.Gap > 1e-8 {
				t.Errorf("a gap of %v", pt.Gap)
			}
			for _, kappa := range []float64{0, 0.5, 0.9, 0.99} {
				soft := m.Soften(kappa, 1e-10, 2000)
				variance, mean := squares(m, func(set []int) tensor.Vector {
					return weights(soft.LogU, set)
				})
				below(t, pt, variance, gap(mean, m.P)/2)
			}
			variance, mean := squares(m, func(set []int) tensor.Vector {
				return weights(gauss(rng, len(m.P), 2), set)
			})
			below(t, pt, variance, gap(mean, m.P)/2)
		}
	}
}

// below fails where a plan lies below the tangent of a point.
func below(t *testing.T, pt ot.FrontierPoint, variance, tv float64) {
	t.Helper()
	if d := pt.Variance + 4*pt.Bound*pt.TV - variance - 4*pt.Bound*tv; d > 1e-8+2*pt.Gap {
		t.Errorf("variance %v at total variation %v is %g below the tangent of %+v", variance, tv, d, pt)
	}
}

// TestLeastVarianceGolden: weights and variance are the optimum that a generic solver of quadratic
// programs finds in rational arithmetic, to 1e-8.
func TestLeastVarianceGolden(t *testing.T) {
	cases := readGolden(t, "least_variance.json")
	for _, g := range cases {
		var in struct {
			P, Q tensor.Vector
			Sets [][]int
		}
		g.inputs(t, &in)
		m := ot.Masked{P: in.P, Q: in.Q, Sets: in.Sets}
		mustCheck(t, m)
		plan := m.MinimumVariance(1e-12, 10_000)
		var rows []tensor.Vector
		for _, set := range m.Sets {
			rows = append(rows, project(plan.Lambda, set))
		}
		g.check(t, "weights", rows)
		g.check(t, "variance", plan.Variance)
	}
	if len(cases) != 6 {
		t.Errorf("%d cases", len(cases))
	}
}

// TestMinimumVarianceIsBelowEntropy: of two plans with the same marginal the one of least variance
// has no smaller effective cohort size 1/Σ q‖Y‖² than that of largest entropy, nor than soft weights
// have for what they realise; and inverse probability weights bound both from below.
func TestMinimumVarianceIsBelowEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 4))
	gain := 0.0
	for k := range 300 {
		m := random(rng, 2+rng.IntN(8), 1+rng.IntN(12))
		if k%2 == 0 {
			m = planted(m, gauss(rng, len(m.P), 1.5))
		}
		entropic := m.Nearest(1e-12, 20_000)
		plan := m.MinimumVariance(1e-12, 10_000)
		variance, mean := squares(m, func(set []int) tensor.Vector {
			return weights(entropic.LogU, set)
		})
		slack := 1e-9 + 4*gap(mean, plan.Marginal) // Algorithm 1 may rest before it is there
		if plan.Variance > variance+slack {
			t.Errorf("%d: variance %v, of the entropic plan %v", k, plan.Variance, variance)
		}
		gain = max(gain, 1-plan.Variance/variance)
		pi := make(tensor.Vector, len(m.P))
		for j, set := range m.Sets {
			for _, i := range set {
				pi[i] += m.Q[j]
			}
		}
		bound := 0.0
		for i, x := range plan.Marginal {
			if x > 0 {
				bound += x * x / pi[i]
			}
		}
		if plan.Variance < bound-1e-9 {
			t.Errorf("%d: variance %v is below Σ p²/π = %v", k, plan.Variance, bound)
		}
	}
	t.Logf("the entropic plan has up to %.0f %% more variance", 100*gain/(1-gain))
}

// TestHorvitzThompsonWhereItIsConvex: inverse probability weights pᵢ/πᵢ that sum to 1 in every
// cohort are the plan of least variance, Σ pᵢ²/πᵢ. Uniform cohorts of K clients that count the same
// are an example, and so are strata with a client each.
func TestHorvitzThompsonWhereItIsConvex(t *testing.T) {
	subsets := listed(uniform(even(6), 3))
	strata := ot.Masked{P: tensor.Vector{.2, .3, .1, .15, .25}}
	for _, i := range []int{0, 1} {
		for _, k := range []int{2, 3, 4} {
			strata.Sets = append(strata.Sets, []int{i, k})
			strata.Q = append(strata.Q, 2*strata.P[i]*2*strata.P[k])
		}
	}
	for name, m := range map[string]ot.Masked{"subsets": subsets, "strata": strata} {
		mustCheck(t, m)
		pi, want := make(tensor.Vector, len(m.P)), 0.0
		for j, set := range m.Sets {
			for _, i := range set {
				pi[i] += m.Q[j]
			}
		}
		for i, p := range m.P {
			want += p * p / pi[i]
		}
		plan := m.MinimumVariance(1e-13, 1000)
		any := ot.AnyWeights(m.P, pi, 20, 1e-4)
		if d := plan.Variance - want; math.Abs(d) > 1e-12 {
			t.Errorf("%s: variance %v, Σ p²/π = %v", name, plan.Variance, want)
		}
		if last := any.Points[len(any.Points)-1]; math.Abs(last.Variance-want) > 1e-12 || last.TV > 1e-12 {
			t.Errorf("%s: the end of any weights is %+v, Σ p²/π = %v", name, last, want)
		}
	}
}

// TestSignedWeights: without the constraint Y ≥ 0 the least variance has a closed form, Y[i, A] =
// λᵢ + (1 − Σ_A λ)/|A| with (diag(π) − Σ q_A 1_A1_Aᵀ/|A|)·λ = p − Σ q_A 1_A/|A|. It is never above
// that of convex weights, and the same where no weight is negative.
func TestSignedWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 5))
	convex := 0
	for k := range 200 {
		m := planted(random(rng, 2+rng.IntN(6), 4+rng.IntN(10)), gauss(rng, 8, 0.7))
		if k%2 == 0 {
			m = planted(listed(uniform(even(6), 2+k%3)), gauss(rng, 6, 0.2))
		}
		signed, least, ok := signedPlan(m)
		if !ok {
			continue
		}
		plan := m.MinimumVariance(1e-12, 10_000)
		if signed > plan.Variance+1e-9 {
			t.Errorf("%d: signed weights have variance %v, convex ones %v", k, signed, plan.Variance)
		}
		if least >= 0 {
			convex++
			if math.Abs(signed-plan.Variance) > 1e-9 {
				t.Errorf("%d: variance %v, in closed form %v", k, plan.Variance, signed)
			}
		}
	}
	if convex < 50 {
		t.Errorf("only %d problems have a convex solution in closed form", convex)
	}
}

// signedPlan returns the variance and the least weight of the closed form of TestSignedWeights,
// or false where its equations have no solution.
func signedPlan(m ot.Masked) (variance, least float64, ok bool) {
	n := len(m.P)
	h, rest := mat.NewDense(n+1, n, nil), mat.NewDense(n+1, 1, nil)
	for i, p := range m.P {
		rest.Set(i, 0, p)
		h.Set(n, i, 1) // λ is free by a constant
	}
	for j, set := range m.Sets {
		part := m.Q[j] / float64(len(set))
		for _, i := range set {
			rest.Set(i, 0, rest.At(i, 0)-part)
			h.Set(i, i, h.At(i, i)+m.Q[j])
			for _, k := range set {
				h.Set(i, k, h.At(i, k)-part)
			}
		}
	}
	var x, again mat.Dense
	if x.Solve(h, rest) != nil {
		return 0, 0, false
	}
	again.Mul(h, &x)
	again.Sub(&again, rest)
	least = 1
	variance, _ = squares(m, func(set []int) tensor.Vector {
		y, sum := make(tensor.Vector, len(set)), 0.0
		for _, i := range set {
			sum += x.At(i, 0)
		}
		for k, i := range set {
			y[k] = x.At(i, 0) + (1-sum)/float64(len(set))
			least = min(least, y[k])
		}
		return y
	})
	return variance, least, mat.Norm(&again, 1) < 1e-9
}

// TestBiasedKeepsItsBudget: its total variation is what is unattainable and the budget, its variance
// on the frontier; without a budget it is that of MinimumVariance where p is attainable.
func TestBiasedKeepsItsBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 6))
	for k := range 100 {
		m := random(rng, 2+rng.IntN(8), 2+rng.IntN(12))
		if k%2 == 0 {
			m = planted(m, gauss(rng, len(m.P), 2))
		}
		least := m.Feasibility().Deficiency
		bias := []float64{0, 0.01, 0.1, 0.9}[rng.IntN(4)]
		plan := m.Biased(bias, 1e-10, 20_000)
		if plan.TV > least+bias+1e-8 || !plan.Converged {
			t.Errorf("%d: total variation %v for a budget of %v + %v", k, plan.TV, least, bias)
		}
		if plan.TV < least+bias-1e-8 && plan.Bound > 0 && bias > 0 {
			t.Errorf("%d: total variation %v leaves some of %v + %v", k, plan.TV, least, bias)
		}
		exact := m.MinimumVariance(1e-11, 10_000)
		if plan.Variance > exact.Variance+1e-7 {
			t.Errorf("%d: variance %v with bias %v, %v without", k, plan.Variance, bias, exact.Variance)
		}
		if bias == 0 && least == 0 && math.Abs(plan.Variance-exact.Variance) > 1e-6 {
			t.Errorf("%d: variance %v by a price, %v without", k, plan.Variance, exact.Variance)
		}
	}
}
