package builtin

import (
	"context"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// features are what a frozen encoder might make of images: normal clouds around six means in ten
// dimensions, of which the last never varies.
var features = fl.SourceEntry{Name: "raw-features", New: func(*fl.Params) (fl.Source, error) {
	return clouds{}, nil
}}

type clouds struct{}

func (clouds) Shape() fl.Shape { return fl.Shape{Features: 10, Classes: 6, Tested: true} }

func (c clouds) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	shape := c.Shape()
	means := fl.NewMatrix(shape.Classes, shape.Features)
	fl.Vector(means.Data).AddNoise(1.5, l.RNG)
	draw := func(n int) *fl.Dataset {
		d := &fl.Dataset{Shape: shape, X: fl.NewMatrix(n, shape.Features)}
		for i := range n {
			d.Y = append(d.Y, i%shape.Classes)
			copy(d.X.Row(i), means.Row(d.Y[i]))
			d.X.Row(i).AddNoise(1, l.RNG)
			d.X.Row(i)[shape.Features-1] = 0.1
		}
		return d
	}
	return draw(600), draw(1200), nil
}

// A catcher is a metric that keeps the parameters it is shown.
type catcher struct{ params *fl.Vector }

func (c catcher) Measure(s *fl.Snapshot) (float64, error) {
	*c.params = s.Params.Clone()
	return 0, nil
}

func (catcher) Unit() string { return "" }
func (catcher) Higher() bool { return false }

// head composes one round of clients with skewed classes, which train or send statistics.
func head(t *testing.T, local, aggregator study.Pick, more map[string]study.Pick) *engine.Setup {
	t.Helper()
	r := menu(t)
	if err := r.Sources.Add(features, scaledFeatures); err != nil {
		t.Fatal(err)
	}
	c := setting()
	c.Rounds, c.Every = 1, 1
	c.Picks["dataset"] = study.Pick{Name: "raw-features"}
	c.Picks["partition"] = study.Pick{Name: "dirichlet", Params: map[string]any{
		"kind": "per-class", "alpha": 0.3}}
	c.Picks["model"] = study.Pick{Name: "softmax"}
	c.Picks["availability"] = study.Pick{Name: "always"}
	c.Picks["local"], c.Picks["aggregator"] = local, aggregator
	for slot, pick := range more {
		c.Picks[slot] = pick
	}
	c.Measures = nil
	for _, name := range []string{"accuracy", "upload", "download"} {
		c.Measures = append(c.Measures, study.Measure{Pick: study.Pick{Name: name}, Key: name})
	}
	s, _, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &s
}

// one is a step on all samples of a client.
func one(lr float64) study.Pick {
	return study.Pick{Name: "sgd", Params: map[string]any{"steps": int64(1), "lr": lr}}
}

func fedavg(weights string) study.Pick {
	return study.Pick{Name: "fedavg", Params: map[string]any{"weights": weights}}
}

