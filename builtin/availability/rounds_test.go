package availability_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/registry"
)

// lasting are the models in which a round depends on those before, with some parameters.
func lasting() map[string]func(t testing.TB, n int) *nature {
	model := func(e fl.AvailabilityEntry, given map[string]any) func(testing.TB, int) *nature {
		return func(t testing.TB, n int) *nature { return open(t, e, given, n) }
	}
	return map[string]func(testing.TB, int) *nature{
		"logistic": model(availability.Logistic, map[string]any{"coefficients": []any{0.8, -1.0}}),
		"without context": model(availability.Logistic,
			map[string]any{"coefficients": []any{0.8, -1.0}, "context": 0.0}),
		"markov":  model(availability.Markov, map[string]any{"rate": 0.3, "prior": rising()}),
		"cyclic":  model(availability.Cyclic, map[string]any{"turn": int64(2), "duty": int64(5)}),
		"diurnal": model(availability.Diurnal, nil),
		"shared":  model(availability.Diurnal, map[string]any{"phase": "shared"}),
		"correlated": model(availability.Correlated,
			map[string]any{"rate": 0.3, "prior": rising(), "persistence": 0.5}),
	}
}

// What a round costs follows those enrolled, not the population: the same number of them in ten
// and a hundred times as many clients.
func BenchmarkRounds(b *testing.B) {
	const enrolled = 10_000
	for _, name := range slices.Sorted(maps.Keys(lasting())) {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				x := lasting()[name](b, n)
				x.reach.Roster.Enrolled = make([]bool, n)
				for k := range enrolled {
					x.reach.Roster.Enrolled[k*(n/enrolled)] = true
				}
				x.round(0)
				b.ReportAllocs()
				round := 0
				for b.Loop() {
					round++
					x.round(round)
				}
			})
		}
	}
}

// After the first round nothing is allocated, and no random number is drawn for clients that are
// not enrolled, none of which is available except in whole blocks.
func TestRoundsCostThoseEnrolled(t *testing.T) {
	const n, rounds = 9_000, 20
	for name, make := range lasting() {
		x := make(t, n)
		x.enrol()
		x.round(0)
		x.source.draws = 0
		round := 0
		allocated := testing.AllocsPerRun(rounds-1, func() {
			round++
			for _, i := range x.round(round) {
				if i%3 != 0 && name != "cyclic" {
					t.Fatalf("%s: client %d is available, but not enrolled", name, i)
				}
			}
		})
		if allocated != 0 {
			t.Errorf("%s: %v allocations a round", name, allocated)
		}
		// Two for each, and some more that the normal distribution rejects.
		if x.source.draws > 22*rounds*n/3/10 {
			t.Errorf("%s: %d random numbers in %d rounds", name, x.source.draws, rounds)
		}
	}
}

// Draws made once are the same for a client for any enrolment, and clients that are not enrolled
// have a probability, too.
func TestEnrolmentMovesNoPhase(t *testing.T) {
	const n = 30
	for name, make := range lasting() {
		all, some := make(t, n), make(t, n)
		some.enrol()
		all.round(0)
		some.round(0)
		if all.reach.Inclusion == nil {
			continue
		}
		for i, pi := range some.reach.Inclusion {
			if !(pi > 0 && pi < 1) {
				t.Errorf("%s: the probability of client %d is %v", name, i, pi)
			}
			if i%3 == 0 && name != "logistic" && pi != all.reach.Inclusion[i] {
				t.Errorf("%s: the probability of client %d is %v, and %v if all are enrolled",
					name, i, pi, all.reach.Inclusion[i])
			}
		}
	}
}

// correlation returns the correlation of pairs of numbers.
func correlation(x, y fl.Vector) float64 {
	n, mx, my := float64(len(x)), x.Sum()/float64(len(x)), y.Sum()/float64(len(y))
	xy, xx, yy := 0.0, 0.0, 0.0
	for k := range x {
		xy += (x[k] - mx) * (y[k] - my) / n
		xx += (x[k] - mx) * (x[k] - mx) / n
		yy += (y[k] - my) * (y[k] - my) / n
	}
	return xy / math.Sqrt(xx*yy)
}

