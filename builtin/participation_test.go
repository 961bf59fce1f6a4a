package builtin

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Where blocks of clients take turns, MIFA ends at the minimum of heterogeneous quadratics, where
// it ends with all clients in every round; FedAvg does not end there.
//
//hansa:verifies fixed-point aggregator/mifa
func TestMIFAEndsAtTheMinimumOfCyclicClients(t *testing.T) {
	away := func(aggregator study.Pick) float64 {
		c := parabolas(6000, 0.05, aggregator)
		c.Picks["availability"] = pick("cyclic", "blocks", int64(3))
		p, _, _ := ends(t, c)
		return p.Global[0] - 4.0/6
	}
	for _, wait := range []bool{false, true} {
		if off := away(pick("mifa", "wait", wait)); !(off < 1e-9 && off > -1e-9) {
			t.Errorf("MIFA, wait = %v, ends %v from the mean of the minima", wait, off)
		}
	}
	if off := away(pick("fedavg", "weights", "uniform")); off < 0.01 && off > -0.01 {
		t.Errorf("FedAvg ends %v from it, too", off)
	}
}

// Clients of methods with memory send what those of FedAvg send: the memory is the server's.
func TestMemorySendsNothing(t *testing.T) {
	for _, name := range []string{"mifa", "fedvarp", "fedau", "debias-fedavg", "fedlaavg"} {
		c := stepping(6, oneStep(0.02), pick(name), pick("uniform-k", "k", int64(3)))
		if name == "fedlaavg" {
			c.Picks["local"] = study.Pick{Name: name, Params: c.Picks["local"].Params}
		}
		c.Measures = []study.Measure{{Pick: pick("upload"), Key: "upload"}}
		_, _, sent := ends(t, c)
		c.Picks["aggregator"], c.Picks["local"] = pick("fedavg"), oneStep(0.02)
		if _, _, plain := ends(t, c); sent[0] != plain[0] || sent[0] == 0 {
			t.Errorf("%s sends %v, FedAvg %v", name, sent[0], plain[0])
		}
	}
}

// The bytes of six rounds of three clients of FedAWE, by hand: models of three numbers of four bytes
// up; down the model of the round, and from the second round on the one that a client goes on from.
func TestWhatFedAWESends(t *testing.T) {
	c := stepping(6, descending("fedawe"), pick("fedawe"), pick("uniform-k", "k", int64(3)))
	c.Measures = []study.Measure{{Pick: pick("upload"), Key: "up"},
		{Pick: pick("download"), Key: "down"}}
	if _, _, m := ends(t, c); m[0] != 6*3*12 || m[1] != (6+5)*3*12 {
		t.Errorf("%v bytes up and %v down", m[0], m[1])
	}
}

// With all clients in every round FedAWE is the plain mean of FedAvg, to the bit, of a network in
// batches, too; FedLaAvg and F3AST are its mean by importance, but for rounding.
//
//hansa:verifies equivalence aggregator/fedawe local/fedawe aggregator/fedlaavg local/fedlaavg
//hansa:verifies equivalence aggregator/f3ast selection/f3ast
func TestWithAllClientsMethodsAreFedAvg(t *testing.T) {
	cells := map[string]study.Cell{"quadratics": stepping(30, descends("sgd"), pick("naive"), pick("all")),
		"a network": personal(descends("sgd", "epochs", int64(2)))}
	for name, c := range cells {
		c.Picks = maps.Clone(c.Picks)
		c.Picks["selection"], c.Picks["importance"] = pick("all"), pick("linear")
		own := func(local, aggregator string, selection study.Pick) fl.Vector {
			d := c
			d.Picks = maps.Clone(c.Picks)
			d.Picks["local"] = study.Pick{Name: local, Params: c.Picks["local"].Params}
			d.Picks["aggregator"], d.Picks["selection"] = pick(aggregator), selection
			if aggregator == "fedavg" {
				d.Picks["aggregator"] = pick(aggregator, "weights", "importance")
			}
			p, _, _ := ends(t, d)
			return p.Global
		}
		all := pick("all")
		if got := own("fedawe", "fedawe", all); !slices.Equal(got, own("sgd", "naive", all)) {
			t.Errorf("%s: FedAWE is not the plain mean", name)
		}
		want := own("sgd", "fedavg", all)
		for method, got := range map[string]fl.Vector{
			"FedLaAvg": own("fedlaavg", "fedlaavg", all),
			"F3AST":    own("sgd", "f3ast", pick("f3ast", "k", int64(6))),
		} {
			// Steps of networks are in single precision, in which models differ by a rounding.
			if d := got.Distance(want); !(d < 1e-12*want.Norm() || name == "a network" && d < 1e-4) {
				t.Errorf("%s: %s ends %v from the mean by importance", name, method, d)
			}
		}
	}
}

// unevenly makes clients of a cell available independently, the first ones more often, and the rates
// of clients fall to 0. It returns their chances.
func unevenly(c study.Cell) fl.Vector {
	c.Picks["availability"] = pick("bernoulli", "rate", 0.4, "prior", pickOf("linear"))
	chances := make(fl.Vector, 6)
	for i := range chances {
		chances[i] = 0.4 * 6 * float64(6-i) / 21
	}
	return chances
}