// play runs a cell and returns the last of its series and its parameters.
func play(t *testing.T, s *engine.Setup) (last map[string]float64, params fl.Vector) {
	t.Helper()
	s.Measures = append(s.Measures, engine.Measure{Key: "catch", Metric: catcher{&params}})
	r, err := engine.Run(context.Background(), s, engine.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	last = map[string]float64{}
	for _, series := range r.Series {
		last[series.Key] = series.Values[len(series.Values)-1]
	}
	return last, params
}

// All one-shot heads are exact cells, and count what is sent: of 6 clients with 6 classes of 10
// features, 66 floats each for a model in both directions, or 6 + 60 + 55 for moments, and nothing
// to send them.
func TestHeadsAreExactAndCounted(t *testing.T) {
	moments, mixture := study.Pick{Name: "class-moments"}, study.Pick{Name: "class-mixture"}
	halves := study.Pick{Name: "class-mixture", Params: map[string]any{"float16": true}}
	uploads := map[string]float64{}
	for name, c := range map[string]struct {
		local, aggregator study.Pick
		up, down, least   float64
	}{
		"fedcgs":  {moments, study.Pick{Name: "fedcgs"}, 6 * (6 + 60 + 55), 0, 0.9},
		"fedpft":  {mixture, study.Pick{Name: "fedpft"}, 0, 0, 0.9},
		"halves":  {halves, study.Pick{Name: "fedpft"}, 0, 0, 0.9},
		"equal":   {one(0.5), fedavg("uniform"), 6 * 66, 6 * 66, 0},
		"samples": {one(0.5), fedavg("samples"), 6 * 66, 6 * 66, 0},
	} {
		for _, v := range contract.Cell(head(t, c.local, c.aggregator, nil), engine.Options{}) {
			t.Errorf("%s: %v", name, v)
		}
		last, _ := play(t, head(t, c.local, c.aggregator, nil))
		up, down := last["upload"]/fl.BytesPerNumber, last["download"]/fl.BytesPerNumber
		uploads[name] = up
		if (c.up > 0 && up != c.up) || down != c.down || last["accuracy"] < 100*c.least {
			t.Errorf("%s: %v", name, last)
		}
	}
	// Beside mixtures 2·6 whole numbers are sent by each client.
	if whole, half := uploads["fedpft"]-72, uploads["halves"]-72; half < whole/2 || half > whole/2+6 {
		t.Errorf("%v floats as halves, %v as floats", half, whole)
	}
}

// Theorem: what FedCGS finds is the same for any split of the samples.
func TestFedCGSIsHeldInOnePlace(t *testing.T) {
	var first fl.Vector
	for _, p := range []study.Pick{
		{Name: "iid"}, {Name: "dirichlet", Params: map[string]any{"kind": "per-class", "alpha": 0.1}},
		{Name: "shards"},
	} {
		_, params := play(t, head(t, study.Pick{Name: "class-moments"}, study.Pick{Name: "fedcgs"},
			map[string]study.Pick{"partition": p}))
		if first == nil {
			first = params
		}
		if off := params.Distance(first); off > 1e-10*first.Norm() {
			t.Errorf("%v: %v off", p, off/first.Norm())
		}
	}
}

// Theorem: O-FedAvg of one full-batch step, weighted by samples, is a step on all samples; equal
// weights are importances that are equal.
func TestOneStepOfOFedAvg(t *testing.T) {
	_, bySamples := play(t, head(t, one(0.5), fedavg("samples"), nil))
	s := head(t, one(0.5), fedavg("samples"), nil)
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grad, start := make(fl.Vector, 66), make(fl.Vector, 66)
	s.Model.Worker().Gradient(grad, start, w.Population.Train, nil)
	start.AddScaled(-0.5, grad)
	if off := bySamples.Distance(start); off > 1e-14 {
		t.Errorf("a step of all clients is %v off one on all samples", off)
	}
	uniform := map[string]study.Pick{"importance": {Name: "uniform"}}
	_, equal := play(t, head(t, one(0.5), fedavg("uniform"), uniform))
	_, byImportance := play(t, head(t, one(0.5), fedavg("importance"), uniform))
	if equal.Distance(byImportance) > 1e-15 || equal.Distance(bySamples) < 1e-3 {
		t.Errorf("equal weights are %v off equal importances, and %v off samples",
			equal.Distance(byImportance), equal.Distance(bySamples))
	}
}

// Parity with code that takes the softmax twice: it trains, by smaller steps.
func TestDoubleSoftmaxTrains(t *testing.T) {
	local := study.Pick{Name: "sgd", Params: map[string]any{"steps": int64(100), "lr": 0.5}}
	double := map[string]study.Pick{"model": {Name: "softmax", Params: map[string]any{
		"double_softmax": true}}, "partition": {Name: "iid"}}
	last, twice := play(t, head(t, local, fedavg("uniform"), double))
	delete(double, "model")
	_, once := play(t, head(t, local, fedavg("uniform"), double))
	if last["accuracy"] < 80 || twice.Norm() > once.Norm() {
		t.Errorf("accuracy %v, ‖θ‖ = %v with one softmax and %v with two",
			last["accuracy"], once.Norm(), twice.Norm())
	}
}
