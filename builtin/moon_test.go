package builtin

import (
	"maps"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// featuring returns a cell of networks that are trained for some rounds.
func featuring(rounds int, local study.Pick) study.Cell {
	c := setting()
	c.Rounds, c.Every = rounds, rounds
	c.Picks = maps.Clone(c.Picks)
	c.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(30), "test", int64(12))
	c.Picks["partition"], c.Picks["model"] = pick("iid"), pick("mlp", "widths", []any{int64(5)})
	c.Picks["availability"], c.Picks["local"] = pick("always"), local
	c.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}
	return c
}

// Theorem: without weight MOON is FedAvg, bit for bit, and so is the first round with any weight;
// the second is not.
//
//hansa:verifies equivalence local/moon
func TestMOONReduces(t *testing.T) {
	after := func(rounds int, local study.Pick) fl.Vector {
		p, _, _ := ends(t, featuring(rounds, local))
		return p.Global
	}
	for _, optimizer := range []string{"sgd", "adam"} {
		by := []any{"steps", int64(4), "lr", 0.1, "batch", int64(3), "optimizer", optimizer}
		moon := func(mu float64) study.Pick { return pick("moon", append(by, "mu", mu)...) }
		plain := pick("sgd", by...)
		if !slices.Equal(after(3, moon(0)), after(3, plain)) {
			t.Errorf("%s: without weight it is not FedAvg", optimizer)
		}
		if !slices.Equal(after(1, moon(5)), after(1, plain)) {
			t.Errorf("%s: the first round is not FedAvg's", optimizer)
		}
		if slices.Equal(after(2, moon(5)), after(2, plain)) {
			t.Errorf("%s: the second round has no contrast", optimizer)
		}
	}
}

// MOON sends what FedAvg sends: one model down and one up, for each client and round.
func TestMOONSendsModels(t *testing.T) {
	p, s, _ := ends(t, featuring(3, pick("moon", "steps", int64(2), "lr", 0.1)))
	if want := int64(3 * 6 * s.Model.Layout().Len()); p.Uploaded != want || p.Downloaded != want {
		t.Errorf("%d floats up and %d down, want %d", p.Uploaded, p.Downloaded, want)
	}
}
