package fuse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/ot"
)

// Theorem: the barycenter of copies of one network with their neurons in other orders is that
// network, whatever their weights are, and nothing is moved.
func TestBarycenterOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	for name, net := range nets(t) {
		n := wide(net, rng)
		all := []fuse.Network{shuffled(t, n, rng), n, shuffled(t, n, rng), shuffled(t, n, rng)}
		b := &fuse.Barycenter{Aligner: fuse.Aligner{Solver: new(ot.Exact)}, Passes: 10}
		got, _, found, err := b.Fuse(all, fl.Vector{.1, .2, .3, .4}, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, got, n.Params, 1e-12)
		for _, g := range found {
			if !g.Converged || g.Costs[0] > 1e-12 {
				t.Errorf("%s: %+v", name, g)
			}
		}
	}
}

// Theorem: of networks of several widths plans and points in turn lower Σ ρ_k W₂² of each layer,
// below that of one pass, which is LMF: all aligned with the first, and averaged. The result is the
// mean of the networks in its terms.
func TestBarycenterFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	vec := nn.Shape{H: 1, W: 1, C: 6}
	var all []fuse.Network
	for _, w := range [][]int{{12, 9}, {15, 7}, {8, 9}} {
		net, err := nn.New(vec, nn.Dense(w[0]), nn.ReLU(), nn.Dense(w[1]), nn.ReLU(), nn.Dense(3))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wide(net, rng))
	}
	rho := fl.Vector{.5, .2, .3}
	once := make(fl.Vector, len(all[0].Params))
	for k, n := range all {
		aligned, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, n, all[0])
		once.AddScaled(rho[k], aligned)
	}
	b := &fuse.Barycenter{Aligner: fuse.Aligner{Solver: new(ot.Exact)}, Passes: 1}
	got, _, _, err := b.Fuse(all, rho, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "one pass", got, once, 1e-12)
	b.Passes = 200
	got, aligned, found, err := b.Fuse(all, rho, 0)
	if err != nil {
		t.Fatal(err)
	}
	fell := 0
	for _, g := range found {
		for k, c := range g.Costs[1:] {
			if c > g.Costs[k]*(1+1e-12) {
				t.Errorf("layer %d: the sum rises from %v to %v", g.Layer, g.Costs[k], c)
			}
		}
		if g.Costs[len(g.Costs)-1] < 0.99*g.Costs[0] {
			fell++
		}
		if !g.Converged || len(g.Costs) < 3 {
			t.Errorf("layer %d: %d passes, converged is %v", g.Layer, len(g.Costs), g.Converged)
		}
	}
	if len(found) != 2 || fell == 0 {
		t.Errorf("%d of %d layers have a lower sum than after one pass", fell, len(found))
	}
	mean := make(fl.Vector, len(got))
	for k := range aligned {
		mean.AddScaled(rho[k], aligned[k])
	}
	near(t, "the mean of what is aligned", got, mean, 1e-12)
}

// Theorem: a partial plan of all mass is the cheapest one. With one neuron less it leaves out a pair
// that does not belong together: of a network of which one neuron is another one what is aligned is
// the other network to the bit, that neuron and what leaves it included.
func TestPartialPlansLeaveOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 2))
	const width = 10
	net, err := nn.New(nn.Shape{H: 1, W: 1, C: 6}, nn.Dense(width), nn.ReLU(), nn.Dense(4), nn.ReLU(),
		nn.Dense(3))
	if err != nil {
		t.Fatal(err)
	}
	to, other := wide(net, rng), wide(net, rng)
	want, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, other, to)
	all := &fuse.Aligner{Solver: &ot.Partial{Mass: 1}, Loose: true}
	got, _ := align(t, all, other, to)
	near(t, "all mass", got, want, 1e-9)

	from := fuse.Network{Layout: to.Layout, Params: to.Params.Clone()}
	fl.Vector(from.Layout.Blocks[0].Of(from.Params).Row(3)).Fill(100)
	for r := range from.Layout.Blocks[2].Rows {
		from.Layout.Blocks[2].Of(from.Params).Row(r)[3] = -50
	}
	from = shuffled(t, from, rng)
	// One neuron of the first layer is left out. All of the second agree, and one has to be.
	most := &fuse.Aligner{Solver: &ot.Partial{Mass: 1 - 1.0/width}, Loose: true}
	got, steps := align(t, most, from, to)
	first, bias := &to.Layout.Blocks[0], &to.Layout.Blocks[1]
	near(t, "the first layer", first.Of(got).Data, first.Of(to.Params).Data, 1e-12)
	near(t, "its biases", bias.Of(got).Data, bias.Of(to.Params).Data, 1e-12)
	near(t, "all", got, to.Params, 1e-9)
	if steps[0].Cost > 1e-10 {
		t.Errorf("the plan costs %g", steps[0].Cost)
	}
	plain, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, from, to)
	if plain.Distance(to.Params) < 100 {
		t.Errorf("with all mass it is only %g away", plain.Distance(to.Params))
	}
}

