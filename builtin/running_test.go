package builtin

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// normedBy is a cell of a network with batch norms and an aggregator, with the local rule of its
// method where it has one.
func normedBy(r *registry.Registry, aggregator study.Pick) study.Cell {
	c := onEasy(pick("resnet20", "width", int64(2), "depth", int64(8), "norm", "batch"), easyRows[0])
	c.Rounds, c.Every = 12, 12
	c.Picks["aggregator"] = aggregator
	if e, own := r.LocalRules.Get(aggregator.Name); own {
		params := maps.Clone(e.Example)
		if params == nil {
			params = map[string]any{}
		}
		maps.Copy(params, map[string]any{"lr": 0.1, "batch": int64(6), "steps": int64(3)})
		if e.Name == "feddyn" { // by less, models run ahead of those that clients know statistics of
			params["alpha"] = 0.1
		}
		c.Picks["local"] = study.Pick{Name: e.Name, Params: params}
	}
	switch aggregator.Name {
	case "drfa", "f3ast":
		c.Law, c.Picks["selection"] = false, pick(aggregator.Name, "k", int64(3))
	case "feddf", "fedmd", "ensemble":
		c.Picks["public"] = c.Picks["dataset"]
	case "oracle-ipw":
		c.Oracle = true
	}
	return c
}

// given are parameters of aggregators that are of use for so small a cell, beside their examples.
var given = map[string]map[string]any{
	"bulyan":        {"f": int64(0)},
	"sign-majority": {"step": 0.02},
	"oracle-ipw":    {"normalisation": "ht"},
	"round-ipw":     {"normalisation": "ht"},
	"fixed":         {"weights": []any{0.7, 0.6, 0.2, 0.1, 0.4}}, // of sum 2
	"dp-fedavg":     {"clip": 5.0, "noise": 0.02, "denominator": 5.0, "server_rate": 1.3},
	"dp-ftrl":       {"clip": 5.0, "noise": 0.02, "denominator": 5.0, "momentum": 0.3},
	"dp-ddgauss":    {"clip": 5.0, "noise": 0.02, "denominator": 5.0, "server_rate": 1.3},
	"dp-skellam":    {"clip": 5.0, "noise": 0.02, "denominator": 5.0, "server_rate": 1.3},
	"scaffold":      {"server_rate": 1.5},
	"fedadam":       {"server_rate": 0.02},
	"fedyogi":       {"server_rate": 0.02},
	"fedadagrad":    {"server_rate": 0.05},
}

// Running statistics of batch norms are followed, and no aggregator makes steps of them: their
// variances stay above zero, whatever it makes of what is trained, and the loss of the model that they
// are part of falls.
func TestRunningStatisticsByAggregator(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(easy); err != nil {
		t.Fatal(err)
	}
	var refused []string
	for _, name := range r.Aggregators.Names() {
		e, _ := r.Aggregators.Get(name)
		p := study.Pick{Name: name, Params: maps.Clone(e.Example)}
		if p.Params == nil {
			p.Params = map[string]any{}
		}
		maps.Copy(p.Params, given[name])
		s, _, problems := r.Compose(normedBy(r, p))
		if len(problems) > 0 {
			refused = append(refused, name)
			t.Logf("%s: %v", name, problems)
			continue
		}
		least, loss := runningVariance(t, &s, name)
		if !(least > 0) {
			t.Errorf("%s: a running variance is %v", name, least)
		}
		if name == "fedmd" { // there is no global model
			continue
		}
		if first, last := loss[0], loss[len(loss)-1]; !(last < 0.99*first) || math.IsInf(last, 0) {
			t.Errorf("%s: the loss goes from %v to %v", name, first, last)
		}
	}
	// They need covariates, layers that align, one round, a head alone, gradients of single samples,
	// public data, or a rule that sends models.
	want := []string{"calibrated", "code", "doubly-robust", "ensemble", "fedcgs", "fedipw", "fedkt",
		"fedma", "fedma-layerwise", "fedpft", "fisher-merging", "fusion-barycenter", "git-rebasin",
		"lmf", "pfnm", "validated-average", "zipit"}
	if !slices.Equal(refused, want) {
		t.Errorf("%v are refused, want %v", refused, want)
	}
}

// However far what is trained steps, and however much noise there is, variances stay above zero.
func TestRunningStatisticsOfLongSteps(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(easy); err != nil {
		t.Fatal(err)
	}
	for _, p := range []study.Pick{
		pick("sign-majority", "step", 0.4), pick("rlr", "rate", 10.0, "votes", 1.0),
		pick("fedgma", "server_rate", 20.0), pick("fedvarp", "server_rate", 20.0),
		pick("mifa", "server_rate", 20.0), pick("fedlaavg", "server_rate", 20.0),
		pick("centered-clipping", "beta", 0.9, "iterations", int64(3), "tau", 0.5),
		pick("fixed", "weights", []any{4.0, 9.0, 0.0, 7.0, 5.0}), pick("naive", "server_rate", 20.0),
		pick("scaffold", "server_rate", 20.0), pick("fedcm", "server_rate", 20.0),
		pick("ifca", "server_rate", 20.0, "clusters", int64(2)), pick("signguard", "server_rate", 20.0),
		pick("foolsgold", "server_rate", 20.0), pick("fedmgda-plus", "server_rate", 100.0),
		pick("fltrust", "server_rate", 20.0, "lr", 0.5), pick("q-fedavg", "lr", 50.0),
		pick("fedasync", "mixing", 1.0), pick("fedbuff", "server_rate", 20.0),
		pick("fedavgm", "server_rate", 20.0), pick("generalized-fedavg", "amplification", 20.0),
		pick("dp-fedavg", "noise", 1.0, "clip", 3.0), pick("dp-ftrl", "noise", 1.0, "clip", 3.0),
		pick("dp-fedavg", "denominator", 1.0, "noise", 0.0, "clip", 100.0),
		pick("dp-ddgauss", "noise", 1.0, "clip", 3.0, "server_rate", 9.0),
		pick("dp-skellam", "noise", 1.0, "clip", 3.0),
	} {
		s, _, problems := r.Compose(normedBy(r, p))
		if len(problems) > 0 {
			t.Errorf("%s: %v", p.Name, problems)
			continue
		}
		if least, _ := runningVariance(t, &s, p.Name); !(least > 0) {
			t.Errorf("%s %v: a running variance is %v", p.Name, p.Params, least)
		}
	}
}

// runningVariance returns the least running variance of all rounds of a cell, and its losses.
func runningVariance(t *testing.T, s *engine.Setup, name string) (least float64, loss []float64) {
	t.Helper()
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer cell.Close()
	least = math.Inf(1)
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		theta := cell.Checkpoint().Global
		for _, b := range s.Model.Layout().Blocks {
			if b.Name == fl.RunningVariance && b.Offset < len(theta) {
				least = min(least, slices.Min(theta[b.Offset:b.Offset+b.Rows*b.Cols]))
			}
		}
	}
	return least, cell.Result().Series[0].Values
}
