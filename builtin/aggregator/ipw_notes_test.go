package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// crowd is a population of n clients with two covariates, of which some are enrolled.
func crowd(n int, in func(i int, x fl.Vector) bool) *fl.Roster {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	pop := &fl.Roster{N: n, Importance: uniformly(n), Enrolled: make([]bool, n),
		Covariates: fl.Matrix{Rows: n, Cols: 2, Data: normal(rng, 2*n)}, Moments: make(fl.Vector, 2)}
	pop.Covariates.AddMulTVec(pop.Moments, pop.Importance)
	for i := range n {
		pop.Enrolled[i] = in(i, pop.Covariates.Row(i))
	}
	return pop
}

// first is a round of all enrolled clients.
func first(pop *fl.Roster) *fl.Round {
	params, cohort := make([]fl.Vector, pop.N), []int(nil)
	for i := range params {
		params[i] = fl.Vector{float64(i)}
		if pop.Enrolled[i] {
			cohort = append(cohort, i)
		}
	}
	r := roundOf(pop, nil, fl.Vector{0}, params, cohort)
	r.RNG = rand.New(rand.NewPCG(3, 4))
	return r
}

func noted(r *fl.Round, what string) bool {
	return slices.ContainsFunc(r.Notes.All(), func(n string) bool { return strings.Contains(n, what) })
}

// What a reader of the table has to know of an estimate is a note, and nothing else is.
func TestNotesOfEstimates(t *testing.T) {
	often := func(i int, _ fl.Vector) bool { return i%3 != 0 }
	usual := first(crowd(60, often))
	if _, err := build(t, FedIPW, normalised("hajek")).Aggregate(usual); err != nil {
		t.Fatal(err)
	}
	for _, note := range usual.Notes.List() {
		if !strings.HasPrefix(note, "effective sample size: 40") &&
			!strings.HasPrefix(note, "largest weight") && !strings.HasPrefix(note, "share of prob") &&
			!strings.HasPrefix(note, "effective sample size: 3") {
			t.Errorf("an ordinary round has the note %q", note)
		}
	}
	separable := crowd(60, func(_ int, x fl.Vector) bool { return x[0] > 0 })
	constant := crowd(60, often)
	for i := range constant.N {
		constant.Covariates.Row(i)[1] = 7
	}
	for _, c := range []struct {
		pop   *fl.Roster
		given []any
		note  string
	}{
		{separable, nil, "weights are finite only by l2 = 0.001 and the floor"},
		{separable, []any{"l2", 0.0}, "without a penalty l2 its estimate has no end"},
		{constant, nil, "covariate 2: the same for all clients"},
		{constant, []any{"l2", 0.0}, "1 directions of the covariates say nothing of enrolment"},
	} {
		r := first(c.pop)
		next, err := paramsOf(build(t, FedIPW, normalised("hajek", c.given...)), r)
		if err != nil || !next.Finite() || !noted(r, c.note) {
			t.Errorf("%v, %v: notes %q, want %q", next, err, r.Notes.All(), c.note)
		}
	}
}

// Moments beyond the enrolled are noted with their distance, and the nearest attained instead.
func TestMomentsOutOfReach(t *testing.T) {
	pop := crowd(60, func(_ int, x fl.Vector) bool { return x[0] > 0.5 })
	for _, distance := range []string{"quadratic", "entropy"} {
		r := first(pop)
		next, err := paramsOf(build(t, Calibrated, normalised("ht", "distance", distance)), r)
		if err != nil || !next.Finite() || !noted(r, "of the covariates' ranges outside") {
			t.Errorf("%s: %v, %v, notes %q", distance, next, err, r.Notes.All())
		}
		sum := r.State.Vector("calibration", pop.N+1)[:pop.N].Sum()
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: weights sum to %v", distance, sum)
		}
	}
}

// The noise of moments is drawn once, from the server's stream; a solver that knows of it stays
// closer to p.
func TestMomentNoise(t *testing.T) {
	pop := crowd(200, func(_ int, x fl.Vector) bool { return x[0] < 0.5 })
	away := func(given ...any) float64 {
		r := first(pop)
		a := build(t, Calibrated, normalised("ht", given...))
		for range 2 {
			if _, err := a.Aggregate(r); err != nil {
				t.Fatal(err)
			}
		}
		w, met := r.State.Vector("calibration", pop.N+1)[:pop.N], make(fl.Vector, 2)
		pop.Covariates.AddMulTVec(met, w)
		return met.Distance(pop.Moments)
	}
	if d := away(); d > 1e-10 {
		t.Errorf("without noise moments are %g away", d)
	}
	rough := away("moment_noise", 0.05)
	if !(rough > 1e-3 && rough < 0.3) {
		t.Errorf("with noise moments are %g away", rough)
	}
	if again := away("moment_noise", 0.05); again != rough {
		t.Errorf("two runs of one seed have moments %g and %g away", rough, again)
	}
	r := first(pop)
	before := r.RNG.Uint64()
	r.RNG = rand.New(rand.NewPCG(3, 4))
	if _, err := build(t, Calibrated, normalised("ht")).Aggregate(r); err != nil || r.RNG.Uint64() != before {
		t.Errorf("without noise something was drawn, %v", err)
	}
	// With overwhelming noise the solver leaves p as it is.
	r = first(pop)
	if _, err := build(t, Calibrated, normalised("ht", "moment_noise", 50.0, "noise_aware", true)).
		Aggregate(r); err != nil {
		t.Fatal(err)
	}
	w, n := r.State.Vector("calibration", pop.N+1), float64(pop.Enrolment())
	for i, in := range pop.Enrolled {
		if in && math.Abs(w[i]*n-1) > 0.2 {
			t.Errorf("w%d is %v of what it was", i, w[i]*n)
		}
	}
}