// The dearer its marginals are, the nearer is an unbalanced plan to the entropic one; where they are free nearly
// nothing is moved, and the other network remains.
func TestUnbalancedPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 2))
	net := nets(t)["dense"]
	from, to := wide(net, rng), wide(net, rng)
	want, _ := align(t, &fuse.Aligner{Solver: &ot.Entropic{Lambda: 0.1, Epsilon: 1e-12,
		MaxSweeps: 100_000}}, from, to)
	before := math.Inf(1)
	for _, rho := range []float64{1, 10, 100} {
		solver := &ot.Unbalanced{Lambda: 0.1, Rho: rho, Epsilon: 1e-6, MaxSweeps: 100_000}
		got, _ := align(t, &fuse.Aligner{Solver: solver, Loose: true}, from, to)
		away := got.Distance(want)
		if away > before/2 {
			t.Errorf("ρ = %v is %v from the entropic plan, a lower one %v", rho, away, before)
		}
		before = away
	}
	far := fuse.Network{Layout: from.Layout, Params: from.Params.Clone()}
	far.Params.Scale(100)
	solver := &ot.Unbalanced{Lambda: 0.1, Rho: 0.5, Epsilon: 1e-6, MaxSweeps: 10_000}
	got, _ := align(t, &fuse.Aligner{Solver: solver, Loose: true}, far, to)
	layer := &to.Layout.Blocks[0]
	near(t, "far away", layer.Of(got).Data, layer.Of(to.Params).Data, 0)
}

// Theorem: divided as (23) and (25) of CODE print, weights of a permuted copy come out smaller by
// the squares of the numbers of neurons on both sides.
func TestPrintedMarginalsShrink(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 2))
	net := nets(t)["dense"] // 12, 20, 9, 4
	to := wide(net, rng)
	got, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact), Printed: true}, shuffled(t, to, rng), to)
	want := to.Params.Clone()
	for k, by := range []float64{12 * 20, 20, 20 * 9, 9, 9, 1} {
		fl.Vector(to.Layout.Blocks[k].Of(want).Data).Scale(1 / (by * by))
	}
	near(t, "what is aligned", got, want, 1e-12)
}

// Rounded plans have their marginals, and See is shown the plan before.
func TestRoundedPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 2))
	net := nets(t)["dense"]
	from, to := wide(net, rng), wide(net, rng)
	a := &fuse.Aligner{Solver: &ot.Entropic{Lambda: 0.1, Epsilon: 0.1, MaxSweeps: 100_000}}
	missing := func(plan fl.Matrix) (sum float64) {
		cols := make(fl.Vector, plan.Cols)
		for i := range plan.Rows {
			cols.Add(plan.Row(i))
		}
		cols.AddConst(-1 / float64(plan.Cols))
		return cols.Norm()
	}
	seen := 0
	a.See = func(k int, _ ot.Transport, _ ot.Coupling, plan fl.Matrix) {
		if k != seen || missing(plan) < 1e-3 {
			t.Errorf("step %d: marginals are missed by %g only", k, missing(plan))
		}
		seen++
	}
	for _, a.Rounded = range []bool{false, true} {
		seen = 0
		_, steps := align(t, a, from, to)
		for _, s := range steps {
			if m := missing(s.Plan); a.Rounded != (m < 1e-12) {
				t.Errorf("rounded is %v: marginals are missed by %g", a.Rounded, m)
			}
		}
		if seen != 2 {
			t.Errorf("%d plans are seen", seen)
		}
	}
}
