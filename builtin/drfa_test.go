package builtin

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// robust makes the method of a cell DRFA, with these parameters of its selection.
func robust(c study.Cell, given ...any) study.Cell {
	c.Picks, c.Law = maps.Clone(c.Picks), false
	c.Picks["local"] = study.Pick{Name: "drfa", Params: c.Picks["local"].Params}
	c.Picks["aggregator"], c.Picks["selection"] = pick("drfa"), pick("drfa", given...)
	return c
}

// Without an ascent DRFA is FedAvg of clients that are drawn with replacement by importance, to the
// bit: a snapshot on the way changes no step, of a network in batches either.
//
//hansa:verifies equivalence aggregator/drfa local/drfa selection/drfa
func TestDRFAReducesToFedAvg(t *testing.T) {
	for name, c := range map[string]study.Cell{
		"quadratics": stepping(9, descends("sgd"), pick("fedavg", "weights", "uniform"), pick("all")),
		"a network":  personal(descends("sgd", "epochs", int64(2))),
	} {
		c.Picks = maps.Clone(c.Picks)
		c.Law = false
		c.Picks["importance"] = pick("linear")
		c.Picks["selection"] = pick("md", "k", int64(4), "by", "importance")
		want, _, _ := ends(t, c)
		got, _, _ := ends(t, robust(c, "k", int64(4), "ascent", 0.0))
		if !slices.Equal(got.Global, want.Global) {
			t.Errorf("%s: it ends %v from FedAvg", name, got.Global.Distance(want.Global))
		}
		other, _, _ := ends(t, robust(c, "k", int64(4), "ascent", 0.1))
		if slices.Equal(other.Global, want.Global) {
			t.Errorf("%s: with an ascent it is FedAvg, too", name)
		}
	}
}

// DRFA ends near the point where the largest loss is least: of parabolas in the middle of the
// outermost minima, where many draws make little noise. FedAvg ends at the mean of all minima.
//
//hansa:verifies fixed-point aggregator/drfa local/drfa selection/drfa
func TestDRFAEndsNearTheMinimax(t *testing.T) {
	c := parabolas(4000, 0.01, pick("drfa"))
	c.Picks["local"] = pick("sgd", "steps", int64(4), "lr", 0.01)
	p, _, _ := ends(t, robust(c, "k", int64(600), "ascent", 0.002))
	if off := math.Abs(p.Global[0] - 1); !(off < 0.05) {
		t.Errorf("it ends %v from the middle of −2 and 4", off)
	}
	p, _, _ = ends(t, robust(c, "k", int64(600), "ascent", 0.0))
	if off := math.Abs(p.Global[0] - 4.0/6); !(off < 0.1) {
		t.Errorf("without an ascent it ends %v from the mean of the minima", off)
	}
}

// The bytes of four rounds of DRFA, by hand. Of three parameters of four bytes a client sends two
// vectors; it receives one, and from the second round on the moment of the snapshot. Then three
// clients are asked before, each of which receives the snapshot and sends a loss of eight bytes.
func TestWhatDRFASends(t *testing.T) {
	c := robust(stepping(4, descending("sgd"), pick("drfa"), pick("all")), "k", int64(3))
	c.Every, c.Measures = 1, []study.Measure{{Pick: pick("upload"), Key: "up"},
		{Pick: pick("download"), Key: "down"}}
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var trained []int // different clients of each round
	s.Aggregator = watching{s.Aggregator, func(r *fl.Round) { trained = append(trained, len(r.Updates)) }}
	result, err := engine.Run(t.Context(), &s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	up, down := 0.0, 0.0
	for round, n := range trained {
		up, down = up+float64(n*24), down+float64(n*12)
		if round > 0 {
			up, down = up+3*8, down+float64(n*4)+3*12
		}
		if gotUp, gotDown := result.Series[0].Values[round+1], result.Series[1].Values[round+1]; gotUp != up ||
			gotDown != down {
			t.Errorf("after round %d: %v up and %v down, want %v and %v", round, gotUp, gotDown, up,
				down)
		}
	}
}

// Cells of DRFA give the same bits for any number of workers and after a resume.
func TestDRFACellsAreExact(t *testing.T) {
	c := robust(stepping(8, descends("sgd"), pick("drfa"), pick("all")), "k", int64(3))
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, v := range contract.Cell(&s, engine.Options{}) {
		t.Error(v)
	}
}

// A part of DRFA is refused beside parts of other methods.
func TestPartsOfDRFAAreRefused(t *testing.T) {
	whole := robust(stepping(4, descending("sgd"), pick("drfa"), pick("all")), "k", int64(3))
	for want, change := range map[string]study.Pick{
		"selection all: is not that of DRFA, of which aggregator drfa is the server's half": pick("all"),
		"selection drfa: is that of DRFA, and aggregator fedavg is not the server's half": pick("fedavg",
			"weights", "uniform"),
	} {
		c := whole
		c.Picks = maps.Clone(whole.Picks)
		if slot := "selection"; change.Name == "all" {
			c.Picks[slot] = change
		} else {
			c.Picks["aggregator"], c.Picks["local"] = change, descending("sgd")
		}
		_, _, problems := menu(t).Compose(c)
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("problems %v, want %q", problems, want)
		}
	}
}
