package builtin

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// over is an aggregator that makes its step along what an inner one makes of a round.
func over(outer study.Pick, inner any) study.Pick {
	outer.Params = maps.Clone(outer.Params)
	if p, ok := inner.(study.Pick); ok {
		t := maps.Clone(p.Params)
		t["name"] = p.Name
		inner = t
	}
	outer.Params["inner"] = inner
	return outer
}

// steppers are the aggregators that may have an inner one, with parameters that bring out what they
// do.
func steppers() []study.Pick {
	return []study.Pick{pick("fedavgm", "server_rate", 0.7), pick("fedadagrad"),
		pick("fedadam", "server_rate", 0.01), pick("fedyogi", "server_rate", 0.01),
		pick("fedopt", "optimizer", "adam", "server_rate", 0.01),
		pick("generalized-fedavg", "period", int64(2), "amplification", 1.5)}
}

// An inner FedAvg is what a server optimizer has without an inner aggregator, to the bit.
//
//hansa:verifies equivalence aggregator/fedavgm aggregator/fedadagrad aggregator/fedadam
//hansa:verifies equivalence aggregator/fedyogi aggregator/fedopt aggregator/generalized-fedavg
func TestInnerFedAvgIsTheDefault(t *testing.T) {
	for _, outer := range steppers() {
		for _, weights := range []string{"samples", "uniform", "importance"} {
			alone := outer
			alone.Params = maps.Clone(outer.Params)
			alone.Params["weights"] = weights
			want, _, _ := ends(t, guardedBy(5, pick("none"), alone))
			got, s, _ := ends(t, guardedBy(5, pick("none"),
				over(outer, pick("fedavg", "weights", weights))))
			if !slices.Equal(got.Global, want.Global) {
				t.Errorf("%s over fedavg of %s is another rule", outer.Name, weights)
			}
			if s.WeightedSum() == nil {
				t.Errorf("%s over fedavg keeps models", outer.Name)
			}
		}
	}
}

// FedAvgM without momentum leaves what any inner aggregator makes of rounds as it is, to the bit;
// so it does within itself. Halves of methods, and what takes its model from clients or from
// statistics, are refused, and nothing else of the menu.
//
//hansa:verifies equivalence aggregator/fedavgm
func TestNoMomentumIsTheInnerAggregator(t *testing.T) {
	r, idle, nested := menu(t), pick("fedavgm", "momentum", 0.0), 0
	if err := r.Sources.Add(surveyed); err != nil {
		t.Fatal(err)
	}
	for _, name := range r.Aggregators.Names() {
		e, _ := r.Aggregators.Get(name)
		inner := pick(name)
		maps.Copy(inner.Params, e.Example)
		if slices.Contains([]string{"calibrated", "doubly-robust", "fedipw", "oracle-ipw", "round-ipw"}, name) {
			inner.Params["normalisation"] = "hajek"
		}
		traits := fl.TraitsOf[fl.AggregatorTraits](e)
		refused := traits.Mixes || traits.Method != "" || traits.Statistics != ""
		for _, c := range settings() {
			c.Picks["aggregator"] = inner
			alone, _, problems := r.Compose(c)
			if len(problems) > 0 {
				continue
			}
			want := endOf(t, &alone)
			for _, pick := range []study.Pick{over(idle, inner), over(idle, over(idle, inner))} {
				c.Picks["aggregator"] = pick
				s, _, problems := r.Compose(c)
				if refused != strings.Contains(problems.Error(), "inner: aggregator "+name) {
					t.Errorf("%s is refused: %v", name, problems)
				}
				if len(problems) > 0 {
					continue
				}
				nested++
				if got := endOf(t, &s); !slices.Equal(got, want) {
					t.Errorf("fedavgm without momentum changes %s", name)
				}
			}
			break
		}
	}
	if nested < 70 {
		t.Errorf("%d runs of nested aggregators", nested)
	}
}

// endOf returns the model of a cell after its last round.
func endOf(t *testing.T, s *engine.Setup) fl.Vector {
	t.Helper()
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return cell.Checkpoint().Global
}

// Nested aggregators have the same bits with any number of workers and after a resume, for weighted
// sums and kept models, of inner ones that keep something and that do not, beside an adversary that
// tries the rule.
func TestNestedAggregatorsAreExact(t *testing.T) {
	momentum := pick("fedavgm")
	for _, rule := range []study.Pick{
		over(pick("fedadam"), pick("krum", "f", int64(1))),
		over(momentum, "mifa"), over(momentum, "fedau"), over(momentum, "centered-clipping"),
		over(pick("fedyogi"), "q-fedavg"),
		over(pick("fedopt", "optimizer", "adam"), over(momentum, "coordinate-median")),
		over(pick("generalized-fedavg", "period", int64(2)), over(momentum, "fedavg")),
	} {
		for _, guard := range []string{"none", "adaptive-clip"} {
			c := guardedBy(4, pick(guard), rule)
			if guard != "none" { // which an adversary tries with the rule
				c.Picks["adversary"] = pick("alie", "optimal", true, "share", 0.2)
			}
			s, _, problems := menu(t).Compose(c)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			for _, v := range contract.Cell(&s, engine.Options{}) {
				t.Errorf("%s %v after %s: %v", rule.Name, rule.Params, guard, v)
			}
		}
	}
}

