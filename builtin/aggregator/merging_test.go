package aggregator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// saidBy returns what a model says of the samples that the server holds.
func saidBy(m fl.Model, theta fl.Vector) fl.Vector {
	x := held(judged).X
	fl.Vector(x.Data).AddNoise(1, rand.New(rand.NewPCG(8, 8)))
	dst := fl.NewMatrix(x.Rows, judged.Classes)
	m.Worker().Scores(dst, theta, x)
	return dst.Data
}

// Theorem: of copies of one network with their neurons in other orders Git Re-Basin makes that
// network again: of two copies of one hidden layer whatever the weights are, and of five copies of
// two wide ones from random weights. What it makes computes what they do.
//
//hansa:verifies theorem aggregator/git-rebasin
func TestGitReBasinRecovers(t *testing.T) {
	for name, c := range map[string]struct {
		widths []int
		copies int
	}{"one layer": {[]int{9}, 2}, "two layers": {[]int{40, 30}, 2}, "five": {[]int{40, 30}, 5}} {
		net, rng := perceptron(t, judged, c.widths...), rand.New(rand.NewPCG(3, 4))
		for seed := range uint64(4) {
			copies := []fl.Vector{net.Init(rng)}
			for range c.copies - 1 {
				copies = append(copies, shuffled(t, net, copies[0], rng))
			}
			shares := fl.Vector{.3, .4, .9, .1, .5}[:c.copies]
			for _, weights := range []string{"uniform", "merit", "samples"} {
				r := oneShot(shares, []fl.Model{net}, copies)
				r.RNG = rand.New(rand.NewPCG(seed, 5))
				got := fused(t, server(t, GitReBasin, map[string]any{"weights": weights}), r)
				if d := saidBy(net, got).Distance(saidBy(net, copies[0])); d > 1e-4 {
					t.Errorf("%s, %s, seed %d: scores are %g away", name, weights, seed, d)
				}
				if n := got.Norm() - copies[0].Norm(); n > 1e-9 || n < -1e-9 {
					t.Errorf("%s, %s, seed %d: the norm is %g more", name, weights, seed, n)
				}
				if notes := r.Notes.List(); len(notes) > 0 {
					t.Errorf("%s: notes %q", name, notes)
				}
			}
		}
	}
}

// Without passes Git Re-Basin is the plain mean, and of networks whose neurons agree already it
// is, too; with weights by merit both are exp-average, and so is LMF where plans are the identity.
//
//hansa:verifies equivalence aggregator/git-rebasin aggregator/lmf
func TestWithoutTransportWeightsRemain(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(6, 4))
	theta := net.Init(rng)
	near := make([]fl.Vector, 4)
	for k := range near {
		near[k] = theta.Clone()
		near[k].AddNoise(1e-3, rng)
	}
	shares := fl.Vector{.3, .8, .6, .1}
	round := func() *fl.Round {
		r := oneShot(shares, []fl.Model{net}, near)
		r.RNG = rand.New(rand.NewPCG(1, 5))
		return r
	}
	mean, err := plainMean(round())
	if err != nil {
		t.Fatal(err)
	}
	merit := fused(t, expAverage{"ascending"}, round())
	for _, c := range []struct {
		name  string
		entry fl.AggregatorEntry
		given map[string]any
		want  fl.Vector
	}{
		{"no passes", GitReBasin, map[string]any{"passes": int64(0)}, mean},
		{"agreed", GitReBasin, nil, mean},
		{"by merit", GitReBasin, map[string]any{"weights": "merit"}, merit},
		{"LMF", LMF, map[string]any{"solver": "exact"}, mean},
		{"LMF by merit", LMF, map[string]any{"solver": "exact", "weights": "merit"}, merit},
	} {
		if d := fused(t, server(t, c.entry, c.given), round()).Distance(c.want); d > 1e-12 {
			t.Errorf("%s: %g away", c.name, d)
		}
	}
}

