package aggregator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// phasedLaw is a mixture of laws of k out of n clients, one for each prior.
func phasedLaw(n, k int, shares fl.Vector, priors ...fl.Vector) *fl.Law {
	law := &fl.Law{Exact: true, Shares: shares, Sets: stats.Subsets(n, k)}
	law.Q, law.Inclusion = make(fl.Vector, len(law.Sets)), make(fl.Vector, n)
	for m, r := range priors {
		phase := fl.Law{Exact: true, Sets: law.Sets, Q: stats.SuccessiveLaw(r, k)}
		phase.Inclusion = stats.Inclusion(phase.Sets, phase.Q, n)
		law.Phases = append(law.Phases, phase)
		law.Q.AddScaled(shares[m], phase.Q)
		law.Inclusion.AddScaled(shares[m], phase.Inclusion)
	}
	return law
}

// visitPhases visits all pairs of a phase and a cohort with the weights that an aggregator gives, by
// client, and the probability of the pair.
func visitPhases(
	t *testing.T, a fl.Aggregator, p fl.Vector, law *fl.Law,
	visit func(phase int, q float64, w fl.Vector),
) {
	t.Helper()
	n := len(p)
	unit := make([]fl.Vector, n)
	for i := range unit {
		unit[i] = make(fl.Vector, n)
		unit[i][i] = 1
	}
	r := roundOf(&fl.Roster{N: n, Importance: p}, law, make(fl.Vector, n), unit, law.Sets[0])
	r.Phases = len(law.Phases)
	for m := range law.Phases {
		r.Phase = m + 1
		for j, cohort := range law.Phases[m].Sets {
			next, err := paramsOf(a, again(r, unit, cohort))
			if err != nil {
				t.Fatal(err)
			}
			visit(m, law.Shares[m]*law.Phases[m].Q[j], next)
		}
	}
}

// inPhases returns p̃ of each phase, of their mixture, and E‖w‖².
func inPhases(t *testing.T, a fl.Aggregator, p fl.Vector, law *fl.Law) (
	phases []fl.Vector, all fl.Vector, square float64,
) {
	t.Helper()
	all, phases = make(fl.Vector, len(p)), make([]fl.Vector, len(law.Phases))
	for m := range phases {
		phases[m] = make(fl.Vector, len(p))
	}
	visitPhases(t, a, p, law, func(m int, q float64, w fl.Vector) {
		phases[m].AddScaled(q/law.Shares[m], w)
		all.AddScaled(q, w)
		square += q * w.Dot(w)
	})
	return phases, all, square
}

// mild are three phases in each of which uniform p is attainable by pairs of six.
func mild() *fl.Law {
	return phasedLaw(6, 2, fl.Vector{0.5, 0.3, 0.2}, fl.Vector{1, 1.1, 1.2, 1.3, 1.4, 1.5},
		fl.Vector{1.5, 1.4, 1.3, 1.2, 1.1, 1}, fl.Vector{1, 1.4, 1, 1.4, 1, 1.4})
}

// Theorem: with one plan for each phase p̃ = p within each phase, and the mean of the aggregate is
// Σ pᵢθᵢ in each; the pooled plan has that in the mean over phases alone, with no more variance.
//
//hansa:verifies theorem aggregator/fedavot
//hansa:verifies theorem aggregator/minimum-variance
func TestTheoremPlansOfPhases(t *testing.T) {
	law, p := mild(), uniformly(6)
	for name, e := range map[string]fl.AggregatorEntry{"fedavot": FedAVOT, "least": MinimumVariance} {
		given := map[string]any{"epsilon": 1e-11}
		_, pooled, square := inPhases(t, build(t, e, given), p, law)
		given["phases"] = "each"
		phases, each, more := inPhases(t, build(t, e, given), p, law)
		for m, got := range phases {
			if d := distance(got, p); d > 1e-9 {
				t.Errorf("%s, phase %d: TV(p̃, p) = %g", name, m+1, d)
			}
		}
		if d := distance(pooled, p); d > 1e-9 || distance(each, p) > 1e-9 {
			t.Errorf("%s: TV(p̃, p) = %g, by phase %g", name, d, distance(each, p))
		}
		if name == "least" && !(more > square+1e-6) {
			t.Errorf("E‖w‖² is %v by phase, pooled %v", more, square)
		}
		apart, _, _ := inPhases(t, build(t, e, map[string]any{"epsilon": 1e-11}), p, law)
		if d := distance(apart[0], p); d < 0.01 {
			t.Errorf("%s: pooled p̃ of the first phase is p, to %g", name, d)
		}
	}
}

