package builtin

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// Theorem: where SCAFFOLD divides by a τ-th of the steps it should, r times too few, and all clients
// participate, e = cᵢ − c follows e ← (1 − r)e + r(gᵢ − ḡ) as η → 0, so that it is
// (1 − (1 − r)ᵗ)(gᵢ − ḡ) after t rounds: right after one round for r = 1, and of growing length for
// r > 2. On all samples at once a batch is an epoch, so that by the batches of one epoch r is the
// number of epochs, and by epochs it is 1.
//
//hansa:verifies theorem local/scaffold
func TestControlVariatesByWrongDivisorsGrow(t *testing.T) {
	const rounds, rate = 5, 1e-9
	play := func(params ...any) [][]fl.Vector {
		return controls(t, stepping(rounds, pick("scaffold", append([]any{"lr", rate}, params...)...),
			pick("scaffold"), pick("all")))
	}
	steps := play("steps", int64(4))
	if !reflect.DeepEqual(steps, play("epochs", int64(4), "divisor", "epochs")) {
		t.Error("with one batch in an epoch, epochs are not steps")
	}
	slopes := deviations(steps[0]) // gᵢ − ḡ, as r = 1
	for _, r := range []int{1, 2, 3, 4} {
		got := play("epochs", int64(r), "divisor", "batches")
		for round := 1; round <= rounds; round++ {
			want := 1 - math.Pow(float64(1-r), float64(round))
			for i, e := range deviations(got[round-1]) {
				for j := range e {
					if math.Abs(e[j]-want*slopes[i][j]) > 1e-5*(1+math.Abs(want*slopes[i][j])) {
						t.Fatalf("r = %d, round %d: e = %v, want %v times %v", r, round, e, want,
							slopes[i])
					}
				}
			}
		}
	}
}

// controls returns the control variates that a cell's clients have after each round, by client.
func controls(t *testing.T, c study.Cell) (rounds [][]fl.Vector) {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := make([]fl.Vector, c.Clients)
	record := func(r *engine.RoundRecord) error {
		now := make([]fl.Vector, len(all))
		for _, u := range r.Seen.Updates {
			change := fl.Vector(u.Payload["control"].Data)
			if all[u.Client] == nil {
				all[u.Client] = make(fl.Vector, len(change))
			}
			all[u.Client].Add(change)
			now[u.Client] = all[u.Client].Clone()
		}
		rounds = append(rounds, now)
		return nil
	}
	if _, err := engine.Run(t.Context(), &s, engine.Options{Record: record}); err != nil {
		t.Fatal(err)
	}
	return rounds
}

// deviations returns vectors less their mean.
func deviations(all []fl.Vector) (list []fl.Vector) {
	mean := make(fl.Vector, len(all[0]))
	for _, c := range all {
		mean.AddScaled(1/float64(len(all)), c)
	}
	for _, c := range all {
		c = c.Clone()
		c.Sub(mean)
		list = append(list, c)
	}
	return list
}

// One client that keeps its optimizer makes the same steps in ten rounds as in one that is ten
// times as long; with an optimizer that begins anew it does not.
//
//hansa:verifies theorem local/sgd
func TestKeptOptimizersDoNotSeeRounds(t *testing.T) {
	for model, most := range map[string]float64{"linear": 1e-12, "mlp": 1e-5} {
		for name, by := range map[string]study.Pick{
			"momentum": pick("sgd", "momentum", 0.9), "adam": pick("adam"),
		} {
			play := func(rounds int, steps int64, state string) fl.Vector {
				c := stepping(rounds, pick("sgd", "steps", steps, "lr", 0.002, "optimizer",
					map[string]any{"name": by.Name}, "optimizer_state", state),
					pick("fedavg", "weights", "uniform"), pick("all"))
				if by.Params != nil {
					optimizer := c.Picks["local"].Params["optimizer"].(map[string]any)
					for key, x := range by.Params {
						optimizer[key] = x
					}
				}
				c.Clients = 1
				if model == "mlp" {
					c.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features",
						int64(4), "train", int64(30), "test", int64(12))
					c.Picks["partition"] = pick("iid")
					c.Picks["model"] = pick("mlp", "widths", []any{int64(4)})
					c.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "accuracy"}}
				}
				p, _, _ := ends(t, c)
				return p.Global
			}
			want := play(1, 50, "reset")
			scale := want.Norm()
			if d := play(10, 5, "kept").Distance(want); d > most*scale {
				t.Errorf("%s, %s: kept, it ends %v from one long round", model, name, d)
			}
			if d := play(10, 5, "reset").Distance(want); d < 1e3*most*scale {
				t.Errorf("%s, %s: reset, it ends %v from one long round", model, name, d)
			}
		}
	}
}

