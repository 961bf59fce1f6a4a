package builtin

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// finishingBy returns a cell of six heterogeneous clients, of 3 parameters, with a completion
// model.
func finishingBy(rounds int, completion, aggregator, selection study.Pick) study.Cell {
	c := stepping(rounds, pick("sgd", "steps", int64(3), "lr", 0.02), aggregator, selection)
	c.Picks["completion"] = completion
	c.Measures = []study.Measure{{Pick: pick("virtual-time"), Key: "time"},
		{Pick: pick("upload"), Key: "up"}, {Pick: pick("download"), Key: "down"}}
	return c
}

// prepared returns the setup and the world of a cell.
func prepared(t *testing.T, c study.Cell) (*engine.Setup, *engine.World) {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w, err := engine.Prepare(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &s, w
}

// A server that waits for all clients has the bits of one without a completion model, whatever the
// clients' seconds: for models that are summed and models that are kept, with state at clients,
// random cohorts, a plan of cohorts, and any number of workers.
//
//hansa:verifies equivalence completion/speeds completion/durations completion/immediate
func TestWaitingForAllIsSynchronous(t *testing.T) {
	some := pick("uniform-k", "k", int64(3))
	for _, rule := range []string{"fedavg", "coordinate-median", "scaffold", "fedavot", "mifa"} {
		for _, model := range []study.Pick{pick("immediate"), pick("speeds"), pick("durations", "seconds",
			[]any{30.0, 10.0, 20.0, 10.0, 45.0, 5.0}, "jitter", 0.5)} {
			c := finishingBy(6, model, pick(rule), some)
			if rule == "scaffold" {
				c.Picks["local"] = pick("scaffold", "steps", int64(3), "lr", 0.02)
			}
			got, _, m := ends(t, c)
			delete(c.Picks, "completion")
			want, _, plain := ends(t, c)
			if !slices.Equal(got.Global, want.Global) || m[1] != plain[1] || m[2] != plain[2] ||
				plain[0] != 0 || (m[0] > 0) == (model.Name == "immediate") {
				t.Errorf("%s, %s: %v against %v, %v against %v", rule, model.Name, got.Global,
					want.Global, m, plain)
			}
		}
	}
}

// Rounds, by hand: which clients are heard in a round, how long it lasts, and what is counted. Late
// updates are sent in vain; clients that are asked are sent the model.
//
//hansa:verifies theorem completion/durations metrics/virtual-time
func TestRoundsEndByHand(t *testing.T) {
	const rounds, model = 4, 3 * 4
	for what, c := range map[string]struct {
		of      study.Pick
		heard   int
		seconds float64
	}{
		"all":                             {listed(), 6, 45},
		"a deadline":                      {listed("deadline", 25.0), 4, 25},
		"a deadline that is met":          {listed("deadline", 45.0), 6, 45},
		"a deadline that no client meets": {listed("deadline", 4.0), 0, 4},
		"the first three":                 {listed("take", int64(3)), 3, 10},
		"the first four by a deadline":    {listed("take", int64(4), "deadline", 19.0), 3, 19},
		"more than there are":             {listed("take", int64(9)), 6, 45},
		"a deadline after the first":      {listed("take", int64(1), "deadline", 19.0), 1, 5},
		"all at once, and the first 2":    {pick("immediate", "take", int64(2)), 2, 0},
		"all at once, by some deadline":   {pick("immediate", "deadline", 1.0), 6, 0},
	} {
		p, _, m := ends(t, finishingBy(rounds, c.of, uniformMean(), pick("all")))
		if p.Came != int64(rounds*c.heard) || math.Abs(3600*m[0]-rounds*c.seconds) > 1e-9 ||
			m[1] != 6*rounds*model || m[2] != 6*rounds*model {
			t.Errorf("%s: %d heard in all, %v seconds, %v bytes up and %v down", what, p.Came,
				3600*m[0], m[1], m[2])
		}
		if empty := c.heard == 0; empty != (p.Skipped == rounds) {
			t.Errorf("%s: %d rounds skipped", what, p.Skipped)
		}
	}
}

// Clients that drop out send nothing: bytes are those of the models of all others.
func TestDropoutsSendNothing(t *testing.T) {
	p, _, m := ends(t, finishingBy(200, pick("immediate", "dropout", 0.25), uniformMean(), pick("all")))
	if m[1] != float64(12*p.Came) || m[2] != 6*200*12 {
		t.Errorf("%v bytes up of %d updates, %v down", m[1], p.Came, m[2])
	}
	if share := float64(p.Came) / 1200; math.Abs(share-0.75) > 0.05 {
		t.Errorf("%v of all finish", share)
	}
}

// What a round needs of clients is drawn of those that are asked alone, from streams of their own: a
// client needs the same seconds whichever others are asked.
//
//hansa:verifies invariance completion/speeds
func TestSecondsDependOnNoOtherClient(t *testing.T) {
	times := func(take int64) float64 {
		c := finishingBy(1, pick("speeds", "take", take), uniformMean(), pick("all"))
		_, _, m := ends(t, c)
		return m[0]
	}
	before := 0.0
	for take := int64(1); take <= 6; take++ {
		if now := times(take); now <= before {
			t.Errorf("the first %d need %v hours, fewer of them %v", take, now, before)
		} else {
			before = now
		}
	}
	if before != times(0) {
		t.Errorf("all need %v hours, the first 6 %v", times(0), before)
	}
}

// Local steps of all local rules by which time is counted are those that their clients make.
func TestStepsAreThoseOfLocalRules(t *testing.T) {
	other := map[string]string{
		"local-only": "makes no step of the global model", "scaffnew": "draws how many",
	}
	for _, name := range menu(t).LocalRules.Names() {
		if other[name] != "" {
			continue
		}
		c := finishingBy(1, pick("speeds"), uniformMean(), pick("all"))
		c.Picks["local"] = pick(name, "epochs", int64(2), "batch", int64(7), "lr", 0.01)
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			continue // it is half of a method, or of other data
		}
		s.Rounds = 1
		var got []fl.Update
		record := func(r *engine.RoundRecord) error {
			got = append(got, r.Seen.Updates...)
			return nil
		}
		if _, err := engine.Run(t.Context(), &s, engine.Options{Record: record}); err != nil {
			t.Fatal(name, err)
		}
		for _, u := range got {
			if want := s.Completion.Steps(u.Samples); u.Steps != want {
				t.Errorf("%s: %d steps with %d samples, counted as %d", name, u.Steps, u.Samples, want)
			}
		}
	}
}