// What is missing is said before a run where it can be, and in an error otherwise.
func TestWhatTheyNeed(t *testing.T) {
	known := fl.Setting{Clients: 6, Shape: fl.Shape{Features: 1, Covariates: []string{"age"}}}
	with := func(change func(s *fl.Setting)) fl.Setting {
		s := known
		change(&s)
		return s
	}
	full := with(func(s *fl.Setting) { s.Disclosure = fl.DiscloseFull })
	some := with(func(s *fl.Setting) { s.Disclosure = fl.DiscloseAggregate })
	bare := with(func(s *fl.Setting) { s.Disclosure, s.Shape.Covariates = fl.DiscloseFull, nil })
	granted := with(func(s *fl.Setting) { s.Oracle = true })
	for _, c := range []struct {
		entry fl.AggregatorEntry
		in    fl.Setting
		want  string
	}{
		{FedIPW, full, ""}, {FedIPW, some, `disclosure = "full"`}, {FedIPW, bare, "needs covariates"},
		{Calibrated, full, ""}, {Calibrated, some, ""}, {Calibrated, known, `disclosure = "aggregate"`},
		{Calibrated, bare, "needs covariates"}, {OracleIPW, granted, ""}, {OracleIPW, full, "oracle = true"},
	} {
		err := c.entry.Fits(c.in)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.entry.Name, err, c.want)
		}
	}
	pop := crowd(12, func(i int, _ fl.Vector) bool { return i%2 == 0 })
	pop.Covariates.Row(1).Fill(math.NaN())
	if _, err := build(t, FedIPW, normalised("ht")).Aggregate(first(pop)); err == nil ||
		!strings.Contains(err.Error(), "covariates of some clients are unknown") {
		t.Errorf("undisclosed covariates: %v", err)
	}
	pop.Moments = nil
	if _, err := build(t, Calibrated, normalised("ht")).Aggregate(first(pop)); err == nil ||
		!strings.Contains(err.Error(), "not disclosed") {
		t.Errorf("undisclosed moments: %v", err)
	}
	r := first(pop)
	if _, err := build(t, OracleIPW, normalised("ht")).Aggregate(r); err == nil {
		t.Error("an oracle without true probabilities")
	}
	r.Oracle = &fl.Oracle{Enrollment: make(fl.Vector, 12), Inclusion: make(fl.Vector, 12)}
	if _, err := build(t, OracleIPW, normalised("ht")).Aggregate(r); err == nil ||
		!strings.Contains(err.Error(), "whose probability is 0") {
		t.Errorf("a probability of 0: %v", err)
	}
}

// Clients that do not count are left out: their covariates have no weight, and without a
// participant with p > 0, nothing moves.
func TestClientsThatDoNotCount(t *testing.T) {
	pop := crowd(12, func(i int, _ fl.Vector) bool { return i < 8 })
	pop.Importance = make(fl.Vector, 12)
	pop.Importance[2], pop.Importance[5], pop.Importance[11] = 0.5, 0.25, 0.25
	pop.Covariates.AddMulTVec(pop.Moments, pop.Importance)
	for _, e := range []fl.AggregatorEntry{FedIPW, RoundIPW, Calibrated} {
		for _, by := range []string{"ht", "hajek"} {
			r := first(pop)
			for k, w := range outcome(t, build(t, e, normalised(by)), r).Weights {
				if i := r.Updates[k].Client; (w > 0) != (i == 2 || i == 5) && w != 0 {
					t.Errorf("%s: client %d has weight %v", e.Name, i, w)
				}
			}
			r = first(pop)
			r.Updates = r.Updates[3:5]
			next, err := paramsOf(build(t, e, normalised(by)), r)
			if err != nil || next[0] != r.Global[0] {
				t.Errorf("%s, %s: no participant counts, θ = %v, %v", e.Name, by, next, err)
			}
		}
	}
}
