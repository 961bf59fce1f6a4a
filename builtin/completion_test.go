package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// finishingBy returns a cell of six heterogeneous clients, of 3 parameters, with a completion model.
func finishingBy(rounds int, completion, aggregator, selection study.Pick) study.Cell {
	c := stepping(rounds, pick("sgd", "steps", int64(3), "lr", 0.02), aggregator, selection)
	c.Picks["completion"] = completion
	c.Measures = []study.Measure{{Pick: pick("virtual-time"), Key: "time"},
		{Pick: pick("upload"), Key: "up"}, {Pick: pick("download"), Key: "down"}}
	return c
}

// listed are six clients with seconds of their own.
func listed(params ...any) study.Pick {
	return pick("durations", append([]any{"seconds", []any{30.0, 10.0, 20.0, 10.0, 45.0, 5.0}},
		params...)...)
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
		for _, model := range []study.Pick{pick("immediate"), pick("speeds"), listed("jitter", 0.5)} {
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
//hansa:verifies theorem completion/durations
func TestRoundsEndByHand(t *testing.T) {
	const rounds, model = 4, 3 * 4
	for what, c := range map[string]struct {
		of      study.Pick
		heard   int
		seconds float64
	}{
		"all":                           {listed(), 6, 45},
		"a deadline":                    {listed("deadline", 25.0), 4, 25},
		"a deadline that is met":        {listed("deadline", 45.0), 6, 45},
		"a deadline that nobody meets":  {listed("deadline", 4.0), 0, 4},
		"the first three":               {listed("take", int64(3)), 3, 10},
		"the first four by a deadline":  {listed("take", int64(4), "deadline", 19.0), 3, 19},
		"more than there are":           {listed("take", int64(9)), 6, 45},
		"a deadline after the first":    {listed("take", int64(1), "deadline", 19.0), 1, 5},
		"all at once, and the first 2":  {pick("immediate", "take", int64(2)), 2, 0},
		"all at once, by some deadline": {pick("immediate", "deadline", 1.0), 6, 0},
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

// Of clients that arrive at once each is among the first with the same probability, whatever their
// numbers: of six, two are heard in every round, each in a third of them.
//
//hansa:verifies invariance completion/immediate
func TestTiesAreDrawn(t *testing.T) {
	s, w := prepared(t, finishingBy(1, pick("immediate", "take", int64(2)), uniformMean(), pick("all")))
	law, err := engine.CohortLaw(s, w)
	if err != nil {
		t.Fatal(err)
	}
	for i, pi := range law.Inclusion {
		if math.Abs(pi-1.0/3) > 0.02 || law.Exact {
			t.Errorf("client %d is heard in %v of %d rounds, exact: %t", i, pi, law.Draws, law.Exact)
		}
	}
}

// Under a deadline a client participates with the probability that its seconds are within it,
// Φ(ln(T/m)/ρ), times that to be selected and not to drop out. The cohort distribution is exact, by
// enumeration, and simulated rounds agree with it; oracles read the same probabilities.
//
//hansa:verifies theorem completion/durations completion/speeds
func TestInclusionUnderADeadline(t *testing.T) {
	seconds := []float64{30, 10, 20, 10, 45, 5}
	for _, selection := range []study.Pick{pick("all"), pick("uniform-k", "k", int64(3))} {
		c := finishingBy(1, listed("jitter", 0.8, "deadline", 15.0, "dropout", 0.1), uniformMean(),
			selection)
		s, w := prepared(t, c)
		law, err := engine.CohortLaw(s, w)
		if err != nil || !law.Exact || !law.Memoryless || law.Sets == nil {
			t.Fatalf("%v, %+v", err, law)
		}
		asked := 1.0
		if selection.Name == "uniform-k" {
			asked = 0.5
		}
		again := make(fl.Vector, 6)
		for j, set := range law.Sets {
			for _, i := range set {
				again[i] += law.Q[j] * (1 - law.Empty)
			}
		}
		for i, m := range seconds {
			want := 0.9 * asked * 0.5 * math.Erfc(-math.Log(15/m)/0.8/math.Sqrt2)
			if math.Abs(law.Inclusion[i]-want) > 1e-12 || math.Abs(again[i]-want) > 1e-12 {
				t.Errorf("%s: client %d: %v and %v, want %v", selection.Name, i, law.Inclusion[i],
					again[i], want)
			}
		}
		agrees(t, s, w, &law)
	}
}

// agrees compares a law with 20,000 simulated rounds, and with what oracles are told.
func agrees(t *testing.T, s *engine.Setup, w *engine.World, law *fl.Law) {
	t.Helper()
	const rounds = 20_000
	told := *s
	told.Oracle = true
	came, empty := make(fl.Vector, w.Roster.N), 0.0
	err := engine.Simulate(&told, w, 1, rounds, func(turn engine.SimulatedRound) error {
		for _, i := range turn.Cohort {
			came[i] += 1.0 / rounds
		}
		if len(turn.Cohort) == 0 {
			empty += 1.0 / rounds
			return nil
		}
		if d := turn.Oracle.Inclusion.Distance(law.Inclusion); d > 1e-12 {
			t.Fatalf("oracles read %v, the law has %v", turn.Oracle.Inclusion, law.Inclusion)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, pi := range law.Inclusion {
		if math.Abs(came[i]-pi) > 5*math.Sqrt(pi*(1-pi)/rounds) {
			t.Errorf("client %d participates in %v of rounds, the law says %v", i, came[i], pi)
		}
	}
	if e := law.Empty; math.Abs(empty-e) > 5*math.Sqrt(e*(1-e)/rounds) {
		t.Errorf("%v of rounds are empty, the law says %v", empty, e)
	}
}

// Weights by inclusion after completion are unbiased under a deadline, and those by importance are
// not: the audit finds p and another distribution, both exactly.
//
//hansa:verifies unbiased completion/durations
func TestAuditSeesTheDeadline(t *testing.T) {
	for _, x := range []struct {
		weights string
		most    float64
	}{{"ht", 1e-12}, {"uniform", 0}} {
		c := finishingBy(1, listed("jitter", 0.8, "deadline", 15.0), pick("fedavg", "weights", x.weights),
			pick("uniform-k", "k", int64(3)))
		c.Law = true
		s, _ := prepared(t, c)
		f, err := audit.Audit(c, s, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Effective == nil || !f.Effective.Exact || !f.Law.Exact {
			t.Fatalf("%s: %+v", x.weights, f)
		}
		if x.most > 0 && f.TV > x.most || x.most == 0 && f.TV < 0.1 {
			t.Errorf("%s: p̃ is %v from p", x.weights, f.TV)
		}
		if !slices.ContainsFunc(f.Notes, func(n string) bool {
			return strings.Contains(n, "completion durations")
		}) {
			t.Errorf("%s: notes %q", x.weights, f.Notes)
		}
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