// underPolicy is a cell whose rounds end early, for different reasons, with state at clients.
func underPolicy(local, aggregator study.Pick) study.Cell {
	c := finishingBy(9, pick("speeds", "deadline", 1.0, "take", int64(3), "dropout", 0.2), aggregator,
		pick("uniform-k", "k", int64(5)))
	c.Picks["local"], c.Every = local, 1
	return c
}

// A cell that stops in mid-run and goes on with other workers has the bits, bytes and virtual time
// of one that does not stop, for summed and kept models, and clients with state.
//
//hansa:verifies invariance completion/speeds
func TestCompletionGoesOn(t *testing.T) {
	three := []any{"steps", int64(3), "lr", 0.02}
	for _, c := range []study.Cell{
		underPolicy(pick("sgd", three...), uniformMean()),
		underPolicy(pick("sgd", three...), pick("coordinate-median")),
		underPolicy(pick("scaffold", three...), pick("scaffold")),
	} {
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		want, err := engine.Run(t.Context(), &s, engine.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := resumed(t, &s, 4)
		if !reflect.DeepEqual(got.Series, want.Series) || got.Law != want.Law ||
			want.Law.Mean >= 3 || want.Law.Mean == 0 {
			t.Errorf("resumed\n%v %v\nwant\n%v %v", got.Series, got.Law, want.Series, want.Law)
		}
	}
}

// A round with a completion model allocates no more than one without.
func TestCompletionAllocatesNothing(t *testing.T) {
	allocated := func(c study.Cell) float64 {
		c.Rounds, c.Every = 1000, 1000
		s, _, problems := menu(t).Compose(c)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		cell, err := engine.Start(&s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cell.Close()
		for range 50 {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return testing.AllocsPerRun(200, func() {
			if err := cell.Step(); err != nil {
				t.Fatal(err)
			}
		})
	}
	with := underPolicy(oneStep(0.02), uniformMean())
	without := underPolicy(oneStep(0.02), uniformMean())
	delete(without.Picks, "completion")
	if a, b := allocated(with), allocated(without); a > b {
		t.Errorf("a round allocates %v times, without completion %v", a, b)
	}
}

// Where the time to finish has no probability in closed form, the law is simulated; an oracle is
// refused, with the reason; and so is time for what is no model.
func TestWhatCompletionRefuses(t *testing.T) {
	c := finishingBy(1, listed("take", int64(2)), pick("fedavg", "weights", "uniform"), pick("all"))
	c.Oracle = true
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, err := engine.Run(t.Context(), &s, engine.Options{})
	if err == nil || !strings.Contains(err.Error(), "the first 2 to finish") {
		t.Errorf("%v", err)
	}
	c = finishingBy(1, pick("speeds"), pick("fedavg", "weights", "stated"), pick("md", "k", int64(3)))
	if _, _, problems := menu(t).Compose(c); len(problems) != 1 ||
		!strings.Contains(problems.Error(), "does not state") {
		t.Errorf("a selection states how often clients are counted, though some may not finish: %v",
			problems)
	}
	delete(c.Picks, "completion")
	if _, _, problems := menu(t).Compose(c); len(problems) > 0 {
		t.Error(problems)
	}
}
