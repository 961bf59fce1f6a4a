package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A lossHistory is what cohorts send in some rounds: deltas, and losses of the models before.
type lossHistory struct {
	Given      map[string]any
	Start      fl.Vector
	Samples    []int
	Importance fl.Vector
	Cohorts    [][]int
	Losses     []fl.Vector
	Deltas     [][]fl.Vector
	Root       root
}

// follow returns the models that an aggregator makes of a history.
func (h *lossHistory) follow(t *testing.T, a fl.Aggregator) (all []fl.Vector) {
	t.Helper()
	theta := h.Start.Clone()
	r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Roster: &fl.Roster{
		N: len(h.Samples), Importance: h.Importance, Samples: h.Samples}}
	h.Root.give(t, r)
	for round, cohort := range h.Cohorts {
		r.Recycle()
		r.T, r.Global, r.Updates, r.Losses = round, theta, nil, h.Losses[round]
		for k, i := range cohort {
			m := theta.Clone()
			m.Add(h.Deltas[round][k])
			r.Updates = append(r.Updates, fl.Update{Client: i, Samples: h.Samples[i], Params: m})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		all = append(all, theta)
	}
	return all
}

// five is the history of the golden vectors.
func five(t *testing.T) *lossHistory {
	var h lossHistory
	var none any
	golden(t, "fairness", "q-fedavg", &h, &none)
	return &h
}

// Five rounds of cohorts that change, with losses and deltas that differ, agree with the formulas
// as NumPy computes them, to 1e-12: quadratic programmes and projections by enumeration.
//
//hansa:verifies golden aggregator/q-fedavg aggregator/agnostic-fl aggregator/term
//hansa:verifies golden aggregator/delta-fl aggregator/fedmgda-plus
func TestGoldenFairness(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{QFedAvg, AgnosticFL, TERM, DeltaFL, FedMGDA} {
		for _, name := range []string{e.Name, e.Name + " whole", e.Name + " free"} {
			if special := strings.Contains(name, " "); special &&
				name != "delta-fl whole" && name != "fedmgda-plus free" {
				continue
			}
			var h lossHistory
			var want struct{ Rounds []fl.Vector }
			c := golden(t, "fairness", name, &h, &want)
			got := h.follow(t, built(t, e, h.Given))
			if len(got) != 5 || len(want.Rounds) != 5 {
				t.Fatalf("%s: %d rounds, want %d", name, len(got), len(want.Rounds))
			}
			for k := range got {
				c.equal(t, name, got[k], want.Rounds[k])
			}
		}
	}
}

// With the parameters that take away what they add, they are FedAvg, to the bit: q = 0, no ascent,
// no tilt, conformity 1, or weights that may not change of updates that are not normalised.
//
//hansa:verifies equivalence aggregator/q-fedavg aggregator/agnostic-fl aggregator/term
//hansa:verifies equivalence aggregator/delta-fl aggregator/fedmgda-plus
func TestFairnessReducesToFedAvg(t *testing.T) {
	h := five(t)
	for name, c := range map[string]struct {
		e       fl.AggregatorEntry
		given   map[string]any
		weights string
	}{
		"q-FedAvg, q = 0":    {QFedAvg, map[string]any{"q": 0.0, "lr": 0.3}, "uniform"},
		"AFL, no ascent":     {AgnosticFL, map[string]any{"ascent": 0.0}, "self-normalised"},
		"TERM, t = 0":        {TERM, map[string]any{"tilt": 0.0}, "samples"},
		"TERM, t = 0, λ = 1": {TERM, map[string]any{"tilt": 0.0, "share": 1.0}, "samples"},
		"Δ-FL, c = 1":        {DeltaFL, map[string]any{"conformity": 1.0}, "samples"},
		"Δ-FL, c = 1, uniform": {DeltaFL, map[string]any{"conformity": 1.0,
			"weights": "uniform"}, "uniform"},
		"FedMGDA+, ε = 0": {FedMGDA, map[string]any{"epsilon": 0.0, "normalize": false}, "samples"},
	} {
		want := h.follow(t, built(t, FedAvg, map[string]any{"weights": c.weights}))
		for k, got := range h.follow(t, built(t, c.e, c.given)) {
			if !slices.Equal(got, want[k]) {
				t.Errorf("%s: round %d is %v from FedAvg", name, k, got.Distance(want[k]))
			}
		}
	}
}

