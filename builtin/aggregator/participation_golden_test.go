package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// attended is what some of the clients change in some rounds.
type attended struct {
	Given   map[string]any
	Period  int // rounds after which the rate of clients halves; 0: it does not
	Start   fl.Vector
	Cohorts [][]int
	Deltas  [][]fl.Vector // by round and client

	Importance fl.Vector
	Rates      []fl.Vector // that a selection keeps, by round; nil: none does
}

// build returns an aggregator for clients with a rate.
func (h *attended) build(t *testing.T, e fl.AggregatorEntry) fl.Aggregator {
	t.Helper()
	rate := &fl.Schedule{First: 0.1}
	if h.Period > 0 {
		rate = &fl.Schedule{First: 0.1, Form: "step", Gamma: 0.5, Period: h.Period}
	}
	if c, ok := h.Given["cutoff"].(float64); ok {
		h.Given["cutoff"] = int64(c)
	}
	p := fl.NewParams(h.Given, fl.Setting{Rounds: len(h.Cohorts), Rate: rate}, nil)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", e.Name, err, problems)
	}
	return a
}

// follow returns the model after every round. Empty rounds are not shown to the aggregator.
func (h *attended) follow(t *testing.T, e fl.AggregatorEntry) (all []fl.Vector) {
	t.Helper()
	a, theta, state := h.build(t, e), h.Start.Clone(), fl.NewStore()
	for round, cohort := range h.Cohorts {
		if round == len(h.Cohorts)/2 { // stopped and resumed: only State is left
			a, state = h.build(t, e), state.Clone()
		}
		if len(cohort) > 0 {
			theta = h.step(t, a, state, theta, round)
		}
		all = append(all, theta)
	}
	return all
}

// step returns the model after a round.
func (h *attended) step(t *testing.T, a fl.Aggregator, s *fl.Store, theta fl.Vector,
	round int) fl.Vector {
	t.Helper()
	r := &fl.Round{T: round, Global: theta, State: s, Shared: fl.NewStore(), Notes: new(fl.Notes),
		Roster: &fl.Roster{N: len(h.Deltas[round]), Importance: h.Importance}}
	if h.Rates != nil {
		copy(r.Shared.Vector("rate", r.Roster.N), h.Rates[round])
	}
	for _, i := range h.Cohorts[round] {
		m := theta.Clone()
		m.Add(h.Deltas[round][i])
		r.Updates = append(r.Updates, fl.Update{Client: i, Samples: 1, Params: m})
	}
	out, err := a.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Params.Clone()
}

// remembering are the aggregators that remember earlier rounds of clients.
var remembering = map[string]fl.AggregatorEntry{
	"mifa": MIFA, "mifa, wait": MIFA, "mifa, rates": MIFA, "fedvarp": FedVARP, "fedau": FedAU,
	"fedau, cutoff": FedAU, "debias-fedavg": DebiasFedAvg, "fedlaavg": FedLaAvg,
	"fedlaavg, rates": FedLaAvg, "f3ast": F3AST,
}

// Nine rounds, in which a client comes late, others stay away and one has no participants, are
// those that NumPy computes from the formulas, across a stop after which only the saved state is
// left.
//
//hansa:verifies golden aggregator/mifa aggregator/fedvarp aggregator/fedau
//hansa:verifies golden aggregator/debias-fedavg aggregator/fedlaavg aggregator/f3ast
func TestGoldenParticipation(t *testing.T) {
	for name, e := range remembering {
		var h attended
		var want struct{ Rounds []fl.Vector }
		c := golden(t, "participation", name, &h, &want)
		for k, got := range h.follow(t, e) {
			c.equal(t, name, got, want.Rounds[k])
		}
	}
}

// With all clients in every round they are the plain mean of FedAvg: FedAU and Debias-FedAvg to the
// bit, MIFA and FedVARP to 1e-14, as they add to a sum what changes in it.
//
//hansa:verifies equivalence aggregator/mifa aggregator/fedvarp aggregator/fedau
//hansa:verifies equivalence aggregator/debias-fedavg
func TestFullParticipationIsFedAvg(t *testing.T) {
	var h attended
	var none any
	golden(t, "participation", "mifa", &h, &none)
	h.Given = nil
	for k := range h.Cohorts {
		h.Cohorts[k] = []int{0, 1, 2, 3}
	}
	want := h.follow(t, Naive)
	for name, c := range map[string]struct {
		e      fl.AggregatorEntry
		given  map[string]any
		period int
		tol    float64
	}{
		"MIFA":              {MIFA, nil, 0, 1e-14},
		"MIFA, wait":        {MIFA, map[string]any{"wait": true}, 0, 1e-14},
		"MIFA, rates":       {MIFA, nil, 2, 1e-14},
		"FedVARP":           {FedVARP, nil, 0, 1e-14},
		"FedAU":             {FedAU, nil, 0, 0},
		"FedAU, any length": {FedAU, map[string]any{"cutoff": int64(0)}, 0, 0},
		"Debias-FedAvg":     {DebiasFedAvg, nil, 0, 0},
	} {
		h.Given, h.Period = c.given, c.period
		for k, got := range h.follow(t, c.e) {
			if d := got.Distance(want[k]); d > c.tol*(1+want[k].Norm()) {
				t.Errorf("%s: round %d is %v from FedAvg", name, k, d)
			}
		}
	}
}