// pickOf is a component within the parameters of another one.
func pickOf(name string) map[string]any { return map[string]any{"name": name} }

// falling is a local rule of one step at a rate that falls to 0.
func falling(name string) study.Pick {
	return pick(name, "steps", int64(1), "lr", 0.05, "schedule", "cosine")
}

// minima are those of parabolas.
var minima = fl.Vector{-2, -1, 0, 1, 2, 4}

// Where clients are available at rates of their own, methods that correct participation end at the
// minimum of the mean of all losses: FedLaAvg, which remembers updates, to 1e-9, FedAWE, whose models
// mix, near to it, and those that weigh by estimated probabilities but for their noise. FedAvg is
// more than one away from it.
//
//hansa:verifies fixed-point aggregator/fedlaavg local/fedlaavg selection/longest-absent
//hansa:verifies fixed-point aggregator/fedawe local/fedawe aggregator/debias-fedavg
//hansa:verifies fixed-point aggregator/fedau aggregator/f3ast selection/f3ast
func TestUnevenParticipationIsCorrected(t *testing.T) {
	for name, x := range map[string]struct {
		aggregator, local, selection study.Pick
		low, high                    float64
	}{
		"FedAvg":        {pick("naive"), falling("sgd"), pick("all"), 1, 1.2},
		"FedLaAvg":      {pick("fedlaavg"), falling("fedlaavg"), pick("longest-absent", "k", int64(2)), 0, 1e-9},
		"FedAWE":        {pick("fedawe"), falling("fedawe"), pick("all"), 0, 1e-3},
		"Debias-FedAvg": {pick("debias-fedavg"), falling("sgd"), pick("all"), 0, 0.05},
		"FedAU":         {pick("fedau", "cutoff", int64(0)), falling("sgd"), pick("all"), 0, 0.05},
		"F3AST":         {pick("f3ast"), falling("sgd"), pick("f3ast", "k", int64(2), "beta", 1e-3), 0, 0.02},
	} {
		c := parabolas(100_000, 0.05, x.aggregator)
		c.Law, c.Picks["local"], c.Picks["selection"] = false, x.local, x.selection
		unevenly(c)
		p, _, _ := ends(t, c)
		if off := math.Abs(p.Global[0] - minima.Sum()/6); !(off >= x.low && off < x.high) {
			t.Errorf("%s ends %v from the minimum", name, off)
		}
	}
}

// A plain mean of whichever clients participate, of which nothing is known, ends at the minimum of
// Σ ρᵢFᵢ, where ρᵢ is the mean of 1/|S| over cohorts with client i, and not of the mean of all Fᵢ:
// the theorem of agnostic FedAvg (S. A. Rahimi, D. Kalogerias, CAMSAP 2025). It is the aggregator
// naive, and weights = "uniform" of fedavg.
//
//hansa:verifies fixed-point aggregator/naive aggregator/fedavg
func TestAgnosticFedAvgEndsAtItsOwnObjective(t *testing.T) {
	for _, aggregator := range []study.Pick{pick("naive"), pick("fedavg", "weights", "uniform")} {
		c := parabolas(100_000, 0.05, aggregator)
		c.Law, c.Picks["local"] = false, falling("sgd")
		chances, want, mass := unevenly(c), 0.0, 0.0
		for set := 1; set < 1<<6; set++ {
			q, sum, size := 1.0, 0.0, 0.0
			for i, pi := range chances {
				if set>>i&1 == 0 {
					q *= 1 - pi
					continue
				}
				q *= pi
				sum += minima[i]
				size++
			}
			want += q * sum / size
			mass += q
		}
		p, _, _ := ends(t, c)
		if off := math.Abs(p.Global[0] - want/mass); !(off < 0.02) {
			t.Errorf("%s ends %v from the minimum %v of its objective", aggregator.Name, off, want/mass)
		}
	}
}

// The floor of FedAU: with a longest interval K_c client i counts πᵢωᵢ = 1 − (1 − πᵢ)^K_c, which is
// less the rarer it is available, and the model ends at the minimum of that objective.
//
//hansa:verifies fixed-point aggregator/fedau
func TestFedAUEndsAtItsFloor(t *testing.T) {
	for _, cutoff := range []int64{1, 3, 8} {
		c := parabolas(100_000, 0.05, pick("fedau", "cutoff", cutoff))
		c.Law, c.Picks["local"] = false, falling("sgd")
		want, mass := 0.0, 0.0
		for i, pi := range unevenly(c) {
			w := 1 - math.Pow(1-pi, float64(cutoff))
			want += w * minima[i]
			mass += w
		}
		p, _, _ := ends(t, c)
		if off := math.Abs(p.Global[0] - want/mass); !(off < 0.05) {
			t.Errorf("K_c = %d: it ends %v from %v", cutoff, off, want/mass)
		}
	}
}