// Clients of a chain are on as often as their rates say from the first round on, stay as long as
// they should, and their presence is correlated as in the chain.
//
//hansa:verifies theorem availability/markov
func TestMarkovChains(t *testing.T) {
	const n, rounds, rate, stay = 2000, 150, 0.3, 8
	x := open(t, availability.Markov, map[string]any{"rate": rate, "stay": float64(stay)}, n)
	came := make([]fl.Vector, rounds)
	left, spells := 0.0, 0.0
	for round := range came {
		came[round] = indicator(x.round(round), n)
		if sd := math.Sqrt(n * rate * (1 - rate)); math.Abs(came[round].Sum()-n*rate) > 5*sd {
			t.Fatalf("round %d: %v participated", round, came[round].Sum())
		}
		for i := range n {
			if round > 0 && came[round-1][i] == 1 {
				spells++
				left += 1 - came[round][i]
			}
		}
	}
	if got := spells / left; math.Abs(got-stay) > 5*stay/math.Sqrt(left) {
		t.Errorf("clients stay for %v rounds, want %v", got, stay)
	}
	chain := stats.Chain{Rise: rate / (1 - rate) / stay, Fall: 1.0 / stay}
	for _, lag := range []int{1, 2, 5, 20} {
		got := correlation(slices.Concat(came[:rounds-lag]...), slices.Concat(came[lag:]...))
		if want := chain.Autocorrelation(lag); math.Abs(got-want) > 0.012 {
			t.Errorf("at lag %d presence is correlated by %v, want %v", lag, got, want)
		}
	}
}

// The context is standard normal in every round, correlated by φ per round, and the stated
// probabilities are those of the formula.
//
//hansa:verifies theorem availability/logistic
func TestLogisticContext(t *testing.T) {
	const n, rounds, phi = 5000, 60, 0.8
	given := map[string]any{"coefficients": []any{2.0}, "covariates": []any{"income"},
		"intercept": -1.0, "context": 0.7, "persistence": phi}
	x := open(t, availability.Logistic, given, n)
	z := make([]fl.Vector, rounds)
	for round := range z {
		x.round(round)
		z[round] = fl.Vector(x.reach.Context.Data).Clone()
		square := 0.0
		for i, v := range z[round] {
			square += v * v / n
			score := -1 + 2*x.reach.Roster.Covariates.Row(i)[1] + 0.7*v
			if want := 1 / (1 + math.Exp(-score)); math.Abs(x.reach.Inclusion[i]-want) > 1e-15 {
				t.Fatalf("round %d: client %d participates with %v, want %v", round, i, x.reach.Inclusion[i], want)
			}
		}
		mean := z[round].Sum() / n
		if math.Abs(mean) > 5/math.Sqrt(n) || math.Abs(square-1) > 5*math.Sqrt(2.0/n) {
			t.Fatalf("round %d: Z has mean %v and variance %v", round, mean, square-mean*mean)
		}
	}
	for _, lag := range []int{1, 3, 10} {
		got := correlation(slices.Concat(z[:rounds-lag]...), slices.Concat(z[lag:]...))
		if want := math.Pow(phi, float64(lag)); math.Abs(got-want) > 0.015 {
			t.Errorf("at lag %d Z is correlated by %v, want %v", lag, got, want)
		}
	}
	given["context"] = int64(0)
	bare := open(t, availability.Logistic, given, n)
	bare.round(0)
	if bare.reach.Context.Cols != 0 || !near(bare.reach.Inclusion, bare.law(t).Inclusion, 0) {
		t.Error("without a coefficient there is a context")
	}
}

