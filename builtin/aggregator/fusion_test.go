package aggregator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/ot"
)

// judged is the shape of the samples that models are graded on.
var judged = fl.Shape{Features: 6, Classes: 4}

// perceptron returns a network with hidden layers of the given widths.
func perceptron(t *testing.T, in fl.Shape, widths ...int) fl.Model {
	t.Helper()
	var list []any
	for _, w := range widths {
		list = append(list, int64(w))
	}
	m, err := model.MLP.New(fl.NewParams(map[string]any{"widths": list}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(in); err != nil {
		t.Fatal(err)
	}
	return m
}

// A graded model is one that classifies a given share of samples rightly, whatever its
// parameters are.
type graded struct {
	fl.Model
	share float64
}

// Worker implements fl.Model.
func (g graded) Worker() fl.Worker { return grader{share: g.share} }

type grader struct {
	fl.Worker
	share float64
}

// Scores is of samples whose classes take turns.
func (g grader) Scores(dst fl.Matrix, _ fl.Vector, _ fl.Matrix) {
	clear(dst.Data)
	for i := range dst.Rows {
		says := i
		if float64(i) >= g.share*float64(dst.Rows) {
			says++
		}
		dst.Row(i)[says%dst.Cols] = 1
	}
}

// held are a hundred samples of classes that take turns.
func held(shape fl.Shape) *fl.Dataset {
	d := &fl.Dataset{Shape: shape, X: fl.NewMatrix(100, shape.Features)}
	for i := range d.X.Rows {
		d.Y = append(d.Y, i%shape.Classes)
	}
	return d
}

// oneShot is a round in which clients 10, 11, … upload networks of the given accuracy.
func oneShot(shares fl.Vector, models []fl.Model, params []fl.Vector) *fl.Round {
	r := &fl.Round{Global: make(fl.Vector, len(params[0])), Model: models[0],
		Layout: models[0].Layout(), State: fl.NewStore(), Notes: new(fl.Notes),
		Validation: held(judged)}
	for k, theta := range params {
		m := graded{models[min(k, len(models)-1)], shares[k]}
		r.Updates = append(r.Updates, fl.Update{Client: 10 + k, Params: theta, Model: m})
	}
	return r
}

// server builds an aggregator outside any setting.
func server(t *testing.T, e fl.AggregatorEntry, given map[string]any) fl.Aggregator {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{}, nil)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return a
}

func fused(t *testing.T, a fl.Aggregator, r *fl.Round) fl.Vector {
	t.Helper()
	return outcome(t, a, r).Params
}

func outcome(t *testing.T, a fl.Aggregator, r *fl.Round) fl.Outcome {
	t.Helper()
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func observed(r *fl.Round, name string) fl.Observation {
	for _, o := range r.Notes.Observations() {
		if o.Name == name {
			return o
		}
	}
	return fl.Observation{}
}

// The upload of a client is the same as in a round of its own.
func TestOneClientIsTheIdentity(t *testing.T) {
	net := perceptron(t, judged, 9, 5)
	theta := net.Init(rand.New(rand.NewPCG(1, 2)))
	for name, a := range map[string]fl.Aggregator{
		"code":        server(t, CODE, nil),
		"lmf":         server(t, LMF, nil),
		"lmf first":   server(t, LMF, map[string]any{"reference": "first"}),
		"lmf average": server(t, LMF, map[string]any{"reference": "average", "solver": "exact"}),
		"exp-average": expAverage{},
		"best-local":  bestLocal{},
		"ensemble":    ensemble{},
	} {
		r := oneShot(fl.Vector{.5}, []fl.Model{net}, []fl.Vector{theta})
		if got := fused(t, a, r); !slices.Equal(got, theta) || len(r.Notes.List()) > 0 {
			t.Errorf("%s: %g away, notes %q", name, got.Distance(theta), r.Notes.List())
		}
		r.Updates = nil
		if _, err := a.Aggregate(r); err == nil {
			t.Errorf("%s: no error from an empty round", name)
		}
	}
}

// A dealer is a solver that returns a random permutation, whatever the costs.
type dealer struct {
	rng *rand.Rand
	n   int
}

func (d *dealer) Solve(p ot.Transport) ot.Coupling {
	d.n = len(p.A)
	return ot.Coupling{Converged: true}
}

func (d *dealer) Plan(dst fl.Matrix) {
	clear(dst.Data)
	for i, j := range d.rng.Perm(d.n) {
		dst.Row(i)[j] = 1 / float64(d.n)
	}
}

// shuffled lists the hidden neurons of a network in another order: it computes the same.
func shuffled(t *testing.T, m fl.Model, theta fl.Vector, rng *rand.Rand) fl.Vector {
	t.Helper()
	n, dst := fuse.Network{Layout: m.Layout(), Params: theta}, make(fl.Vector, len(theta))
	if _, err := (&fuse.Aligner{Solver: &dealer{rng: rng}}).Align(dst, n, n); err != nil {
		t.Fatal(err)
	}
	return dst
}

// Identity: copies of one network with their neurons in other orders fuse to the one in whose
// terms the others are put.
//
//hansa:verifies theorem aggregator/code aggregator/lmf
func TestPermutedCopiesFuseToOneOfThem(t *testing.T) {
	net, rng := perceptron(t, judged, 20, 9), rand.New(rand.NewPCG(3, 4))
	copies := []fl.Vector{net.Init(rng)}
	for range 4 {
		copies = append(copies, shuffled(t, net, copies[0], rng))
	}
	for _, c := range []struct {
		entry     fl.AggregatorEntry
		key, rule string
		to        int
	}{
		{CODE, "order", "ascending", 2}, {CODE, "order", "descending", 3},
		{CODE, "order", "given", 4}, {LMF, "reference", "best", 2}, {LMF, "reference", "first", 0},
	} {
		r := oneShot(fl.Vector{.3, .4, .9, .1, .5}, []fl.Model{net}, copies)
		a := server(t, c.entry, map[string]any{c.key: c.rule, "solver": "exact"})
		out := outcome(t, a, r)
		if d := out.Params.Distance(copies[c.to]); d > 1e-12 {
			t.Errorf("%s, %s: %g from copy %d", c.entry.Name, c.rule, d, c.to)
		}
		if !slices.Equal(out.Adopted, []int{10 + c.to}) {
			t.Errorf("%s, %s: the structure is that of %v", c.entry.Name, c.rule, out.Adopted)
		}
		for _, layer := range []string{"1", "2"} {
			o := observed(r, "partners of a neuron in layer "+layer)
			if o.Rounds != 4 || math.Abs(o.Least-1) > 1e-12 || math.Abs(o.Most-1) > 1e-12 {
				t.Errorf("%s, %s: a permutation has %+v", c.entry.Name, c.rule, o)
			}
		}
	}
}

// The reference vectors: three networks, one after the other and all into the best one.
//
//hansa:verifies golden aggregator/code aggregator/lmf
func TestGoldenFusion(t *testing.T) {
	type layer struct {
		W []fl.Vector
		B fl.Vector
	}
	var in struct {
		Networks   [][]layer
		Accuracies fl.Vector
		Lambda     float64
	}
	var want struct {
		Pairs  []layer `json:"sequential_fused"`
		AtOnce []layer `json:"simultaneous_fused"`
		Plain  []layer `json:"vanilla_average"`
	}
	c := golden(t, "../../../framework/fuse/testdata/ot_fusion",
		"three_models_sequential_and_simultaneous", &in, &want)
	flat := func(layers []layer) (theta fl.Vector) {
		for _, l := range layers {
			for _, row := range l.W {
				theta = append(theta, row...)
			}
			theta = append(theta, l.B...)
		}
		return theta
	}
	var params []fl.Vector
	for _, n := range in.Networks {
		params = append(params, flat(n))
	}
	net := perceptron(t, fl.Shape{Features: 4, Classes: 3}, 6, 5)
	given := map[string]any{"lambda": in.Lambda, "epsilon": 1e-13, "max_sweeps": int64(1_000_000)}
	for _, g := range []struct {
		entry fl.AggregatorEntry
		want  []layer
	}{{CODE, want.Pairs}, {LMF, want.AtOnce}} {
		r := oneShot(in.Accuracies, []fl.Model{net}, params)
		got := fused(t, server(t, g.entry, given), r)
		c.equal(t, g.entry.Name, got, flat(g.want))
		if len(r.Notes.List()) > 0 {
			t.Errorf("%s: notes %q", g.entry.Name, r.Notes.List())
		}
	}
	mean, err := plainMean(oneShot(in.Accuracies, []fl.Model{net}, params))
	if err != nil {
		t.Fatal(err)
	}
	c.equal(t, "average", mean, flat(want.Plain))
}

// Networks of several widths fuse into one with the widths of the best client's, or of the one that
// is named.
func TestWidthsAreThoseOfTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var nets []fl.Model
	var params []fl.Vector
	for _, w := range [][]int{{20, 9}, {12, 5}, {7, 30}} {
		nets = append(nets, perceptron(t, judged, w...))
		params = append(params, nets[len(nets)-1].Init(rng))
	}
	for _, solver := range []string{"exact", "entropic"} {
		for _, c := range []struct {
			entry     fl.AggregatorEntry
			key, rule string
			to        int
		}{
			{CODE, "order", "ascending", 1}, {CODE, "order", "given", 2},
			{LMF, "reference", "best", 1}, {LMF, "reference", "first", 0},
		} {
			r := oneShot(fl.Vector{.4, .7, .6}, nets, params)
			given := map[string]any{c.key: c.rule, "solver": solver, "lambda": 0.1}
			got := outcome(t, server(t, c.entry, given), r)
			if n := len(got.Params); n != len(params[c.to]) || !got.Params.Finite() ||
				!slices.Equal(got.Adopted, []int{10 + c.to}) {
				t.Errorf("%s, %s: %d parameters, of client %v", c.entry.Name, c.rule, n, got.Adopted)
			}
		}
	}
	average := server(t, LMF, map[string]any{"reference": "average"})
	if _, err := average.Aggregate(oneShot(fl.Vector{.4, .7, .6}, nets, params)); err != errMixed {
		t.Errorf("the average of networks of several widths: %v", err)
	}
}

// A plan blurs as λ rises; what there is to see of it is observed and recorded.
func TestPlansAreRecorded(t *testing.T) {
	net, rng := perceptron(t, judged, 8, 5), rand.New(rand.NewPCG(7, 8))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	before := 1.0
	for _, lambda := range []float64{0.001, 0.1, 10} {
		r, kept := oneShot(fl.Vector{.4, .7, .6}, []fl.Model{net}, params), map[string]fl.Matrix{}
		r.Keep = func(name string, m fl.Matrix) { kept[name] = m }
		fused(t, server(t, CODE, map[string]any{"lambda": lambda}), r)
		o, sweeps := observed(r, "partners of a neuron in layer 1"), observed(r, "sweeps for layer 2")
		if o.Rounds != 2 || o.Mean < before-1e-6 || o.Most > 8+1e-9 || sweeps.Least < 1 {
			t.Errorf("λ = %v: %v after %v, %v", lambda, o, before, sweeps)
		}
		before = o.Mean
		sizes := map[string]int{}
		for name, m := range kept {
			sizes[fmt.Sprintf("%d×%d", m.Rows, m.Cols)]++
			if d := fl.Vector(m.Data).Sum() - 1; math.Abs(d) > 1e-6 {
				t.Errorf("λ = %v: %s sums to 1 + %g", lambda, name, d)
			}
		}
		for _, name := range []string{"plan 1 of layer 1", "plan 2 of layer 2"} {
			if _, ok := kept[name]; !ok {
				t.Errorf("λ = %v: no %s among %d arrays", lambda, name, len(kept))
			}
		}
		if len(kept) != 4 || sizes["8×8"] != 2 || sizes["5×5"] != 2 {
			t.Errorf("λ = %v: recorded %v", lambda, sizes)
		}
	}
	if before < 7.5 {
		t.Errorf("at λ = 10 a neuron has %v partners, nearly all of 8 are wanted", before)
	}
}

// A plan that stops early is a footnote, and no error.
func TestPlansThatDoNotConverge(t *testing.T) {
	net, rng := perceptron(t, judged, 8, 5), rand.New(rand.NewPCG(9, 9))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	given := map[string]any{"lambda": 1e-4, "max_sweeps": int64(1), "epsilon": 1e-12}
	const want = `4 of 4 plans did not converge: use solver = "exact", or raise lambda ` +
		`(lambda_unit = "max" measures it in the largest cost) or max_sweeps`
	for _, e := range []fl.AggregatorEntry{CODE, LMF} {
		r := oneShot(fl.Vector{.4, .7, .6}, []fl.Model{net}, params)
		got := fused(t, server(t, e, given), r)
		if !got.Finite() || !slices.Equal(r.Notes.List(), []string{want}) {
			t.Errorf("%s: notes %q", e.Name, r.Notes.List())
		}
	}
}

// Blocks is a model that does not say what its blocks are for.
type blocks struct{ fl.Model }

func (b blocks) Layout() fl.Layout { return fl.Layout{Blocks: b.Model.Layout().Blocks} }

// What cannot be fused says why: before anything runs where that can be known.
func TestNetworksThatCannotBeFused(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	deep, flat := perceptron(t, judged, 8, 5), perceptron(t, judged, 8)
	theta := []fl.Vector{deep.Init(rng), flat.Init(rng)}
	for _, e := range []fl.AggregatorEntry{CODE, LMF} {
		r := oneShot(fl.Vector{.4, .7}, []fl.Model{deep, flat}, theta)
		_, err := server(t, e, nil).Aggregate(r)
		if err == nil || !strings.Contains(err.Error(), "differ in depth") {
			t.Errorf("%s, of differing depth: %v", e.Name, err)
		}
		r = oneShot(fl.Vector{.4, .7}, []fl.Model{blocks{flat}}, []fl.Vector{theta[1], theta[1]})
		_, err = server(t, e, nil).Aggregate(r)
		if err == nil || !strings.Contains(err.Error(), "a model without layers has no neurons") {
			t.Errorf("%s, without layers: %v", e.Name, err)
		}
		if err := e.Fits(fl.Setting{Clients: 6, Held: true}); err == nil ||
			!strings.Contains(err.Error(), "this model has no layers") {
			t.Errorf("%s, a setting without layers: %v", e.Name, err)
		}
	}
}
