package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The weights of Debias-FedAvg count rounds from the first one on, and go to the inverse of how often
// a client participates, whether rounds are independent or not: clients that wait for two rounds
// after each participation have the share that such a chain has.
//
//hansa:verifies theorem aggregator/debias-fedavg
func TestDebiasFedAvgFindsInverseProbabilities(t *testing.T) {
	const rounds, wait = 200000, 2
	chances := []float64{0.05, 0.2, 0.5, 0.9}
	for _, waits := range []int{0, wait} {
		h := attended{}
		a := h.build(t, DebiasFedAvg).(*fl.WeightedSum)
		state, rng := fl.NewStore(), rand.New(rand.NewPCG(3, 4))
		last, free := make(fl.Vector, len(chances)), make([]int, len(chances))
		for round := range rounds {
			r := &fl.Round{T: round, State: state, Notes: new(fl.Notes),
				Roster: &fl.Roster{N: len(chances)}}
			for i, pi := range chances {
				if round >= free[i] && rng.Float64() < pi {
					r.Updates = append(r.Updates, fl.Update{Client: i})
					free[i] = round + 1 + waits
				}
			}
			if len(r.Updates) == 0 {
				continue
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
			want := 1/pi + float64(waits) // the mean length of an interval
			// Five deviations of the mean of the intervals, of which each has less than 1/π.
			if off := math.Abs(last[i]/want - 1); off > 5/math.Sqrt(rounds/want) {
				t.Errorf("wait %d: 1/π̂ = %v of a client with 1/π = %v", waits, last[i], want)
			}
		}
	}
}

// A client that is first seen in the fifth round counts five times: rounds before count.
//
//hansa:verifies theorem aggregator/debias-fedavg
func TestDebiasFedAvgCountsFromTheFirstRound(t *testing.T) {
	h := attended{Start: fl.Vector{0}, Cohorts: [][]int{{0}, {}, {0}, {}, {0, 1}, {1}}}
	for range h.Cohorts {
		h.Deltas = append(h.Deltas, []fl.Vector{{1}, {10}})
	}
	// 1/π̂ by hand: 1/1, 3/2, 5/3 and 5/1, 6/2.
	want := fl.Vector{0.5, 0.5, 1.25, 1.25, 1.25 + 5.0/6 + 25, 1.25 + 5.0/6 + 25 + 15}
	for k, got := range h.follow(t, DebiasFedAvg) {
		if math.Abs(got[0]-want[k]) > 1e-13 {
			t.Errorf("%v after round %d, want %v", got[0], k, want[k])
		}
	}
}

// The mail of FedAWE: in the first round the initial model for all that are enrolled and absent, and
// in every round the mean for its own clients.
//
//hansa:verifies theorem aggregator/fedawe
func TestFedAWESendsTheMeanToItsClients(t *testing.T) {
	h := attended{}
	a, state := h.build(t, FedAWE), fl.NewStore()
	theta, want := fl.Vector{1, 2}, []map[int]float64{{0: 4, 1: 4, 3: 1}, {1: 6}}
	for round, cohort := range [][]int{{0, 1}, {1}} {
		r := &fl.Round{T: round, Global: theta, State: state, Notes: new(fl.Notes),
			Roster: &fl.Roster{N: 4, Enrolled: []bool{true, true, false, true}}}
		for k, i := range cohort {
			r.Updates = append(r.Updates, fl.Update{Client: i,
				Params: fl.Vector{float64(3 + 3*round + 2*k), 0}})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		got := map[int]float64{}
		for i, m := range out.Mail {
			got[i] = m["model"].Data[0]
		}
		if len(got) != len(want[round]) {
			t.Errorf("round %d: mail is %v, want %v", round, got, want[round])
		}
		for i, x := range want[round] {
			if got[i] != x {
				t.Errorf("round %d: mail of client %d is %v, want %v", round, i, got[i], x)
			}
		}
	}
}

// Theorem, implicit gossip: where clients add nothing to their models, rounds of FedAWE leave the mean
// of all models as it is, whichever clients participate, and bring the models together.
//
//hansa:verifies theorem aggregator/fedawe
func TestFedAWEGossips(t *testing.T) {
	h := attended{}
	a, state, rng := h.build(t, FedAWE), fl.NewStore(), rand.New(rand.NewPCG(16, 17))
	own := []fl.Vector{{1, 0}, {-2, 3}, {5, 1}, {0, -7}, {2, 2}}
	mean := make(fl.Vector, 2)
	for _, x := range own {
		mean.AddScaled(1.0/5, x)
	}
	theta := make(fl.Vector, 2)
	for round := range 300 {
		r := &fl.Round{T: round, Global: theta, State: state, Notes: new(fl.Notes),
			Roster: &fl.Roster{N: 5}}
		cohort := rng.Perm(5)[:2+rng.IntN(2)]
		slices.Sort(cohort)
		for _, i := range cohort {
			r.Updates = append(r.Updates, fl.Update{Client: i, Params: own[i]})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		for _, i := range cohort {
			own[i] = fl.Vector(out.Mail[i]["model"].Data).Clone()
		}
		now := make(fl.Vector, 2)
		for _, x := range own {
			now.AddScaled(1.0/5, x)
		}
		if d := now.Distance(mean); !(d < 1e-13) {
			t.Fatalf("after round %d the mean of all models has moved by %v", round, d)
		}
	}
	for i, x := range own {
		if d := x.Distance(mean); !(d < 1e-9) {
			t.Errorf("model %d is %v from the mean", i, d)
		}
	}
}