// A pass that is the last one, though networks still change, is noted.
func TestGitReBasinThatStopsEarly(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(6, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	r := oneShot(fl.Vector{.1, .2, .3}, []fl.Model{net}, params)
	r.RNG = rng
	fused(t, server(t, GitReBasin, map[string]any{"passes": int64(1)}), r)
	if notes := r.Notes.List(); len(notes) != 1 || !strings.Contains(notes[0], "raise passes") {
		t.Errorf("notes %q", notes)
	}
}

// Theorem: on the samples by which it is made a greedy soup is at least as accurate as the best
// model, it has that one in it, and no other model could be added at its turn. Of equal models it
// is all of them.
//
//hansa:verifies theorem aggregator/model-soup
func TestSoupIsAsGoodAsTheBest(t *testing.T) {
	net, rng := perceptron(t, judged, 5), rand.New(rand.NewPCG(31, 4))
	sizes := map[int]bool{}
	for range 30 {
		theta, params := net.Init(rng), make([]fl.Vector, 5)
		for k := range params {
			params[k] = theta.Clone()
			params[k].AddNoise(0.3, rng)
		}
		r := oneShot(make(fl.Vector, 5), []fl.Model{net}, params)
		for k := range r.Updates {
			r.Updates[k].Model = nil
		}
		r.Validation = held(judged)
		fl.Vector(r.Validation.X.Data).AddNoise(1, rng)
		out := outcome(t, server(t, ModelSoup, nil), r)
		best, at := 0.0, 0
		for k, theta := range params {
			if merit := meritOf(net, theta, r.Validation); merit >= best {
				best, at = merit, k
			}
		}
		got, size := meritOf(net, out.Params, r.Validation), 0
		for _, w := range out.Weights {
			if w > 0 {
				size++
			}
		}
		if got < best || out.Weights[at] == 0 {
			t.Errorf("the soup has %v, its best model %v and a weight of %v", got, best,
				out.Weights[at])
		}
		sizes[size] = true
		for k := range params {
			params[k] = theta
			r.Updates[k].Params = theta
		}
		if out := outcome(t, server(t, ModelSoup, nil), r); out.Params.Distance(theta) > 1e-12 ||
			slices.Min(out.Weights) < 0.2-1e-15 {
			t.Errorf("of equal models it is %v", out.Weights)
		}
	}
	if len(sizes) < 3 {
		t.Errorf("soups are all of the sizes %v", sizes)
	}
}

// A regression is the data of a client: y = X·θ + noise.
type regression struct {
	x fl.Matrix
	y fl.Vector
}

// leastSquares returns the solution for several clients' data in one place, with a constant.
func leastSquares(t *testing.T, of ...regression) fl.Vector {
	t.Helper()
	d := of[0].x.Cols + 1
	a, b, theta := fl.NewMatrix(d, d), make(fl.Vector, d), make(fl.Vector, d)
	for _, c := range of {
		for i := range c.x.Rows {
			row := append(c.x.Row(i).Clone(), 1)
			b.AddScaled(c.y[i], row)
			for j, x := range row {
				a.Row(j).AddScaled(x, row)
			}
		}
	}
	if _, err := tensor.SolvePositive(theta, a, b); err != nil {
		t.Fatal(err)
	}
	return theta
}

// lines returns data of clients and a round in which each sends its own least squares.
func lines(t *testing.T, axes bool) (of []regression, r *fl.Round) {
	t.Helper()
	rng := rand.New(rand.NewPCG(17, 4))
	const d = 4
	m, err := model.Linear.New(fl.NewParams(map[string]any{"intercept": true}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(fl.Shape{Features: d}); err != nil {
		t.Fatal(err)
	}
	r = &fl.Round{Model: m, Layout: m.Layout(), Global: make(fl.Vector, d+1), Notes: new(fl.Notes),
		State: fl.NewStore(), RNG: rng}
	for k, n := range []int{12, 30, 9} {
		c := regression{fl.NewMatrix(2*n, d), make(fl.Vector, 2*n)}
		for i := range n { // a sample and its mirror image
			if row := c.x.Row(2 * i); axes { // on an axis
				row[i%d] = rng.NormFloat64()
			} else {
				row.AddNoise(1, rng)
			}
			copy(c.x.Row(2*i+1), c.x.Row(2*i))
			c.x.Row(2*i + 1).Scale(-1)
		}
		c.y.AddNoise(2, rng)
		of = append(of, c)
		r.Updates = append(r.Updates, fl.Update{Client: 3 + k, Samples: 2 * n,
			Params: leastSquares(t, c), Payload: fl.Tensors{}})
	}
	return of, r
}

// Theorem: of linear models that are the least squares of their clients RegMean with α = 1 makes
// the least squares of all samples in one place, to 1e-10, however data differ; without what is
// off the diagonal it is Fisher merging.
//
//hansa:verifies theorem aggregator/regmean
func TestRegMeanIsPooledLeastSquares(t *testing.T) {
	of, r := lines(t, false)
	for k, c := range of {
		g, packed := fl.NewMatrix(5, 5), fl.NewMatrix(1, tensor.Packed(5))
		fisher := fl.NewMatrix(1, 5)
		for i := range c.x.Rows {
			row := append(c.x.Row(i).Clone(), 1)
			for j, x := range row {
				g.Row(j).AddScaled(x, row)
				fisher.Data[j] += x * x / float64(c.x.Rows)
			}
		}
		g.Pack(packed.Data)
		r.Updates[k].Payload["gram 0"], r.Updates[k].Payload["fisher"] = packed, fisher
	}
	want := leastSquares(t, of...)
	exact := server(t, RegMean, map[string]any{"alpha": 1.0, "ridge": 0.0})
	if d := fused(t, exact, r).Distance(want); d > 1e-10 {
		t.Errorf("RegMean is %g from the least squares of all samples", d)
	}
	if d := fused(t, server(t, RegMean, map[string]any{"alpha": 1.0}), r).Distance(want); d > 1e-4 {
		t.Errorf("with its ridge it is %g from them", d)
	}
	plain, err := sharing("samples").of(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Combine(plain).Distance(want); d < 1e-2 {
		t.Errorf("the mean is only %g from them", d)
	}
	diagonal := fused(t, server(t, RegMean, map[string]any{"alpha": 0.0, "ridge": 0.0}), r)
	fisher := fused(t, server(t, FisherMerging, map[string]any{"floor": 0.0}), r)
	if d := diagonal.Distance(fisher); d > 1e-10 {
		t.Errorf("without what is off the diagonal it is %g from Fisher merging", d)
	}
	r.Updates[1].Payload["gram 0"] = fl.NewMatrix(1, 3)
	if _, err := exact.Aggregate(r); err == nil || !strings.Contains(err.Error(), "client 4: 3 num") {
		t.Errorf("a Gram matrix of another size: %v", err)
	}
}

// Theorem: where the columns of each client's design are orthogonal, Fisher merging of the clients'
// least squares is that of all samples in one place, to 1e-10. With equal information it is the
// mean by samples.
//
//hansa:verifies theorem aggregator/fisher-merging
//hansa:verifies equivalence aggregator/fisher-merging
func TestFisherMergingIsPooledLeastSquares(t *testing.T) {
	of, r := lines(t, true)
	for k, c := range of {
		f := fl.NewMatrix(1, 5)
		for i := range c.x.Rows {
			for j, x := range append(c.x.Row(i).Clone(), 1) {
				f.Data[j] += x * x / float64(c.x.Rows)
			}
		}
		r.Updates[k].Payload["fisher"] = f
	}
	merged := server(t, FisherMerging, map[string]any{"floor": 0.0})
	if d := fused(t, merged, r).Distance(leastSquares(t, of...)); d > 1e-10 {
		t.Errorf("%g from the least squares of all samples", d)
	}
	for _, floor := range []float64{0, 10} { // 10 is more than any has
		for k := range r.Updates {
			if floor == 0 {
				clear(r.Updates[k].Payload["fisher"].Data)
			} else {
				fl.Vector(r.Updates[k].Payload["fisher"].Data).AddConst(float64(k))
			}
		}
		w, err := sharing("samples").of(r)
		if err != nil {
			t.Fatal(err)
		}
		a := server(t, FisherMerging, map[string]any{"floor": floor})
		if d := fused(t, a, r).Distance(r.Combine(w)); d > 1e-12 {
			t.Errorf("of equal information it is %g from the mean", d)
		}
	}
	r.Updates[2].Payload["fisher"].Data[1] = -1
	if _, err := merged.Aggregate(r); err == nil || !strings.Contains(err.Error(), "client 5: Fish") {
		t.Errorf("negative information: %v", err)
	}
}

// Copies of a network with their neurons in other orders fuse to it, compared by activations alone;
// of other networks that makes other plans than weights do. A model that does not show what its
// neurons say is refused, and so is a server without samples.
//
//hansa:verifies theorem aggregator/code aggregator/lmf
func TestActivationsRecoverPermutations(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(16, 4))
	copies := []fl.Vector{net.Init(rng)}
	for range 3 {
		copies = append(copies, shuffled(t, net, copies[0], rng))
	}
	given := func(kind, neurons string) map[string]any {
		m := map[string]any{"solver": "exact", "neurons": neurons}
		if kind == "code" {
			m["order"] = "given"
		} else {
			m["reference"] = "first"
		}
		return m
	}
	for _, e := range []fl.AggregatorEntry{CODE, LMF} {
		r := oneShot(make(fl.Vector, 4), []fl.Model{net}, copies)
		for k := range r.Updates {
			r.Updates[k].Model = nil
		}
		fl.Vector(r.Validation.X.Data).AddNoise(1, rng)
		by := server(t, e, given(e.Name, "activations"))
		if d := saidBy(net, fused(t, by, r)).Distance(saidBy(net, copies[0])); d > 1e-4 {
			t.Errorf("%s: scores are %g away", e.Name, d)
		}
		for k := range r.Updates {
			r.Updates[k].Params = net.Init(rng)
		}
		other := fused(t, server(t, e, given(e.Name, "weights")), r)
		if fused(t, by, r).Distance(other) < 1e-3 {
			t.Errorf("%s: activations and weights make the same plans", e.Name)
		}
		r.Updates[1].Model = graded{net, 0.5}
		if _, err := by.Aggregate(r); err == nil || !strings.Contains(err.Error(), "does not show") {
			t.Errorf("%s, a model without activations: %v", e.Name, err)
		}
		r.Validation = nil
		if _, err := by.Aggregate(r); err == nil || !strings.Contains(err.Error(), "holds no sam") {
			t.Errorf("%s, a server without samples: %v", e.Name, err)
		}
	}
}
