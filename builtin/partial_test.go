package builtin

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// unequal are seconds of six clients, of which local steps take all. With ten steps and a deadline
// of 10 seconds they make 10, 10, 5, 4, 2 and 1 of them.
func unequal(params ...any) study.Pick {
	return pick("durations", append([]any{"seconds", []any{4.0, 10.0, 20.0, 25.0, 50.0, 80.0},
		"work", 1.0, "deadline", 10.0}, params...)...)
}

// made are the steps of these clients.
var made = []int{10, 10, 5, 4, 2, 1}

// partly returns a cell of parabolas whose clients make ten steps, or fewer.
func partly(rounds int, rate float64, local string, aggregator study.Pick) study.Cell {
	c := parabolas(rounds, rate, aggregator)
	c.Picks["local"] = pick(local, "steps", int64(10), "lr", rate)
	c.Picks["completion"] = unequal("partial", true)
	return c
}

// updatesIn returns the updates of a cell, by round.
func updatesIn(t *testing.T, c study.Cell) (rounds [][]fl.Update) {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	record := func(r *engine.RoundRecord) error {
		rounds = append(rounds, slices.Clone(r.Seen.Updates))
		return nil
	}
	if _, err := engine.Run(t.Context(), &s, engine.Options{Record: record}); err != nil {
		t.Fatal(err)
	}
	return rounds
}

// Clients that would be late make as many steps as fit, and say so. With one step in s seconds of
// which steps take a share, that share alone is shortened.
//
//hansa:verifies theorem completion/durations
func TestPartialWorkIsWhatFits(t *testing.T) {
	for share, want := range map[float64][]int{1: made, 0.5: {10, 10, 0, 0, 0, 0},
		0.75: {10, 10, 3, 2, 0, 0}} {
		c := partly(3, 0.02, "sgd", uniformMean())
		c.Picks["completion"] = unequal("partial", true, "work", share)
		for _, updates := range updatesIn(t, c) {
			got := make([]int, 6)
			for _, u := range updates {
				got[u.Client] = u.Steps
			}
			if !slices.Equal(got, want) {
				t.Errorf("work = %v: %v steps, want %v", share, got, want)
			}
		}
	}
}

// With partial work FedAvg ends at Σ sᵢaᵢ / Σ sᵢ with sᵢ = 1 − (1 − η)^Hᵢ, by the steps Hᵢ that
// clients make, and FedNova at Σ sᵢaᵢ/Hᵢ / Σ sᵢ/Hᵢ, whose distance from the minimum of the mean of
// all losses falls with η. FedAvg stays where it is.
//
//hansa:verifies fixed-point completion/durations local/fednova aggregator/fednova
func TestPartialWorkEndsWhereItIsPredicted(t *testing.T) {
	predicted := func(rate float64, normal bool) float64 {
		up, down := 0.0, 0.0
		for i, h := range made {
			s := 1 - math.Pow(1-rate, float64(h))
			if normal {
				s /= float64(h)
			}
			up, down = up+s*minima[i], down+s
		}
		return up / down
	}
	const rate, best = 0.02, 2.0 / 3
	fedavg, _, _ := ends(t, partly(2000, rate, "sgd", uniformMean()))
	fednova, _, _ := ends(t, partly(2000, rate, "fednova", pick("fednova", "weights", "uniform")))
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"FedAvg", fedavg.Global[0], predicted(rate, false)},
		{"FedNova", fednova.Global[0], predicted(rate, true)},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s ends at %v, want %v", x.name, x.got, x.want)
		}
	}
	off := func(rate float64, normal bool) float64 { return math.Abs(predicted(rate, normal) - best) }
	if near, nearer := off(2e-4, true), off(1e-4, true); math.Abs(nearer/near-0.5) > 0.01 ||
		off(1e-4, false) < 1000*nearer {
		t.Errorf("at two rates FedNova is %v and %v from the minimum, FedAvg %v", near, nearer,
			off(1e-4, false))
	}
}