// Every client is on for d rounds of every period, block after block, and the law is that of a
// uniform phase, cohort by cohort.
//
//hansa:verifies theorem availability/cyclic
func TestCyclic(t *testing.T) {
	for _, c := range [][4]int{{4, 1, 0, 10}, {4, 1, 2, 10}, {3, 4, 2, 7}, {2, 2, 3, 5}, {1, 5, 2, 3},
		{5, 1, 4, 5}, {3, 2, 6, 4}, {6, 3, 14, 6}, {6, 3, 17, 6}} {
		blocks, turn, duty, n := c[0], c[1], c[2], c[3]
		given := map[string]any{"blocks": int64(blocks), "turn": int64(turn), "duty": int64(duty)}
		if duty == 0 {
			duty = turn
		}
		x := open(t, availability.Cyclic, given, n)
		period := blocks * turn
		count, empty, seen := make(fl.Vector, n), 0.0, map[string]float64{}
		for round := range 3 * period {
			ids := x.round(round)
			if !slices.IsSorted(ids) {
				t.Fatalf("%v: %v participated", c, ids)
			}
			count.Add(indicator(ids, n))
			if len(ids) == 0 {
				empty += 1 / float64(3*period)
			} else {
				seen[fmt.Sprint(ids)] += 1 / float64(3*period)
			}
			if round >= period {
				continue
			}
			for b := range blocks { // those of a block come together
				lo, hi := b*n/blocks, (b+1)*n/blocks
				if here := indicator(ids, n)[lo:hi].Sum(); here != 0 && here != float64(hi-lo) {
					t.Errorf("%v: round %d: %v of block %d participated", c, round, here, b)
				}
			}
		}
		for i, times := range count {
			if times != float64(3*duty) {
				t.Errorf("%v: client %d participated in %v of 3 periods' rounds", c, i, times)
			}
		}
		law := x.law(t)
		if law.Everyone {
			law.Sets, law.Q = [][]int{x.reach.Everyone()}, fl.Vector{1}
		}
		if len(law.Sets) != len(seen) || math.Abs(law.Empty-empty) > 1e-12 {
			t.Errorf("%v: %d cohorts and Empty %v, want %d and %v", c, len(law.Sets), law.Empty, len(seen), empty)
		}
		for j, set := range law.Sets {
			if want := seen[fmt.Sprint(set)]; math.Abs(law.Q[j]*(1-empty)-want) > 1e-12 {
				t.Errorf("%v: %v has probability %v, want %v", c, set, law.Q[j]*(1-empty), want)
			}
		}
	}
	huge := open(t, availability.Cyclic, map[string]any{"blocks": int64(300_000)}, 1_000_000)
	if law := huge.law(t); law.Sets != nil || law.Inclusion[5] != 1.0/300_000 {
		t.Errorf("%d cohorts are listed", len(law.Sets))
	}
}

// The phase is any round of the period: over seeds each occurs.
func TestCyclicPhases(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(600) {
		x := open(t, availability.Cyclic, map[string]any{"turn": int64(3)}, 4)
		x.reach.Fixed = fl.NewStream(seed, "phase").Rand
		text := ""
		for round := range 12 {
			text += fmt.Sprint(x.round(round))
		}
		met[text]++
	}
	for text, times := range met {
		if math.Abs(float64(times)-50) > 5*math.Sqrt(50) {
			t.Errorf("%s: %d of 600 seeds", text, times)
		}
	}
	if len(met) != 12 {
		t.Errorf("%d phases of 12", len(met))
	}
}

// A day begins anew after its last round and not with it, its probabilities have the mean that is
// stated, and what is cut off is accounted for.
//
//hansa:verifies theorem availability/diurnal
func TestDiurnal(t *testing.T) {
	const n, period = 50, 24
	for _, phase := range []string{"own", "shared"} {
		x := open(t, availability.Diurnal, map[string]any{"phase": phase}, n)
		var day [2 * period]fl.Vector
		for round := range day {
			x.round(round)
			day[round] = x.reach.Inclusion.Clone()
		}
		sum := make(fl.Vector, n)
		for round := range period {
			if !near(day[round], day[round+period], 1e-12) || day[round].Distance(day[round+1]) < 1e-3 {
				t.Errorf("%s: round %d is not the same the next day, or is the round after", phase, round)
			}
			sum.AddScaled(1.0/period, day[round])
		}
		if !near(sum, x.law(t).Inclusion, 1e-12) {
			t.Errorf("%s: the mean of a day is %v", phase, sum)
		}
		slices.Sort(day[0])
		if shared := day[0][0] == day[0][n-1]; shared != (phase == "shared") {
			t.Errorf("%s: probabilities of a round from %v to %v", phase, day[0][0], day[0][n-1])
		}
	}
	for _, c := range [][2]float64{{0.5, 0.4}, {0.5, 0.5}, {0.5, 2}, {0.2, 0.4}, {0.9, 0.4}, {0, 0.3},
		{1, 10}, {0.3, 0}, {0.05, 5}} {
		given := map[string]any{"level": c[0], "amplitude": c[1]}
		got, want := open(t, availability.Diurnal, given, 1).law(t).Inclusion[0], 0.0
		const points = 1 << 16
		for k := range points {
			s := c[0] + c[1]*math.Cos(2*math.Pi*(float64(k)+0.5)/points)
			want += min(1, max(0, s)) / points
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("level %v, amplitude %v: mean %v, want %v", c[0], c[1], got, want)
		}
	}
}