// What an inner aggregator needs of a setting, the whole needs; what does not fit is one problem,
// with its path.
func TestNestedAggregatorsThatDoNotFit(t *testing.T) {
	momentum := pick("fedavgm")
	for _, c := range []struct {
		rule  study.Pick
		guard string
		want  string
	}{
		{over(momentum, "scaffold"), "none", "aggregator fedavgm: inner: aggregator scaffold: is the " +
			"server's half of SCAFFOLD, whose clients expect the θᵗ that it makes"},
		{over(momentum, "ensemble"), "none", "takes its model from clients"},
		{over(momentum, "fedcgs"), "none", "takes class moments, not models"},
		{over(momentum, over(momentum, "code")), "none",
			"aggregator fedavgm: inner: aggregator fedavgm: inner: aggregator code: takes its model"},
		{over(momentum, "krumm"), "none", `inner: aggregator: there is no "krumm"`},
		{over(momentum, int64(3)), "none", "inner: want the name of an aggregator or a table with one"},
		{over(momentum, pick("krum", "g", int64(1))), "none", "inner: aggregator krum: g: no such parameter"},
		{over(momentum, pick("krum", "f", int64(4))), "none", "inner: aggregator krum: f"},
		{over(pick("fedavgm", "weights", "uniform"), "krum"), "none",
			"weights: the inner aggregator takes the place of the weighted mean"},
		{over(pick("krum"), "fedavg"), "none", "inner: no such parameter"},
		{over(pick("fedgma"), "krum"), "none", "inner: no such parameter"},
		{over(momentum, "mifa"), "bucketing", "aggregator mifa keeps the update of each client"},
		{over(momentum, "q-fedavg"), "bucketing", "aggregator q-fedavg asks for the loss"},
		{over(momentum, "foolsgold"), "bucketing", "aggregator foolsgold keeps a history"},
		{over(momentum, pick("fedavg", "weights", "importance")), "bucketing", `weights = "importance"`},
	} {
		_, _, problems := menu(t).Compose(guardedBy(3, pick(c.guard), c.rule))
		got := problems.Error()
		if len(problems) != 1 || !strings.Contains(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.rule.Name, c.rule.Params, got, c.want)
		}
	}
	c := guardedBy(3, pick("none"), over(momentum, "krum"))
	c.Picks["selection"] = pick("md", "k", int64(3))
	if _, _, problems := menu(t).Compose(c); len(problems) != 1 ||
		!strings.Contains(problems.Error(), "aggregator krum: counts each client of a cohort once") {
		t.Errorf("krum within fedavgm beside md: %v", problems)
	}
	for _, inner := range []string{"fedavg", "delta-fl"} {
		c.Picks["aggregator"] = over(momentum, inner)
		if _, _, problems := menu(t).Compose(c); len(problems) > 0 {
			t.Errorf("%s counts clients as often as they are selected: %v", inner, problems)
		}
	}
	s, _, _ := menu(t).Compose(guardedBy(3, pick("none"), over(momentum, over(momentum, "q-fedavg"))))
	if !s.Losses || s.Remembers {
		t.Errorf("clients of q-fedavg send losses: %v, and it remembers: %v", s.Losses, s.Remembers)
	}
	if s, _, _ = menu(t).Compose(guardedBy(3, pick("none"), over(momentum, "mifa"))); !s.Remembers {
		t.Error("mifa remembers within another one, too")
	}
}

// The audit finds the importance that an inner aggregator optimises, of weighted sums and of others,
// where the outer one multiplies its step; of one with momentum over kept models it says that there
// is none.
func TestAuditSeesInnerAggregators(t *testing.T) {
	steps, rare := descending("sgd"), pick("bernoulli", "rate", 0.6)
	rate := pick("fedopt", "server_rate", 0.5)
	for _, inner := range []study.Pick{pick("fedavg", "weights", "importance"),
		pick("round-ipw", "normalisation", "ht"), pick("fedau"), pick("fedavot")} {
		alone, nested := audited(t, steps, inner, rare), audited(t, steps, over(rate, inner), rare)
		if alone.Effective == nil || nested.Effective == nil {
			t.Errorf("%s has no importance: %q, within fedopt %q", inner.Name, alone.Why, nested.Why)
			continue
		}
		if off := nested.Effective.P.Distance(alone.Effective.P); off > 1e-9 {
			t.Errorf("%s within fedopt optimises another importance, %v away", inner.Name, off)
		}
		if off := nested.Effective.Total/alone.Effective.Total - 0.5; math.Abs(off) > 1e-9 {
			t.Errorf("%s within fedopt at ½: weights sum to %v, alone to %v", inner.Name,
				nested.Effective.Total, alone.Effective.Total)
		}
	}
	for _, inner := range []string{"coordinate-median", "fedavot"} {
		f := audited(t, steps, over(pick("fedavgm"), inner), rare)
		if f.Effective != nil || !strings.Contains(f.Why, "no weighted mean") {
			t.Errorf("%s within fedavgm: %+v, why: %q", inner, f.Effective, f.Why)
		}
	}
	if f := audited(t, steps, over(pick("fedavgm"), "mifa"), rare); f.Effective != nil {
		t.Errorf("mifa within fedavgm: %+v", f.Effective)
	}
}