// In the mean over all cohorts of two of four clients, the step of FedVARP is the mean of all
// deltas, whatever its memory holds.
//
//hansa:verifies unbiased aggregator/fedvarp
func TestFedVARPIsUnbiased(t *testing.T) {
	var h attended
	var none any
	golden(t, "participation", "fedvarp", &h, &none)
	h.Given = nil
	a, state, theta := h.build(t, FedVARP), fl.NewStore(), h.Start
	for round := range 4 {
		theta = h.step(t, a, state, theta, round)
	}
	mean, want, last := make(fl.Vector, len(theta)), theta.Clone(), 5
	for i := range 4 {
		want.AddScaled(1.0/4, h.Deltas[last][i])
		for j := range i {
			h.Cohorts[last] = []int{j, i}
			mean.AddScaled(1.0/6, h.step(t, h.build(t, FedVARP), state.Clone(), theta, last))
		}
	}
	if d := mean.Distance(want); d > 1e-14 {
		t.Errorf("the mean over cohorts is %v from full participation", d)
	}
}

// The weights of FedAU converge to the inverse of the probability with which a client participates,
// and with a longest interval K_c to (1 − (1 − π)^K_c)/π.
//
//hansa:verifies theorem aggregator/fedau
func TestFedAUFindsInverseProbabilities(t *testing.T) {
	const rounds = 200000
	chances := []float64{0.05, 0.2, 0.5, 1}
	for _, cutoff := range []int64{0, 4, 50} {
		h := attended{Given: map[string]any{"cutoff": cutoff}}
		a := h.build(t, FedAU).(*fl.WeightedSum)
		state, rng := fl.NewStore(), rand.New(rand.NewPCG(1, 2))
		last := make(fl.Vector, len(chances))
		for round := range rounds {
			r := &fl.Round{T: round, State: state, Notes: new(fl.Notes),
				Roster: &fl.Roster{N: len(chances)}}
			for i, pi := range chances {
				if rng.Float64() < pi {
					r.Updates = append(r.Updates, fl.Update{Client: i})
				}
			}
			w, err := a.Weights(r)
			if err != nil {
				t.Fatal(err)
			}
			for k := range r.Updates {
				last[r.Updates[k].Client] = w.By[k] * float64(len(chances))
			}
		}
		for i, pi := range chances {
			want := 1 / pi
			if cutoff > 0 {
				want *= 1 - math.Pow(1-pi, float64(cutoff))
			}
			// Five deviations of the mean of about 10⁴ intervals or more, each of at most 1/π.
			if off := math.Abs(last[i]/want - 1); off > 5/math.Sqrt(rounds*pi) {
				t.Errorf("cutoff %d: ω = %v of a client with π = %v, want %v", cutoff, last[i], pi,
					want)
			}
		}
	}
}

// What a client sent last counts while it is away, in MIFA with the weight 1/N; before all were
// seen MIFA with wait does not move.
//
//hansa:verifies theorem aggregator/mifa
func TestMIFARemembersTheAbsent(t *testing.T) {
	h := attended{Start: fl.Vector{0}, Cohorts: [][]int{{0}, {1}, {1}, {0, 2}},
		Deltas: [][]fl.Vector{{{3}, {0}, {0}}, {{0}, {6}, {0}}, {{0}, {9}, {0}}, {{-3}, {0}, {3}}}}
	for name, want := range map[string]fl.Vector{"zeros": {1, 4, 8, 11}, "wait": {0, 0, 0, 3}} {
		h.Given = map[string]any{"wait": strings.HasPrefix(name, "wait")}
		for k, got := range h.follow(t, MIFA) {
			if math.Abs(got[0]-want[k]) > 1e-14 {
				t.Errorf("%s: %v after round %d, want %v", name, got[0], k, want[k])
			}
		}
	}
}

// What participation rules make of a cohort does not depend on which client is called what: with the
// numbers of clients reversed, in all of nine rounds, models differ by rounding alone.
//
//hansa:verifies invariance aggregator/mifa aggregator/fedvarp aggregator/fedau
//hansa:verifies invariance aggregator/debias-fedavg aggregator/fedlaavg aggregator/f3ast
func TestNumbersOfClientsDoNotMatter(t *testing.T) {
	for name, e := range remembering {
		var h attended
		var none any
		golden(t, "participation", name, &h, &none)
		want := h.follow(t, e)
		n := len(h.Importance)
		slices.Reverse(h.Importance)
		for round := range h.Cohorts {
			slices.Reverse(h.Deltas[round])
			slices.Reverse(h.Rates[round])
			for k, i := range h.Cohorts[round] {
				h.Cohorts[round][k] = n - 1 - i
			}
			slices.Sort(h.Cohorts[round])
		}
		for k, got := range h.follow(t, e) {
			if d := got.Distance(want[k]); d > 1e-13*(1+want[k].Norm()) {
				t.Errorf("%s: round %d is %v away", name, k, d)
			}
		}
	}
}
