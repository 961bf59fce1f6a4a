package leaderboard

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// The rank of a method is that of its mean, and the confidence set leaves out as many ranks as
// there are methods that differ from it significantly. "same" is the baseline to the bit, "bound"
// does not compete, and the hostile one lacks a seed in the first condition.
func TestStandingsOfMethods(t *testing.T) {
	for method, want := range map[string]string{
		"good":  "α = 1: 1 of 4, 1 to 1, best good; α = 2: 1 of 5, 1 to 1, best good",
		"bad":   "α = 1: 4 of 4, 4 to 4, best good; α = 2: 5 of 5, 5 to 5, best good",
		"same":  "α = 1: 2 of 4, 2 to 3, best good; α = 2: 3 of 5, 2 to 4, best good",
		hostile: "α = 1: partial; α = 2: 2 of 5, 2 to 4, best good",
	} {
		list, err := Standings(example(2), method)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d standings, %v", method, len(list), err)
		}
		got := ""
		for i, p := range list[0].Places {
			if i > 0 {
				got += "; "
			}
			if p.State != "" {
				got += p.Condition + ": " + p.State
				continue
			}
			got += fmt.Sprintf("%s: %d of %d, %d to %d, best %s", p.Condition, p.Rank, p.Of, p.From,
				p.To, p.Best)
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", method, got, want)
		}
		if s := list[0]; s.Metric != "accuracy (%) ↑" || s.Seeds != 5 || s.Title != "Made up" {
			t.Errorf("%s: %+v", method, s)
		}
	}
	if list, err := Standings(example(1), "no such method"); err != nil || len(list) != 0 {
		t.Errorf("of no method: %v, %v", list, err)
	}
}

// Of methods whose true means are known, the confidence set has the true rank in 95 % of
// experiments at least, for the best, for one in the middle, and for one that ties with another, of
// which any of the ranks that they share is true.
func TestConfidenceSetsOfRanksCover(t *testing.T) {
	means := []float64{0, 0.5, 0.5, 1.5, 3}
	ranks := [][2]int{{5, 5}, {3, 4}, {3, 4}, {2, 2}, {1, 1}}
	const experiments = 150
	missed, width := make([]int, len(means)), 0
	for e := range experiments {
		x := reportstest.NewExample("sim", "Simulated", reportstest.Accuracy)
		r := rand.New(rand.NewPCG(uint64(e), 7))
		x.Report.Baseline = "m0"
		shared := make([]float64, 6)
		for i := range shared {
			shared[i] = 70 + 2*r.NormFloat64()
		}
		for m, mean := range means {
			values := make([]float64, len(shared))
			for i := range values {
				values[i] = shared[i] + mean + 0.7*r.NormFloat64()
			}
			x.Add(study.Cell{Method: fmt.Sprint("m", m), Clients: 3, Rounds: 3}, values)
		}
		b := &Board{Runs: []infer.Run{{Name: "sim", Input: x.Input}}, Describe: described}
		for m := range means {
			list, err := Standings(b, fmt.Sprint("m", m))
			if err != nil || len(list) != 1 || len(list[0].Places) != 1 {
				t.Fatal(list, err)
			}
			p := list[0].Places[0]
			if p.To == 0 {
				t.Fatalf("no confidence set: %+v", p)
			}
			width += p.To - p.From + 1
			// The set of ranks that are true is met where both have a rank in common.
			if p.From > ranks[m][1] || p.To < ranks[m][0] {
				missed[m]++
			}
		}
	}
	for m, n := range missed {
		if n > experiments*8/100 { // 5 %, and two standard deviations of that
			t.Errorf("method %d: the set misses the true rank in %d of %d", m, n, experiments)
		}
	}
	if mean := float64(width) / experiments / float64(len(means)); mean > 4 {
		t.Errorf("sets have %.1f of 5 ranks: nothing is told apart", mean)
	}
}