// The order of the clients does not matter: with numbers from the other end the same losses and
// updates make the same models, to 1e-12.
//
//hansa:verifies invariance aggregator/q-fedavg aggregator/agnostic-fl aggregator/term
//hansa:verifies invariance aggregator/delta-fl aggregator/fedmgda-plus
func TestFairnessHasNoOrder(t *testing.T) {
	h := five(t)
	h.Losses[0][1] = h.Losses[0][3] // two that tie
	turned := *h
	turned.Samples, turned.Importance = reversed(h.Samples), reversed(h.Importance)
	turned.Cohorts, turned.Losses, turned.Deltas = nil, nil, nil
	for k, cohort := range h.Cohorts {
		other := reversed(cohort)
		for j := range other {
			other[j] = len(h.Samples) - 1 - other[j]
		}
		turned.Cohorts = append(turned.Cohorts, other)
		turned.Losses = append(turned.Losses, reversed(h.Losses[k]))
		turned.Deltas = append(turned.Deltas, reversed(h.Deltas[k]))
	}
	for _, e := range []fl.AggregatorEntry{QFedAvg, AgnosticFL, TERM, DeltaFL, FedMGDA} {
		given := map[string]any{}
		if e.Name == "q-fedavg" {
			given["lr"] = 0.1
		}
		want := h.follow(t, built(t, e, given))
		for k, got := range turned.follow(t, built(t, e, given)) {
			if d := got.Distance(want[k]); d > 1e-12 {
				t.Errorf("%s: round %d is %v away", e.Name, k, d)
			}
		}
	}
}

// reversed returns a copy of a list from its end.
func reversed[S ~[]T, T any](list S) S {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// The direction of FedMGDA+ with any weights is a descent direction of every client: its inner
// product with each normalised update is at least its squared norm, to 1e-7.
//
//hansa:verifies theorem aggregator/fedmgda-plus
func TestFedMGDAIsACommonDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for trial := range 100 {
		n, d := 1+rng.IntN(12), 1+rng.IntN(700)
		r := roundOf(&fl.Roster{N: n}, nil, make(fl.Vector, d), models(rng, n, d), upTo(n))
		out, err := built(t, FedMGDA, map[string]any{"epsilon": 1.0}).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		for k, u := range r.Updates {
			along := out.Params.Dot(u.Params) / u.Params.Norm()
			if along < out.Params.Dot(out.Params)-1e-7 {
				t.Errorf("trial %d: update %d has %v along d, less than ‖d‖² = %v", trial, k, along,
					out.Params.Dot(out.Params))
			}
		}
	}
}

// The weights of Δ-FL attain the variational formula of Rockafellar and Uryasev: Σ πᵢFᵢ is the
// least value of η + Σ p̂ᵢ max(0, Fᵢ − η)/c over η, which is attained at one of the losses.
//
//hansa:verifies theorem aggregator/delta-fl
func TestDeltaFLIsTheSuperquantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for range 200 {
		n, c := 1+rng.IntN(9), 0.05+0.95*rng.Float64()
		r := roundOf(&fl.Roster{N: n}, nil, fl.Vector{0}, models(rng, n, 1), upTo(n))
		r.Losses, r.Updates[0].Samples = normal(rng, n), 3
		if n > 2 {
			r.Losses[2] = r.Losses[1]
		}
		out, err := built(t, DeltaFL, map[string]any{"conformity": c}).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for _, eta := range r.Losses {
			value := eta
			for k, u := range r.Updates {
				p := float64(u.Samples) / float64(n+2)
				value += p * max(0, r.Losses[k]-eta) / c
			}
			least = min(least, value)
		}
		if got := out.Weights.Dot(r.Losses); math.Abs(got-least) > 1e-12 {
			t.Errorf("of %v at c = %v: %v, want %v", r.Losses, c, got, least)
		}
	}
}

// As the tilt grows the weights of TERM go from equal ones to the largest loss alone, and the
// objective that they imply from the mean to the maximum; in between it rises.
//
//hansa:verifies theorem aggregator/term
func TestTERMGoesFromMeanToMaximum(t *testing.T) {
	losses := fl.Vector{0.5, 2, 1}
	value := func(tilt float64) float64 {
		rng := rand.New(rand.NewPCG(1, 1))
		r := roundOf(&fl.Roster{N: 3}, nil, fl.Vector{0}, models(rng, 3, 1), upTo(3))
		r.Losses = losses
		out, err := built(t, TERM, map[string]any{"tilt": tilt}).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(out.Weights.Sum() - 1); d > 1e-12 {
			t.Errorf("tilt %v: weights of the first round sum to 1 + %v", tilt, d)
		}
		return out.Weights.Dot(losses)
	}
	last := 0.0
	for _, c := range []struct{ tilt, want, tol float64 }{
		{-900, 0.5, 1e-12}, {-1, math.NaN(), 0}, {0, 3.5 / 3, 1e-15}, {1, math.NaN(), 0},
		{5, math.NaN(), 0}, {900, 2, 1e-12},
	} {
		got := value(c.tilt)
		if !(got > last) || math.Abs(got-c.want) > c.tol {
			t.Errorf("tilt %v: %v after %v, want %v", c.tilt, got, last, c.want)
		}
		last = got
	}
}

