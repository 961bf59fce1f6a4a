package audit_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// chosen enrols some clients, and states probabilities.
type chosen struct {
	in     []bool
	chance fl.Vector
}

func (c chosen) Enroll(e *fl.EnrollmentInput) []bool {
	copy(e.Probability, c.chance)
	return c.in
}

// foggy is an availability by probabilities that differ from round to round, which the server
// knows.
type foggy struct{}

func (foggy) Available(r *fl.AvailabilityInput) []int {
	r.Context, r.Inclusion = fl.NewMatrix(r.Roster.N, 1), make(fl.Vector, r.Roster.N)
	ids := r.Room(r.Roster.N)
	for i := range r.Roster.N {
		r.Context.Data[i] = float64((i + r.T) % 2)
		r.Inclusion[i] = 0.25 + 0.5*r.Context.Data[i]
		if r.RNG.Float64() < r.Inclusion[i] {
			ids = append(ids, i)
		}
	}
	return ids
}

func (foggy) Law(pop *fl.Roster) (fl.Law, bool) {
	chance := make(fl.Vector, pop.N)
	chance.Fill(0.5)
	return fl.Law{Sets: [][]int{{0}, {1, 2, 3, 4, 5}}, Q: fl.Vector{0.5, 0.5}, Inclusion: chance,
		Exact: true}, true
}

// oracular is an aggregator whose weights depend on the context of a round, or on its true
// probabilities.
type oracular struct{ oracle bool }

func (a oracular) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := a.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	return fl.Outcome{Params: r.CombineDeltas(w.By)}, nil
}

func (a oracular) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		i := r.Updates[k].Client
		chance := 0.25 + 0.5*r.Context.Row(i)[0]
		if a.oracle {
			if r.Oracle == nil {
				return fl.Weights{}, errors.New("no true probabilities")
			}
			chance = r.Oracle.Enrollment[i] * r.Oracle.Inclusion[i]
		}
		w[k] = r.Roster.Importance[i] / chance
	}
	return fl.Weights{By: w, Deltas: true}, nil
}

// check audits a cell of base in which something was put in place of what it names.
func check(t *testing.T, change func(s *engine.Setup)) *audit.Finding {
	t.Helper()
	c, s := compose(t, "importance = \"uniform\"\n")
	change(s)
	f, err := audit.Audit(c, s, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The enrolled clients, their share of p, and their probabilities; positivity is violated by
// clients that cannot enrol or never participate, and not by those that merely did not enrol.
func TestEnrolment(t *testing.T) {
	nan := math.NaN()
	in := []bool{true, true, true, false, false, true}
	for _, c := range []struct {
		chance fl.Vector
		want   audit.Enrolment
	}{
		{fl.Vector{1, 0.5, 0.5, 0.25, 0.5, 0.25}, audit.Enrolment{Stated: 6, Lowest: 0.25, Mean: 0.5}},
		{fl.Vector{1, 0.5, nan, 0, nan, 0.5}, audit.Enrolment{Stated: 4, Lowest: 0, Mean: 0.5,
			Violations: 1, Violated: 1. / 6, Violators: []int{3}}},
		{fl.Vector{nan, nan, nan, nan, nan, nan}, audit.Enrolment{}},
	} {
		f := check(t, func(s *engine.Setup) { s.Enrollment = chosen{in, c.chance} })
		c.want.Clients, c.want.Share = 4, f.Enrolment.Share
		got := f.Enrolment
		if !slices.Equal(got.Violators, c.want.Violators) || math.Abs(got.Share-4./6) > 1e-12 ||
			math.Abs(got.Violated-c.want.Violated) > 1e-12 {
			t.Errorf("%+v, want %+v", got, c.want)
		}
		got.Violators, c.want.Violators, got.Violated = nil, nil, c.want.Violated
		if got.Clients != c.want.Clients || got.Stated != c.want.Stated ||
			got.Lowest != c.want.Lowest || math.Abs(got.Mean-c.want.Mean) > 1e-12 ||
			got.Violations != c.want.Violations {
			t.Errorf("%+v, want %+v", got, c.want)
		}
		if f.Law.Lowest <= 0 || f.Law.Unreachable != 0 {
			t.Errorf("of those enrolled: %+v", f.Law)
		}
		for i, enrolled := range in {
			if p := f.Effective.P[i]; (p > 0) != enrolled {
				t.Errorf("client %d, enrolled: %t, has weight %v", i, enrolled, p)
			}
		}
	}
	absent := examine(t, "availability = { prior = { name = \"list\", weights = [0, 1, 1, 1, 1, 1] } }\n")
	if e := absent.Enrolment; e.Violations != 1 || !slices.Equal(e.Violators, []int{0}) {
		t.Errorf("%+v", e)
	}
}

// Weights that depend on the context or the true probabilities of a round are read in rounds that
// have them, also where the law is listed: inverse probabilities attain p over the enrolled
// clients. Such weights do not count as learnt.
func TestContextAndTruthAreShown(t *testing.T) {
	for _, oracle := range []bool{false, true} {
		f := check(t, func(s *engine.Setup) {
			s.Availability, s.Aggregator, s.Oracle, s.Rounds = foggy{}, oracular{oracle}, oracle, 20_000
			if oracle {
				s.Aggregator = fl.Weigh(oracular{oracle})
			}
		})
		e := f.Effective
		if e == nil || e.Exact || e.Learns || f.TV > 3*e.Noise || e.Noise > 0.02 {
			t.Fatalf("oracle %t: %+v: %s", oracle, e, f.Why)
		}
		if math.Abs(e.Total-1) > 0.02 { // six clients, each with 1/6 over its probability
			t.Errorf("oracle %t: Σw = %v", oracle, e.Total)
		}
	}
}

// What a weighted sum says of its weights is what unit vectors show.
func TestWeightsAreSaidAsTheyAre(t *testing.T) {
	for _, weights := range []string{"uniform", "ht", "scaled", "importance"} {
		for _, of := range []string{"delta", "params"} {
			var found [2]*audit.Finding
			for k := range found {
				c, s := compose(t, `aggregator = { weights = "`+weights+`", of = "`+of+"\" }\n")
				if k == 1 { // not known to be one
					s.Aggregator = struct{ fl.Aggregator }{s.Aggregator}
				}
				f, err := audit.Audit(c, s, audit.Options{})
				if err != nil {
					t.Fatal(err)
				}
				found[k] = f
			}
			a, b := found[0].Effective, found[1].Effective
			if !within(a.P, b.P, 1e-14) || math.Abs(a.Total-b.Total) > 1e-14 ||
				math.Abs(a.Scale-b.Scale) > 1e-14 || math.Abs(a.ScaleSD-b.ScaleSD) > 1e-12 {
				t.Errorf("%s of %s: %+v, by unit vectors %+v", weights, of, a, b)
			}
		}
	}
}
