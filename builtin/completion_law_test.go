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

// listed are six clients with seconds of their own.
func listed(params ...any) study.Pick {
	return pick("durations", append([]any{"seconds", []any{30.0, 10.0, 20.0, 10.0, 45.0, 5.0}},
		params...)...)
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
//hansa:verifies theorem completion/durations
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

// Clients that a selection counts several times are counted as often if they finish, and the law has
// the mean of that.
func TestRepeatsThatFinish(t *testing.T) {
	c := finishingBy(400, listed("jitter", 0.8, "deadline", 15.0), uniformMean(), pick("md", "k", int64(4)))
	s, w := prepared(t, c)
	law, err := engine.CohortLaw(s, w)
	if err != nil || !law.Marginals || law.Expected == nil {
		t.Fatalf("%v, %+v", err, law)
	}
	const rounds = 20_000
	counts := make(fl.Vector, 6)
	err = engine.Simulate(s, w, 1, rounds, func(turn engine.SimulatedRound) error {
		for k, i := range turn.Cohort {
			if turn.Times == nil {
				counts[i] += 1.0 / rounds
			} else {
				counts[i] += float64(turn.Times[k]) / rounds
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := counts.Distance(law.Expected); d > 0.05 {
		t.Errorf("counted %v, the law says %v", counts, law.Expected)
	}
	ends(t, c)
}

// Inclusion probabilities that are exact are used however small they are, though cohorts had to be
// simulated and the rarest client was in none of them.
func TestExactInclusionIsNeverThin(t *testing.T) {
	rare := listed("jitter", 0.3, "deadline", 12.0)
	for _, weights := range []string{"ht", "hajek"} {
		s, w := prepared(t, finishingBy(3, rare, pick("fedavg", "weights", weights),
			pick("md", "k", int64(4))))
		law, err := engine.CohortLaw(s, w)
		if err != nil || !law.Marginals || !law.Thin(w.Roster) || law.ThinInclusion(w.Roster) {
			t.Fatalf("%v, %+v", err, law)
		}
		if _, err := engine.Run(t.Context(), s, engine.Options{}); err != nil {
			t.Errorf("%s: %v", weights, err)
		}
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