// The mixture of AFL stays on the simplex, leaves out clients whose losses are small, and is that
// of N/K times the losses of a cohort: in the mean over all cohorts its ascent is that of all
// clients.
//
//hansa:verifies unbiased aggregator/agnostic-fl
func TestAgnosticAscentIsUnbiased(t *testing.T) {
	const n = 5
	p := fl.Vector{0.2, 0.2, 0.2, 0.2, 0.2}
	losses := fl.Vector{0.1, 0.4, 0.2, 0.3, 0.5}
	ascent := func(cohort []int) fl.Vector {
		rng := rand.New(rand.NewPCG(1, 1))
		r := roundOf(&fl.Roster{N: n, Importance: p}, nil, fl.Vector{0}, models(rng, n, 1), cohort)
		for _, i := range cohort {
			r.Losses = append(r.Losses, losses[i])
		}
		if _, err := built(t, AgnosticFL, map[string]any{"ascent": 0.01}).Aggregate(r); err != nil {
			t.Fatal(err)
		}
		lambda := r.State.Vector("mixture", n)
		if math.Abs(lambda.Sum()-1) > 1e-14 || slices.Min(lambda) < 0 {
			t.Fatalf("mixture %v", lambda)
		}
		return lambda.Clone()
	}
	for k := 1; k < n; k++ { // no share is cut at 0 here, so that the projection is linear
		mean, sets := make(fl.Vector, n), stats.Subsets(n, k)
		for _, cohort := range sets {
			mean.AddScaled(1/float64(len(sets)), ascent(cohort))
		}
		if d := mean.Distance(ascent(upTo(n))); d > 1e-14 {
			t.Errorf("cohorts of %d: the mean ascent is %v from that of all clients", k, d)
		}
	}
}

// A loss below 0 has no powers; q-FedAvg says whose it is. One of 0 has.
func TestQFedAvgOfOddLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	r := roundOf(&fl.Roster{N: 2}, nil, fl.Vector{0}, models(rng, 2, 1), upTo(2))
	r.Losses = fl.Vector{0, 1}
	a := built(t, QFedAvg, map[string]any{"q": 0.5, "lr": 0.1})
	out, err := a.Aggregate(r)
	if err != nil || !out.Params.Finite() || out.Weights[0] > 1e-4*out.Weights[1] {
		t.Errorf("%v, %v", out.Weights, err)
	}
	r.Losses = fl.Vector{1, -0.25}
	const want = "client 1: its loss is -0.25; q-fedavg needs losses that are not negative"
	if _, err := a.Aggregate(r); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// q-FedAvg takes the rate of the local rule in each round, and needs one where that has none.
func TestQFedAvgTakesTheLocalRate(t *testing.T) {
	h := five(t)
	rate := &fl.Schedule{Form: "step", First: 0.2, Gamma: 0.5, Period: 2}
	p := fl.NewParams(nil, fl.Setting{Clients: 5, Rate: rate}, nil)
	a, err := QFedAvg.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	own := h.follow(t, a)
	given := h.follow(t, built(t, QFedAvg, map[string]any{"lr": 0.2}))
	if !slices.Equal(own[1], given[1]) || slices.Equal(own[2], given[2]) {
		t.Error("the rate does not follow the schedule")
	}
	p = fl.NewParams(nil, fl.Setting{Clients: 5}, nil)
	if _, err := QFedAvg.New(p); err != nil {
		t.Fatal(err)
	}
	const want = "lr: 0 stands for the learning rate of the local rule, which has none; give η"
	if got := p.Finish(); len(got) != 1 || got[0].Message != want {
		t.Errorf("problems: %v", got)
	}
}

// upTo returns the numbers 0 to n−1.
func upTo(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// After the first rounds nothing is allocated, of models longer than the stretches that inner
// products are taken of.
func TestFairnessAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := fl.Vector{0.1, 0.2, 0.3, 0.4}
	for _, e := range []fl.AggregatorEntry{QFedAvg, AgnosticFL, TERM, DeltaFL, FedMGDA} {
		given := map[string]any{}
		if e.Name == "q-fedavg" {
			given["lr"] = 0.1
		}
		a := built(t, e, given)
		r := roundOf(&fl.Roster{N: 4, Importance: p}, nil, normal(rng, 1100), models(rng, 4, 1100),
			upTo(4))
		r.Losses = fl.Vector{1, 3, 2, 0.5}
		play := func() {
			r.Recycle()
			if _, err := a.Aggregate(r); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			play()
		}
		if n := testing.AllocsPerRun(10, play); n != 0 {
			t.Errorf("%s: %v allocations", e.Name, n)
		}
	}
}
