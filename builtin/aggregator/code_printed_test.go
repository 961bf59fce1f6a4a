package aggregator

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Theorem: CODE as printed, (22) to (26) with the loop of Algorithm 2, is half of the parameters of
// the best network and next to nothing of the others. What a network is aligned to is smaller by the
// squares of numbers of neurons, so that its norm is below that share of it; and so are the plans
// of a loop that ends where it begins.
//
//hansa:verifies theorem aggregator/code
func TestPrintedCODEIsHalfOfTheBest(t *testing.T) {
	net, rng := perceptron(t, judged, 20, 9), rand.New(rand.NewPCG(33, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	half := params[2].Clone()
	half.Scale(0.5)
	for _, solver := range []string{"printed", "cold", "exact"} {
		r := oneShot(fl.Vector{.4, .5, .6}, []fl.Model{net}, params)
		given := map[string]any{"solver": solver, "marginals": "printed", "power": int64(1),
			"output_layer": "transported", "max_sweeps": int64(100_000), "lambda": 0.1}
		got := fused(t, server(t, CODE, given), r)
		if d := got.Distance(half); d > half.Norm()/50 {
			t.Errorf("%s: %g from half of the best, whose norm is %g", solver, d, half.Norm())
		}
		notes := strings.Join(r.Notes.List(), "\n")
		if solver == "printed" != strings.Contains(notes, "ends where it begins") {
			t.Errorf("%s: notes %q", solver, notes)
		}
	}
}

// The measured columns: half-steps from a cold start are within the bound of Theorem 2; rounding
// moves at most twice what the marginals lack, so that Definition 1 is missed by what λ blurs.
//
//hansa:verifies theorem aggregator/code aggregator/lmf
func TestMeasuresOfCODE(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(34, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	const epsilon = 1e-3
	for _, e := range []fl.AggregatorEntry{CODE, LMF} {
		for _, power := range []int64{1, 2} {
			r := oneShot(fl.Vector{.4, .5, .6}, []fl.Model{net}, params)
			given := map[string]any{"solver": "cold", "measure": true, "power": power,
				"epsilon": epsilon, "lambda": 0.02, "max_sweeps": int64(1_000_000)}
			measured := fused(t, server(t, e, given), r)
			if n := r.Notes.List(); len(n) > 0 {
				t.Errorf("%s: notes %q", e.Name, n)
			}
			for _, layer := range []string{"1", "2"} {
				at := func(name string) fl.Observation { return observed(r, name+" in layer "+layer) }
				share := at("half-steps for each of the bound")
				if share.Rounds != 2 || !(share.Least > 0) || share.Most > 1 {
					t.Errorf("%s, layer %s: of the bound %+v", e.Name, layer, share)
				}
				if m := at("mass that rounding moves"); !(m.Most > 0) || m.Most > 2*epsilon {
					t.Errorf("%s, layer %s: rounding moves %+v", e.Name, layer, m)
				}
				above, cost := at("cost above the least of a plan that is rounded"), at("cost of a plan")
				if !(above.Least > 0) || above.Most > cost.Most {
					t.Errorf("%s, layer %s: %+v above the least of %+v", e.Name, layer, above, cost)
				}
			}
			given["measure"] = false
			if d := fused(t, server(t, e, given), r).Distance(measured); d != 0 {
				t.Errorf("%s: to measure moves the result by %g", e.Name, d)
			}
		}
	}
}

// Options that exclude each other are refused, and say what to do.
func TestFusionOptionsThatExclude(t *testing.T) {
	for want, given := range map[string]map[string]any{
		`a partial plan is exact`:        {"coupling": "partial"},
		`an unbalanced plan is entropic`: {"coupling": "unbalanced", "solver": "exact"},
		`in units of costs, as rho is`:   {"coupling": "unbalanced", "lambda_unit": "max"},
		`Algorithm 2 has λ in units`:     {"solver": "printed", "lambda_unit": "max"},
		`is divided by its sums`: {"coupling": "partial", "solver": "exact",
			"marginals": "rounded"},
		`are of plans with marginals`: {"coupling": "partial", "solver": "exact", "measure": true},
	} {
		p := fl.NewParams(given, fl.Setting{}, nil)
		newFusion(p, "entropic")
		if problems := p.Finish(); len(problems) != 1 ||
			!strings.Contains(problems[0].Message, want) {
			t.Errorf("%v: %v, want …%s…", given, problems, want)
		}
	}
}

// Of permuted copies every coupling makes the copy in whose terms they are put, where it need leave
// nothing out; and so does a barycenter.
//
//hansa:verifies theorem aggregator/code aggregator/lmf aggregator/fusion-barycenter
func TestCouplingsRecover(t *testing.T) {
	net, rng := perceptron(t, judged, 20, 9), rand.New(rand.NewPCG(35, 4))
	copies := []fl.Vector{net.Init(rng)}
	for range 3 {
		copies = append(copies, shuffled(t, net, copies[0], rng))
	}
	for _, e := range []fl.AggregatorEntry{CODE, LMF, FusionBarycenter} {
		for name, given := range map[string]map[string]any{
			"exact":   {"solver": "exact"},
			"partial": {"solver": "exact", "coupling": "partial", "mass": 1.0},
			"part":    {"solver": "exact", "coupling": "partial", "mass": 0.7},
			"rounded": {"lambda": 1e-3, "marginals": "rounded", "epsilon": 1e-12},
		} {
			if e.Name == "fusion-barycenter" && given["coupling"] != nil {
				continue
			}
			r := oneShot(fl.Vector{.3, .4, .9, .1}, []fl.Model{net}, copies)
			if d := fused(t, server(t, e, given), r).Distance(copies[2]); d > 1e-6 {
				t.Errorf("%s, %s: %g away", e.Name, name, d)
			}
		}
	}
}

// One pass of a barycenter is LMF, with the same weights, and more passes cost less.
//
//hansa:verifies equivalence aggregator/fusion-barycenter
func TestOnePassIsLMF(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(36, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	for _, weights := range []string{"uniform", "merit"} {
		given := map[string]any{"solver": "exact", "weights": weights}
		r := oneShot(fl.Vector{.4, .7, .6}, []fl.Model{net}, params)
		want := fused(t, server(t, LMF, given), r)
		given["passes"] = int64(1)
		if d := fused(t, server(t, FusionBarycenter, given), r).Distance(want); d > 1e-12 {
			t.Errorf("%s: %g from LMF", weights, d)
		}
		given["passes"] = int64(100)
		r = oneShot(fl.Vector{.4, .7, .6}, []fl.Model{net}, params)
		fused(t, server(t, FusionBarycenter, given), r)
		o := observed(r, "cost after all for each of LMF's in layer 1")
		if !(o.Most < 1) || len(r.Notes.List()) > 0 {
			t.Errorf("%s: %+v, notes %q", weights, o, r.Notes.List())
		}
	}
}