// Two clients of rate 1/2 participate together with probability 1/4 + asin(ρ)/2π (Sheppard), and
// one participates twice in a row with probability 1/4 + asin(ρφ)/2π.
//
//hansa:verifies theorem availability/correlated
func TestCorrelated(t *testing.T) {
	const rounds, rho, phi = 60_000, 0.5, 0.8
	given := map[string]any{"rho": rho, "persistence": phi}
	x := open(t, availability.Correlated, given, 2)
	both, again, last := 0.0, 0.0, fl.Vector{0, 0}
	for round := range rounds {
		now := indicator(x.round(round), 2)
		both += now[0] * now[1] / rounds
		again += last[0] * now[0] / rounds
		last = now
	}
	for what, c := range map[string][2]float64{
		"both":  {both, 0.25 + math.Asin(rho)/(2*math.Pi)},
		"again": {again, 0.25 + math.Asin(rho*phi)/(2*math.Pi)},
	} {
		if math.Abs(c[0]-c[1]) > 0.01 { // rounds are correlated: some 9,000 count
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
	few, many := open(t, availability.Correlated, given, 12).law(t), open(t, availability.Correlated, given, 13).law(t)
	if len(few.Sets) != 4095 || many.Sets != nil || many.Chance != nil || many.Inclusion[12] != 0.5 {
		t.Errorf("%d and %d cohorts are listed", len(few.Sets), len(many.Sets))
	}
}

// What cannot be is one error that says what it is, before anything runs as far as it can be
// known there.
func TestImpossibleModels(t *testing.T) {
	list := func(x ...any) []any { return x }
	for want, c := range map[string]struct {
		e     fl.AvailabilityEntry
		given map[string]any
	}{
		"rate: a client that is on in 0.9 of all rounds and stays for 5 would have to return with a " +
			"probability of 1.8: raise stay to 9": {availability.Markov, map[string]any{"rate": 0.9}},
		"blocks: 7 of 6 clients":           {availability.Cyclic, map[string]any{"blocks": int64(7)}},
		"duty: 5 rounds of a period of 4":  {availability.Cyclic, map[string]any{"duty": int64(5)}},
		"period: 1.5 is outside [2, +Inf)": {availability.Diurnal, map[string]any{"period": 1.5}},
		"rho: 1 is outside [0, 0.999]":     {availability.Correlated, map[string]any{"rho": 1.0}},
		"coefficients: 1 coefficient for 2 covariates: age, income": {availability.Logistic,
			map[string]any{"coefficients": list(1.0)}},
	} {
		in := fl.Setting{Clients: 6, Shape: fl.Shape{Covariates: []string{"age", "income"}}}
		p := new(registry.Registry).Params(c.given, in)
		_, err := c.e.New(p)
		var got []string
		for _, problem := range p.Finish() {
			if !problem.Of("prior") { // there is no importance in this registry
				got = append(got, problem.Message)
			}
		}
		if err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%v, %q, want %q", err, got, want)
		}
	}
}

// A prior that makes an impossible chain is refused when it is known, by the client.
func TestImpossibleChain(t *testing.T) {
	given := map[string]any{"rate": 0.4, "stay": 2.0, "prior": listed(fl.Vector{1, 1, 4})}
	x := open(t, availability.Markov, given, 3)
	if ids := x.round(0); len(ids) > 0 {
		t.Errorf("%v participated", ids)
	}
	const want = "client 2: a client that is on in 0.8 of all rounds and stays for 2 would have to " +
		"return with a probability of 2: raise stay to 4"
	if err := x.reach.Failure(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, ok := x.Law(x.reach.Roster); ok {
		t.Error("there is a law of it")
	}
}