// A deadline that no client misses has the bits of none, with partial work or without, and one that
// is missed has others.
//
//hansa:verifies equivalence completion/speeds completion/durations
func TestFarDeadlineCutsNothing(t *testing.T) {
	steps := []any{"steps", int64(5), "lr", 0.02}
	for _, c := range []struct {
		local, rule string
		policy      []any
	}{
		{"sgd", "fedavg", nil}, {"sgd", "coordinate-median", nil}, {"scaffold", "scaffold", nil},
		{"fednova", "fednova", nil}, {"fedprox", "fedavg", nil},
		{"sgd", "fedbuff", []any{"concurrency", int64(4), "take", int64(2)}},
		{"sgd", "fedat", []any{"tiers", int64(2)}},
	} {
		for _, model := range []string{"speeds", "durations"} {
			of := func(policy ...any) fl.Vector {
				params := append(slices.Clone(c.policy), policy...)
				p := pick(model, params...)
				if model == "durations" {
					p = unequal(append(params, "jitter", 0.3)...)
					if len(policy) == 0 {
						p.Params["deadline"] = 0.0
					}
				}
				cell := finishingBy(8, p, pick(c.rule), pick("uniform-k", "k", int64(4)))
				cell.Picks["local"] = pick(c.local, steps...)
				got, _, _ := ends(t, cell)
				return got.Global
			}
			whole := of()
			if !slices.Equal(of("deadline", 1e9, "partial", true), whole) {
				t.Errorf("%s, %s: a far deadline changes bits", c.rule, model)
			}
			near := of("deadline", 9.0, "partial", true)
			if model == "durations" && slices.Equal(near, whole) {
				t.Errorf("%s, %s: a near deadline changes nothing", c.rule, model)
			}
		}
	}
}

// With partial work a client is heard if one step fits; simulated rounds and oracles agree with the
// probability of that.
//
//hansa:verifies theorem completion/durations completion/speeds
func TestPartialWorkIsInTheLaw(t *testing.T) {
	jitter := 0.8
	c := partly(1, 0.02, "sgd", uniformMean())
	c.Picks["completion"] = unequal("partial", true, "jitter", jitter, "work", 0.8)
	s, w := prepared(t, c)
	law, err := engine.CohortLaw(s, w)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []float64{4, 10, 20, 25, 50, 80} {
		want := 0.5 * math.Erfc(-math.Log(10/(m*0.28))/jitter/math.Sqrt2)
		if math.Abs(law.Inclusion[i]-want) > 1e-12 {
			t.Errorf("client %d is heard with %v, want %v", i, law.Inclusion[i], want)
		}
	}
	agrees(t, s, w, &law)
	c.Picks["completion"] = pick("speeds", "step", 1.0, "jitter", 1.5, "deadline", 2.0, "partial", true)
	s, w = prepared(t, c)
	if law, err = engine.CohortLaw(s, w); err != nil {
		t.Fatal(err)
	}
	agrees(t, s, w, &law)
}

// Stragglers make a uniform number of five steps: with a share of a half, each number below
// five is that of a tenth of all clients. The time of their steps is as much shorter.
//
//hansa:verifies theorem completion/immediate completion/durations
func TestStragglersMakeFewerSteps(t *testing.T) {
	const rounds, share = 2000, 0.5
	c := parabolas(rounds, 0.02, uniformMean())
	c.Picks["local"] = pick("fedprox", "steps", int64(5), "lr", 0.02)
	c.Picks["completion"] = pick("immediate", "stragglers", share)
	counts := make(fl.Vector, 6)
	for _, updates := range updatesIn(t, c) {
		if len(updates) != 6 {
			t.Fatalf("%d updates", len(updates))
		}
		for _, u := range updates {
			counts[u.Steps]++
		}
	}
	for h := 1; h <= 5; h++ {
		p := share / 5
		if h == 5 {
			p += 1 - share
		}
		n := 6.0 * rounds
		if math.Abs(counts[h]-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%v clients make %d steps, want %v", counts[h], h, n*p)
		}
	}
	for _, stragglers := range []float64{0, 1} {
		c := finishingBy(200, listed("work", 1.0, "stragglers", stragglers), uniformMean(), pick("all"))
		_, _, m := ends(t, c)
		hours := 200 * 45.0 / 3600
		if (m[0] < hours-1e-9) != (stragglers == 1) {
			t.Errorf("stragglers = %v: %v hours", stragglers, m[0])
		}
	}
}

