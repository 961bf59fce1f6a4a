package builtin

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// sampled returns a cell of heterogeneous clients that make several steps, by this selection and
// with these weights of FedAvg.
func sampled(selection study.Pick, weights string) study.Cell {
	c := stepping(12, descending("sgd"), pick("fedavg", "weights", weights), selection)
	c.Every = 1
	c.Picks["importance"] = pick("linear")
	c.Law = selection.Name == "md" || selection.Name == "all"
	return c
}

// Cells whose selection repeats or asks clients give the same bits for any number of workers and
// when they are resumed after any round; with memory at clients, too, of which a query keeps
// nothing.
func TestFeedbackKeepsTheContract(t *testing.T) {
	md, optimal := pick("md", "k", int64(4)), pick("optimal", "k", int64(2))
	remembering := sampled(optimal, "uniform")
	remembering.Picks = maps.Clone(remembering.Picks)
	remembering.Picks["local"] = descending("scaffold")
	remembering.Picks["aggregator"] = pick("scaffold")
	for name, c := range map[string]study.Cell{
		"md": sampled(md, "uniform"), "md, stated": sampled(md, "stated"),
		"optimal": sampled(optimal, "stated"), "optimal, SCAFFOLD": remembering,
		"Oort": sampled(pick("oort", "k", int64(2), "durations", []any{1., 2., 3., 1., 2., 3.},
			"pace", 1.0, "window", int64(2)), "uniform"),
		"clustered": sampled(pick("clustered-similarity", "k", int64(3)), "uniform"),
		"DivFL":     sampled(pick("divfl", "k", int64(2)), "uniform"),
	} {
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(name, problems)
		}
		for _, v := range contract.Cell(&s, engine.Options{}) {
			t.Errorf("%s: %s", name, v)
		}
	}
}

// The audit of a selection with replacement is exact where its law is listed: p̃ is the shares of
// the draws for a plain mean of them, and p for inverse expected counts. Optimal sampling attains p
// in every simulated round, and the audit says what it has not seen.
func TestAuditOfFeedback(t *testing.T) {
	for _, c := range []struct {
		cell  study.Cell
		exact bool
		tv    float64 // from p
	}{
		{sampled(pick("md", "k", int64(3), "by", "importance"), "uniform"), true, 0},
		{sampled(pick("md", "k", int64(3)), "ht"), true, 0},
		{sampled(pick("md", "k", int64(3)), "stated"), true, 0},
		{sampled(pick("optimal", "k", int64(2)), "stated"), false, 0.01},
		{sampled(pick("clustered-similarity", "k", int64(2)), "stated"), false, 0.02},
		{sampled(pick("divfl", "k", int64(2)), "uniform"), false, 1},
		{sampled(pick("oort", "k", int64(2)), "uniform"), false, 1},
	} {
		s, _, problems := menu(t).Compose(c.cell)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		w, err := engine.Prepare(&s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := audit.Weigh(c.cell, &s, w)
		if err != nil || f.Effective == nil {
			t.Fatalf("%v: %+v", err, f)
		}
		name := c.cell.Picks["selection"].Name
		if f.Effective.Exact != c.exact || f.TV > c.tv+1e-12 {
			t.Errorf("%s, %v: exact %t, TV %v", name, c.cell.Picks["aggregator"].Params,
				f.Effective.Exact, f.TV)
		}
		if told := len(f.Notes) > 0; told == c.exact {
			t.Errorf("%s: notes %q", name, f.Notes)
		}
	}
}

// With K = N training with DivFL and with Oort is training with all clients, to the bit. Each round
// Oort has 8 bytes more of every client.
//
//hansa:verifies equivalence selection/divfl selection/oort
func TestCohortsOfAllTrainAll(t *testing.T) {
	all, _, _ := ends(t, sampled(pick("all"), "uniform"))
	for name, more := range map[string]int64{"divfl": 0, "oort": 2 * 6 * 12} {
		p, _, _ := ends(t, sampled(pick(name, "k", int64(6)), "uniform"))
		if !slices.Equal(p.Global, all.Global) || p.Uploaded != all.Uploaded+more ||
			p.Downloaded != all.Downloaded {
			t.Errorf("%s: θ = %v and %d floats sent, want %v and %d", name, p.Global, p.Uploaded,
				all.Global, all.Uploaded+more)
		}
	}
}

// Optimal sampling of quadratics moves as all clients do, in the mean over rounds from one model:
// its aggregate is unbiased in training, not only on paper.
func TestOptimalSamplingIsUnbiasedInTraining(t *testing.T) {
	one := sampled(pick("optimal", "k", int64(2)), "stated")
	one.Rounds, one.Every = 1, 1
	full := sampled(pick("all"), "importance")
	full.Rounds, full.Every = 1, 1
	p, _, _ := ends(t, full)
	const trials = 3000
	s, _, problems := menu(t).Compose(one)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	mean, square := make([]float64, len(p.Global)), make([]float64, len(p.Global))
	data := engine.NewMemo(8)
	for seed := range trials {
		s.Seed = uint64(seed) + 100
		s.DataSeed = one.DataSeed
		c, err := engine.Start(&s, engine.Options{Memo: data})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
		for k, x := range c.Checkpoint().Global {
			mean[k] += x / trials
			square[k] += x * x / trials
		}
		c.Close()
	}
	for k, x := range mean {
		deviation := math.Sqrt((square[k] - x*x) / trials)
		if math.Abs(x-p.Global[k]) > 4*deviation || deviation == 0 {
			t.Errorf("parameter %d: %v ± %v, of all clients %v", k, x, deviation, p.Global[k])
		}
	}
}
