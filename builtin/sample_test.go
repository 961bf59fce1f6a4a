package builtin

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// noisyHeads are one-shot heads whose clients send sums with noise.
func noisyHeads(noise float64) map[string][2]study.Pick {
	return map[string][2]study.Pick{
		"fedcgs": {pick("class-moments", "clip", 8.0, "noise", noise), pick("fedcgs")},
		"fedpft": {pick("class-mixture", "clip", 8.0, "noise", noise, "components", int64(1)),
			pick("fedpft")},
	}
}

// perSample adds metric sample-epsilon to the measures of a head.
func perSample(t *testing.T, s *engine.Setup, rounds int) *engine.Setup {
	t.Helper()
	e, _ := menu(t).Metrics.Get("sample-epsilon")
	m, err := e.New(fl.NewParams(nil, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	s.Measures = append(s.Measures, engine.Measure{Key: "ε", Metric: m, AccountsSamples: true})
	s.Rounds = rounds
	return s
}

// ε of samples is that of the Gaussian mechanism of each upload, over all rounds; it is infinite
// without noise, and accuracy falls with it. Cells have the same bits with any number of workers.
//
//hansa:verifies theorem metrics/sample-epsilon
func TestSampleEpsilon(t *testing.T) {
	for name := range noisyHeads(0) {
		last := math.Inf(1)
		for _, noise := range []float64{0, 0.02, 5} {
			c := noisyHeads(noise)[name]
			for _, rounds := range []int{1, 3} {
				got, _ := play(t, perSample(t, head(t, c[0], c[1], nil), rounds))
				var g privacy.Gaussian
				if err := g.Add(noise, rounds); err != nil {
					t.Fatal(err)
				}
				if want := g.Epsilon(1e-5); got["ε"] != want {
					t.Errorf("%s, noise %v: ε = %v, want %v", name, noise, got["ε"], want)
				}
				if rounds > 1 {
					continue
				}
				t.Logf("%s, noise %v: ε = %.4g, accuracy %v", name, noise, got["ε"], got["accuracy"])
				if got["accuracy"] > last+1 || noise < 1 && got["accuracy"] < 80 {
					t.Errorf("%s, noise %v: accuracy %v after %v", name, noise, got["accuracy"], last)
				}
				last = got["accuracy"]
			}
		}
		c := noisyHeads(0.3)[name]
		for _, v := range contract.Cell(perSample(t, head(t, c[0], c[1], nil), 1), engine.Options{}) {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// ε of samples is refused where clients send what has no noise of its own, and ε of clients where
// the aggregator adds none: neither takes the place of the other.
func TestSampleEpsilonIsRefused(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(features); err != nil {
		t.Fatal(err)
	}
	cell := func(local, aggregator study.Pick, metric string) study.Cell {
		c := setting()
		c.Rounds, c.Every = 1, 1
		c.Picks["dataset"], c.Picks["partition"] = pick("raw-features"), pick("iid")
		c.Picks["model"], c.Picks["availability"] = pick("softmax"), pick("always")
		c.Picks["local"], c.Picks["aggregator"] = local, aggregator
		c.Measures = []study.Measure{{Pick: pick(metric), Key: metric}}
		return c
	}
	moments := pick("class-moments", "clip", 1.0, "noise", 1.0)
	for says, c := range map[string]study.Cell{
		"local sgd sends what has no noise for single samples": cell(one(0.1), pick("dp-fedavg"),
			"sample-epsilon"),
		"aggregator fedcgs adds no noise": cell(moments, pick("fedcgs"), "epsilon"),
	} {
		_, _, problems := r.Compose(c)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, says) {
			t.Errorf("%v, want %q", problems, says)
		}
	}
	moved := cell(moments, pick("fedcgs"), "sample-epsilon")
	moved.Preprocess = []study.Pick{pick("standardize")}
	s, _, problems := r.Compose(moved)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, err := engine.Start(&s, engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "preprocessors, which move rows") {
		t.Errorf("%v", err)
	}
}