// Faulty clients report as many times their samples as they are to, and nothing else of their
// update differs. Multi-Krum by samples then is the model of a faulty client that is among the
// nearest ones, here one that repeats an honest client's; by client it is not.
//
//hansa:verifies theorem aggregator/multi-krum
func TestReportedSamplesDecideAWeightedMean(t *testing.T) {
	const many = 1_000_000
	for weights, decides := range map[string]bool{"samples": true, "uniform": false} {
		for name, rule := range map[string]study.Pick{
			"Multi-Krum": pick("multi-krum", "f", int64(1), "weights", weights),
			"FedAvg":     pick("fedavg", "weights", weights),
		} {
			honest := attacked(1, pick("mimic"), "clients", []any{int64(2)})
			honest.Picks["aggregator"] = rule
			faulty := attacked(1, pick("mimic"), "clients", []any{int64(2)}, "reported", int64(many))
			faulty.Picks["aggregator"] = rule
			was, is := updatesIn(t, honest)[0], updatesIn(t, faulty)[0]
			for i := range is {
				times := 1
				if is[i].Client == 2 {
					times = many
				}
				if is[i].Samples != times*was[i].Samples || !slices.Equal(is[i].Params, was[i].Params) {
					t.Errorf("client %d reports %d samples, and %d before", is[i].Client,
						is[i].Samples, was[i].Samples)
				}
			}
			p, _, _ := ends(t, faulty)
			if d := p.Global.Distance(is[2].Params); (d < 1e-5) != decides {
				t.Errorf("%s, weights %s: ends %v from the model of the faulty client", name, weights,
					d)
			}
		}
	}
}

// Kept optimizers, other divisors, other cohorts, false reports and best values have the same bits
// with any number of workers and after a resume.
func TestSwitchesOfContradictionsAreExact(t *testing.T) {
	momentum := map[string]any{"name": "sgd", "momentum": 0.9}
	kept := pick("sgd", "steps", int64(3), "lr", 0.01, "optimizer", momentum, "optimizer_state",
		"kept")
	plain, three := pick("fedavg", "weights", "samples"), pick("uniform-k", "k", int64(3))
	reporting := stepping(4, pick("sgd", "steps", int64(2), "lr", 0.01), pick("multi-krum", "f",
		int64(1), "weights", "samples"), pick("all"))
	reporting.Picks["adversary"] = pick("sign-flip", "count", int64(1), "drawn", "round", "reported",
		int64(50))
	summed := stepping(4, kept, plain, three)
	summed.Picks["adversary"] = pick("sign-flip", "count", int64(2), "reported", int64(7))
	network := stepping(4, kept, plain, three)
	network.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(60), "test", int64(12))
	network.Picks["partition"], network.Picks["model"] = pick("iid"), pick("mlp", "widths",
		[]any{int64(4)})
	network.Measures = []study.Measure{{Pick: pick("accuracy"), Key: "best", Best: true}}
	for name, c := range map[string]study.Cell{
		"kept": stepping(4, kept, plain, pick("uniform-k", "k", int64(3), "draw", int64(2))),
		"by batches": stepping(4, pick("scaffold", "epochs", int64(2), "batch", int64(3), "lr", 0.01,
			"divisor", "batches"), pick("scaffold"), three),
		"reported": reporting, "reported, summed": summed, "network": network,
	} {
		c.Every = 1
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(name, problems)
		}
		for _, v := range contract.Cell(&s, engine.Options{}) {
			t.Errorf("%s: %v", name, v)
		}
	}
}
