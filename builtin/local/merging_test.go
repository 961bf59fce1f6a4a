package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// merged returns what a rule sends that makes no step of a model of three classes.
func merged(t *testing.T, e fl.LocalRuleEntry, of fl.ModelEntry, more ...any) (fl.Update,
	*fl.Task) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 9))
	in := fl.Shape{Features: 4, Classes: 3}
	params := map[string]any{}
	if of.Name == "mlp" {
		params["widths"] = []any{int64(5)}
	}
	m, err := of.New(fl.NewParams(params, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(in); err != nil {
		t.Fatal(err)
	}
	data := fl.Dataset{Shape: in, X: fl.NewMatrix(3000, 4), Y: make([]int, 3000)}
	fl.Vector(data.X.Data).AddNoise(1, rng)
	for i := range data.Y {
		data.Y[i] = rng.IntN(3)
	}
	given := map[string]any{"lr": 1e-300}
	for i := 0; i < len(more); i += 2 {
		given[more[i].(string)] = more[i+1]
	}
	p := fl.NewParams(given, fl.Setting{}, nil)
	rule, err := e.New(p)
	if err != nil {
		t.Fatal(err)
	}
	switch r := rule.(type) { // no registry is there to name one
	case *fisher:
		r.by = plain{}
	case *regMean:
		r.by = plain{}
	}
	theta := m.Init(rng)
	theta.AddNoise(0.5, rng)
	task := &fl.Task{Client: &fl.Client{Data: data}, Model: m, Worker: m.Worker(), RNG: rng,
		Global: theta, Params: theta.Clone(), State: fl.NewStore()}
	u, err := rule.Run(task)
	if err != nil {
		t.Fatal(err)
	}
	return u, task
}

// Theorem: of a softmax regression the diagonal of the Fisher information is the mean of
// p_c(1 − p_c)·x_j², which the expectation over all classes has to 1e-12, and classes that are
// drawn have but for their noise. That of labels is the mean of (p_c − 1[y = c])²·x_j².
//
//hansa:verifies theorem local/fisher
func TestFisherOfSoftmax(t *testing.T) {
	for _, labels := range []string{"expected", "drawn", "observed"} {
		u, task := merged(t, Fisher, model.Softmax, "labels", labels)
		d, p := task.Client.Data, make(fl.Vector, 3)
		want := make(fl.Vector, len(u.Params))
		w, b := task.Model.Layout().Head()
		s := fl.NewMatrix(d.Len(), 3)
		task.Worker.Scores(s, u.Params, d.X)
		for i := range d.Len() {
			tensor.Softmax(p, s.Row(i))
			for c := range p {
				square := p[c] * (1 - p[c])
				if labels == "observed" {
					square = p[c] * p[c]
					if d.Y[i] == c {
						square = (1 - p[c]) * (1 - p[c])
					}
				}
				for j, x := range d.X.Row(i) {
					w.Of(want).Row(c)[j] += square * x * x / float64(d.Len())
				}
				b.Of(want).Data[c] += square / float64(d.Len())
			}
		}
		within := 1e-12
		if labels == "drawn" {
			within = 0.1 * want.Norm()
		}
		if off := want.Distance(u.Payload["fisher"].Data); off > within {
			t.Errorf("%s: %g off, of %g", labels, off, want.Norm())
		}
	}
}

// Of some samples it is another mean near the one of all, of a network of any number of layers too,
// and no number is negative.
func TestFisherOfSomeSamples(t *testing.T) {
	all, _ := merged(t, Fisher, model.MLP)
	some, _ := merged(t, Fisher, model.MLP, "fisher_samples", int64(1500))
	a, b := fl.Vector(all.Payload["fisher"].Data), fl.Vector(some.Payload["fisher"].Data)
	if off := a.Distance(b); off == 0 || off > 0.5*a.Norm() {
		t.Errorf("that of half the samples is %g from that of all, of %g", off, a.Norm())
	}
	for j, x := range a {
		if !(x >= 0) {
			t.Errorf("parameter %d has %v", j, x)
		}
	}
}

// The Gram matrices that are sent are those of rows, and of what hidden neurons make of them, with
// a column of ones: as plain loops compute them, to 1e-5 of their size.
//
//hansa:verifies theorem local/regmean
func TestGramMatrices(t *testing.T) {
	u, task := merged(t, RegMean, model.MLP)
	l, x := task.Model.Layout(), task.Client.Data.X
	hidden := fl.NewMatrix(x.Rows, 5)
	weight, bias := l.Blocks[0].Of(u.Params), l.Blocks[1].Of(u.Params)
	for i := range x.Rows {
		weight.MulVec(hidden.Row(i), x.Row(i))
		for j := range hidden.Cols {
			hidden.Row(i)[j] = max(0, hidden.Row(i)[j]+bias.Data[j])
		}
	}
	for name, z := range map[string]fl.Matrix{"gram 0": x, "gram 1": hidden} {
		want := fl.NewMatrix(z.Cols+1, z.Cols+1)
		for i := range z.Rows {
			row := append(z.Row(i).Clone(), 1)
			for j, v := range row {
				want.Row(j).AddScaled(v, row)
			}
		}
		got := fl.NewMatrix(z.Cols+1, z.Cols+1)
		got.Unpack(u.Payload[name].Data)
		size := fl.Vector(want.Data).NormInf()
		if off := fl.Vector(got.Data).Distance(want.Data); !(off < 1e-5*size) {
			t.Errorf("%s is %g off, of %g", name, off, size)
		}
	}
	if len(u.Payload) != 2 {
		t.Errorf("%d matrices of two dense layers", len(u.Payload))
	}
	linear, _ := merged(t, RegMean, model.Softmax)
	got := fl.NewMatrix(5, 5)
	got.Unpack(linear.Payload["gram 0"].Data)
	if n := got.Row(4)[4]; math.Abs(n-3000) > 0 || len(linear.Payload) != 1 {
		t.Errorf("a linear model has %d matrices, and counts %v samples", len(linear.Payload), n)
	}
}