// Theorem: the least variance over all plans that see phases is that of the plan that does not. A plan
// that sees them is one of each phase for targets t_φ with Σρ_φ t_φ = p. The pooled plan has targets,
// too, for which no other plans have less; and no other targets do, near or far: as the least variance
// is convex in the targets, near ones suffice.
//
//hansa:verifies theorem aggregator/minimum-variance
func TestTheoremJointPlanIsPooled(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 2))
	law, p := mild(), uniformly(6)
	own, _, least := inPhases(t, build(t, MinimumVariance, map[string]any{"epsilon": 1e-11}), p, law)
	variance := func(targets []fl.Vector) (square float64, possible bool) {
		for m, phase := range law.Phases {
			problem := ot.Masked{P: targets[m], Q: phase.Q, Sets: phase.Sets}
			if problem.Check() != nil || !problem.Feasibility().Feasible {
				return 0, false
			}
			square += law.Shares[m] * problem.MinimumVariance(1e-11, 10_000).Variance
		}
		return square, true
	}
	if square, _ := variance(own); math.Abs(square-least) > 1e-8 {
		t.Errorf("for its own targets E‖w‖² = %v is possible, it has %v", square, least)
	}
	tried := 0
	for k := range 400 {
		size := []float64{0.003, 0.03, 0.1, 0.3}[k%4]
		targets, last := make([]fl.Vector, 3), p.Clone()
		for m := range 2 {
			targets[m] = own[m].Clone()
			for i := range p {
				targets[m][i] *= math.Exp(size * rng.NormFloat64())
			}
			targets[m].Scale(1 / targets[m].Sum())
			last.AddScaled(-law.Shares[m], targets[m])
		}
		last.Scale(1 / law.Shares[2])
		targets[2] = last
		square, possible := variance(targets)
		if possible {
			tried++
		}
		if possible && square < least-1e-9 {
			t.Fatalf("targets %v have E‖w‖² = %v, the pooled plan %v", targets, square, least)
		}
	}
	if tried < 100 {
		t.Errorf("%d of 400 targets are attainable", tried)
	}
}

// Where clients are absent in some phase, p is attainable in the mean over phases and in none of
// them: pooled weights realise it, plans of phases do not, and say so.
func TestAbsentInAPhase(t *testing.T) {
	law := phasedLaw(4, 2, fl.Vector{0.5, 0.5}, fl.Vector{1, 1, 1e-9, 1e-9},
		fl.Vector{1e-9, 1e-9, 1, 1})
	p := uniformly(4)
	for _, e := range []fl.AggregatorEntry{FedAVOT, MinimumVariance} {
		_, pooled, _ := inPhases(t, build(t, e, nil), p, law)
		if d := distance(pooled, p); d > 1e-6 {
			t.Errorf("%s: TV(p̃, p) = %g", e.Name, d)
		}
		a := build(t, e, map[string]any{"phases": "each", "on_infeasible": "error"})
		r := roundOf(&fl.Roster{N: 4, Importance: p}, law, make(fl.Vector, 4),
			models(rand.New(rand.NewPCG(1, 1)), 4, 4), law.Sets[0])
		r.Phase, r.Phases = 2, 2
		if _, err := a.Aggregate(r); err == nil || err.Error()[:8] != "phase 2:" {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// Where no laws are known each phase learns by itself, and both reach p; nothing of one phase moves
// the other.
func TestPhasesLearnApart(t *testing.T) {
	law, p := mild(), uniformly(6)
	rng := rand.New(rand.NewPCG(25, 3))
	a := build(t, FedAVOT, map[string]any{"phases": "each", "learn": true})
	params := models(rng, 6, 6)
	for i := range params {
		clear(params[i])
		params[i][i] = 1
	}
	r := roundOf(&fl.Roster{N: 6, Importance: p}, nil, make(fl.Vector, 6), params, law.Sets[0])
	r.Phases = 3
	sum, count := make([]fl.Vector, 3), make([]float64, 3)
	for m := range sum {
		sum[m] = make(fl.Vector, 6)
	}
	for range 9000 {
		m := rng.IntN(3)
		r.Phase = m + 1
		x, j := rng.Float64(), 0
		for q := law.Phases[m].Q[0]; x > q && j < len(law.Sets)-1; q += law.Phases[m].Q[j] {
			j++
		}
		next, err := paramsOf(a, again(r, params, law.Sets[j]))
		if err != nil {
			t.Fatal(err)
		}
		sum[m].Add(next)
		count[m]++
	}
	for m := range sum {
		sum[m].Scale(1 / count[m])
		if d := distance(sum[m], p); d > 5e-3 { // a/(ηT), by the telescoping sum
			t.Errorf("phase %d: the mean weights are %g from p", m+1, d)
		}
	}
}

// The variation sets the step, and clashes with one that is given.
func TestVariationSetsTheStep(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{FedAVOT, MinimumVariance} {
		p := fl.NewParams(map[string]any{"variation": 0.01, "step": 0.2}, fl.Setting{Clients: 6}, nil)
		if _, err := e.New(p); err != nil {
			t.Fatal(err)
		}
		if got := p.Finish(); len(got) != 1 || got[0].Beside != "step" {
			t.Errorf("%s: %v", e.Name, got)
		}
	}
	p := fl.NewParams(map[string]any{"variation": 0.01, "reach": 4.0}, fl.Setting{Clients: 6}, nil)
	if step := newVariation(p, 1); math.Abs(step-0.2) > 1e-15 {
		t.Errorf("step %v", step)
	}
}
