package selection_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
)

// calls is what of a selection is called in rounds in which clients are available.
type calls struct {
	*fl.SelectionInput
	last []int // by client: the round in which it was selected last, −1 before
}

// called is a selection input of clients of importance p, of which the server knows when each took
// part last.
func called(p fl.Vector, seed uint64) *calls {
	c := &calls{played(p, seed), slices.Repeat([]int{-1}, len(p))}
	c.Told = func(i int) fl.Report { return fl.Report{Round: c.last[i]} }
	return c
}

// round returns the cohort of a round.
func (c *calls) round(s fl.Selection, t int, available []int) []int {
	if len(available) == 0 {
		return nil // the engine does not ask
	}
	c.Recycle()
	c.T, c.Available = t, available
	cohort := slices.Clone(s.Select(c.SelectionInput))
	for _, i := range cohort {
		c.last[i] = t
	}
	return cohort
}

// Ten rounds of F3AST and of the longest absent, with a round without available clients and one with
// too few, are those that NumPy makes of the rules; rates agree to 1e-12.
//
//hansa:verifies golden selection/f3ast selection/longest-absent
func TestGoldenCohorts(t *testing.T) {
	var want struct {
		K                          int64
		Beta                       float64
		Importance                 fl.Vector
		Available, Cohorts, Absent [][]int
		Rates                      []fl.Vector
	}
	text, err := os.ReadFile("testdata/participation.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	n := len(want.Importance)
	rated := build(t, selection.F3AST, map[string]any{"k": want.K, "beta": want.Beta}, n)
	absent := build(t, selection.LongestAbsent, map[string]any{"k": want.K}, n)
	c, d := called(want.Importance, 1), called(want.Importance, 1)
	for round, available := range want.Available {
		if got := c.round(rated, round, available); !slices.Equal(got, want.Cohorts[round]) {
			t.Errorf("round %d: %v are selected, want %v", round, got, want.Cohorts[round])
		}
		if got := d.round(absent, round, available); !slices.Equal(got, want.Absent[round]) {
			t.Errorf("round %d: %v were absent longest, want %v", round, got, want.Absent[round])
		}
		if len(available) == 0 {
			continue // the rates of this round are those that the next one begins with
		}
		if off := c.Shared.Vector("rate", n).Distance(want.Rates[round]); !(off < 1e-12) {
			t.Errorf("round %d: rates are %v away", round, off)
		}
	}
}

// Theorem: where all clients are available the rates of F3AST go to those that sum to K and make
// Σ pᵢ²/rᵢ least, K·p where none is above 1, to a multiple of β.
//
//hansa:verifies theorem selection/f3ast
func TestRatesGoToTheMinimumOfTheVariance(t *testing.T) {
	const beta = 1e-3
	for _, c := range []struct{ p, want fl.Vector }{
		{fl.Vector{0.1, 0.15, 0.2, 0.25, 0.3}, fl.Vector{0.2, 0.3, 0.4, 0.5, 0.6}},
		{fl.Vector{0.05, 0.1, 0.1, 0.15, 0.6}, fl.Vector{0.125, 0.25, 0.25, 0.375, 1}},
	} {
		s := build(t, selection.F3AST, map[string]any{"k": int64(2), "beta": beta}, 5)
		d := called(c.p, 1)
		for round := range 20_000 {
			d.round(s, round, []int{0, 1, 2, 3, 4})
		}
		for i, r := range d.Shared.Vector("rate", 5) {
			if math.Abs(r-c.want[i]) > 5*beta {
				t.Errorf("p = %v: r = %v of client %d, want %v", c.p, r, i, c.want[i])
			}
		}
	}
}

// Theorem: in the mean over rounds clients count by p, whatever the availability: the mean of pᵢ/rᵢ
// over rounds, 0 where client i does not participate, is pᵢ.
//
//hansa:verifies theorem selection/f3ast aggregator/f3ast
func TestClientsCountByImportanceInTheMean(t *testing.T) {
	const rounds, beta = 100_000, 2e-3
	p, chances := fl.Vector{0.3, 0.1, 0.2, 0.15, 0.25}, fl.Vector{0.15, 0.4, 0.6, 0.8, 1}
	s := build(t, selection.F3AST, map[string]any{"k": int64(2), "beta": beta}, 5)
	d, rng := called(p, 1), rand.New(rand.NewPCG(5, 6))
	mean := make(fl.Vector, 5)
	const settled = 5_000 // rounds after which rates no longer show where they began
	for round := range rounds + settled {
		var available []int
		for i, x := range chances {
			if rng.Float64() < x {
				available = append(available, i)
			}
		}
		for _, i := range d.round(s, round, available) {
			if round >= settled {
				mean[i] += p[i] / d.Shared.Vector("rate", 5)[i] / rounds
			}
		}
	}
	for i, x := range p {
		// Rates follow 1/β rounds: r − π has a variance of about βπ/2, and E 1/r is larger than 1/π
		// by as much over π³. With five deviations of the mean over rounds.
		pi := chances[i]
		if off := math.Abs(mean[i]/x - 1); off > beta/pi+5/math.Sqrt(rounds*pi/2) {
			t.Errorf("client %d counts %v, want %v", i, mean[i], x)
		}
	}
}

// As many as are available, and no more: the longest absent are then all, and F3AST is, with rates of
// 1 where that is so in every round.
//
//hansa:verifies equivalence selection/longest-absent selection/f3ast
func TestWithAllClientsTheyAreAll(t *testing.T) {
	p := fl.Vector{0.4, 0.3, 0.2, 0.1}
	for name, e := range map[string]fl.SelectionEntry{"f3ast": selection.F3AST,
		"longest-absent": selection.LongestAbsent} {
		s, d := build(t, e, map[string]any{"k": int64(4)}, 4), called(p, 1)
		for round := range 20 {
			if got := d.round(s, round, []int{0, 1, 2, 3}); !slices.Equal(got, []int{0, 1, 2, 3}) {
				t.Errorf("%s: %v of four clients", name, got)
			}
		}
		if name != "f3ast" {
			continue
		}
		for _, r := range d.Shared.Vector("rate", 4) {
			if math.Abs(r-1) > 1e-14 {
				t.Errorf("with all clients in every round a rate is %v", r)
			}
		}
	}
}

// Where all are available the longest absent take turns: no client waits for more than N/K rounds,
// rounded up. One that was away is the first to be selected afterwards.
//
//hansa:verifies theorem selection/longest-absent
func TestTheLongestAbsentTakeTurns(t *testing.T) {
	s, d := build(t, selection.LongestAbsent, map[string]any{"k": int64(2)}, 5), called(make(fl.Vector, 5), 1)
	for round := range 60 {
		before := slices.Clone(d.last)
		for _, i := range d.round(s, round, []int{0, 1, 2, 3, 4}) {
			if round-before[i] > 3 {
				t.Errorf("client %d waited from round %d to %d", i, before[i], round)
			}
		}
		if round > 3 && slices.Min(d.last) < round-2 {
			t.Errorf("after round %d the clients took part last in %v", round, d.last)
		}
	}
	for round := 60; round < 65; round++ {
		d.round(s, round, []int{0, 1, 2, 3})
	}
	if got := d.round(s, 65, []int{0, 1, 2, 3, 4}); !slices.Contains(got, 4) {
		t.Errorf("%v are selected, without the one that was away", got)
	}
}

// What the authors' code does, in plain loops of our own. mriberodiaz/f3ast, utils/training_utils.py:
// the derivative of −Σ pᵢ²/rᵢ is 0 for clients that are not available; those with the K largest
// participate, the first of equal ones; rates fall by β and those of the cohort rise by β; weights
// are of the rates after that. mikudehuane/FedLaAvg, train/server.py: the available clients are
// sorted by the round of their last participation, −1 before it, in a stable way, and the first K
// are taken.
//
//hansa:verifies source selection/f3ast selection/longest-absent aggregator/f3ast
func TestCohortsAgreeWithTheAuthorsCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 50 {
		n, k, beta := 4+rng.IntN(6), 1+rng.IntN(3), 0.01+0.3*rng.Float64()
		p := make(fl.Vector, n)
		for i := range p {
			p[i] = 0.1 + rng.Float64()
		}
		p.Scale(1 / p.Sum())
		rated := build(t, selection.F3AST, map[string]any{"k": int64(k), "beta": beta}, n)
		absent := build(t, selection.LongestAbsent, map[string]any{"k": int64(k)}, n)
		c, d := called(p, 1), called(p, 1)
		r, seen := make(fl.Vector, n), slices.Repeat([]int{-1}, n)
		r.Fill(float64(k) / float64(n))
		for round := range 40 {
			available := rng.Perm(n)[:k+rng.IntN(n-k+1)] // with fewer than K that code takes others
			slices.Sort(available)
			chosen, oldest := make([]bool, n), make([]bool, n)
			for range k {
				best, first := -1, -1
				for _, i := range available {
					if !chosen[i] && (best < 0 || p[i]*p[i]/(r[i]*r[i]) > p[best]*p[best]/(r[best]*r[best])) {
						best = i
					}
					if !oldest[i] && (first < 0 || seen[i] < seen[first]) {
						first = i
					}
				}
				chosen[best], oldest[first] = true, true
			}
			gotRated, gotAbsent := c.round(rated, round, available), d.round(absent, round, available)
			for i := range n {
				r[i] *= 1 - beta
				if chosen[i] {
					r[i] += beta
				}
				if oldest[i] {
					seen[i] = round
				}
				if slices.Contains(gotRated, i) != chosen[i] || slices.Contains(gotAbsent, i) != oldest[i] {
					t.Fatalf("trial %d, round %d: %v and %v", trial, round, gotRated, gotAbsent)
				}
			}
			if off := c.Shared.Vector("rate", n).Distance(r); !(off < 1e-12) {
				t.Fatalf("trial %d, round %d: rates are %v away", trial, round, off)
			}
		}
	}
}