// An audit of partial work knows which clients are heard, and says that it does not know what fewer
// steps do: it predicts no level.
func TestAuditOfPartialWork(t *testing.T) {
	for _, partial := range []bool{false, true} {
		c := partly(1000, 0.02, "sgd", uniformMean())
		c.Picks["completion"] = unequal("partial", partial, "deadline", 90.0)
		s, _ := prepared(t, c)
		f, err := audit.Audit(c, s, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(f.Notes, "\n"), "fewer local steps")
		if f.TV > 1e-12 || said != partial || f.Prediction == nil ||
			(f.Prediction.Level == nil) != partial {
			t.Errorf("partial = %t: TV %v, %+v, notes %q", partial, f.TV, f.Prediction, f.Notes)
		}
	}
}

// Partial work needs a deadline, a completion model that says how long steps take, and a local rule
// that heeds limits.
func TestPartialWorkIsRefused(t *testing.T) {
	for want, c := range map[string]struct {
		local      string
		completion study.Pick
	}{
		"there is no deadline":      {"sgd", unequal("partial", true, "deadline", 0.0)},
		"set work":                  {"sgd", unequal("partial", true, "work", 0.0)},
		"does not say how long":     {"sgd", pick("immediate", "partial", true, "deadline", 1.0)},
		"all its steps or none":     {"scaffnew", unequal("partial", true)},
		"scaffnew makes all its st": {"scaffnew", unequal("stragglers", 0.5)},
	} {
		cell := partly(1, 0.02, c.local, uniformMean())
		if c.local == "scaffnew" {
			cell.Picks["aggregator"] = pick("scaffnew")
		}
		cell.Picks["completion"] = c.completion
		if _, _, problems := menu(t).Compose(cell); len(problems) != 1 ||
			!strings.Contains(problems.Error(), want) {
			t.Errorf("problems %v, want …%s…", problems, want)
		}
	}
}

// A cell of partial work and stragglers that stops in mid-run and goes on with other workers has the
// bits of one that does not stop, for a synchronous and for asynchronous servers, whose clients are
// limited when they are asked and train later.
//
//hansa:verifies invariance completion/speeds
func TestPartialWorkGoesOn(t *testing.T) {
	for _, policy := range [][]any{
		{"take", int64(3)}, {"concurrency", int64(4), "take", int64(2)}, {"tiers", int64(2)},
	} {
		params := append([]any{"step", 0.4, "deadline", 1.0, "partial", true, "stragglers", 0.4},
			policy...)
		rule := pick("fedavg", "weights", "uniform")
		if len(policy) == 4 {
			rule = pick("fedbuff")
		}
		c := finishingBy(9, pick("speeds", params...), rule, pick("uniform-k", "k", int64(5)))
		c.Picks["local"], c.Every = pick("sgd", "steps", int64(5), "lr", 0.02), 1
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		few := 0
		for _, updates := range updatesIn(t, c) {
			for _, u := range updates {
				if u.Steps < 1 || u.Steps > 5 {
					t.Fatalf("%d steps", u.Steps)
				} else if u.Steps < 5 {
					few++
				}
			}
		}
		if few == 0 {
			t.Errorf("%v: no client makes fewer steps", policy)
		}
		want, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range []int{1, 4, 7} {
			got := resumed(t, &s, before)
			if !reflect.DeepEqual(got.Series, want.Series) || got.Law != want.Law {
				t.Errorf("%v: resumed\n%v %v\nwant\n%v %v", policy, got.Series, got.Law, want.Series,
					want.Law)
			}
		}
	}
}
