package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// observed returns a tally of cohorts {0}, {1}, … drawn counts[j] times each.
func observed(counts ...int) *Tally {
	sets := make([][]int, len(counts))
	for j := range sets {
		sets[j] = []int{j}
	}
	tally := NewTally(sets)
	for j, n := range counts {
		for range n {
			tally.Add(sets[j])
		}
	}
	return tally
}

// TestAgreementByHand uses that χ² with two degrees of freedom exceeds x with probability e^{−x/2}.
func TestAgreementByHand(t *testing.T) {
	const pooled = 1./6 + 169./47 + 196./47
	const joined = 4./6 + 4./10
	third := tensor.Vector{1. / 3, 1. / 3, 1. / 3}
	for _, c := range []struct {
		name   string
		counts []int
		q      tensor.Vector
		want   Agreement
	}{
		{"plain", []int{10, 20, 30}, third, Agreement{10, 2, math.Exp(-5)}},
		{"perfect", []int{20, 20, 20}, third, Agreement{0, 2, 1}},
		// Cells are {3, 4} of 6 expected, {60} of 47 and {33} of 47.
		{"rare cohorts share", []int{3, 60, 33, 4}, tensor.Vector{0.02, 0.47, 0.47, 0.04},
			Agreement{pooled, 2, math.Exp(-pooled / 2)}},
		// Cells are {6, 2} and {1, 2} of 6 expected each; {5} of 4 joins the second.
		{"the last cell is rare", []int{6, 2, 1, 2, 5}, tensor.Vector{3, 3, 3, 3, 4},
			Agreement{joined, 1, math.Erfc(math.Sqrt(joined / 2))}},
		{"impossible", []int{1, 99}, tensor.Vector{0, 1}, Agreement{math.Inf(1), 2, 0}},
		{"all rare", []int{1, 2}, tensor.Vector{0.5, 0.5}, Agreement{0, 0, 1}},
		{"one cohort", []int{7}, tensor.Vector{1}, Agreement{0, 0, 1}},
		{"no draws", []int{0, 0}, tensor.Vector{0.5, 0.5}, Agreement{0, 0, 1}},
		{"nothing to draw", nil, nil, Agreement{0, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := c.q.Clone()
			if total := q.Sum(); total > 0 {
				q.Scale(1 / total)
			}
			got := observed(c.counts...).Against(q)
			if got.Degrees != c.want.Degrees {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if !math.IsInf(c.want.Statistic, 1) || !math.IsInf(got.Statistic, 1) {
				tolerance{1e-12, 0}.one(t, "statistic", got.Statistic, c.want.Statistic)
			}
			tolerance{1e-12, 0}.one(t, "P", got.P, c.want.P)
		})
	}
}

func TestAgreementRejectsStrangers(t *testing.T) {
	tally := observed(50, 50)
	tally.Add([]int{0, 1})
	if a := tally.Against(tensor.Vector{0.5, 0.5}); a.P != 0 {
		t.Errorf("a cohort that is not listed was drawn, and yet P = %v", a.P)
	}
}

// TestAgreementIsCalibrated rejects a correct law in 5 % of all tests at the level of 5 %.
func TestAgreementIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	q := SuccessiveLaw(tensor.Vector{1, 2, 3, 4, 50}, 2)
	rejected := 0
	const tests = 2000
	for range tests {
		counts := make([]int, len(q))
		for range 300 {
			counts[categorical(q, rng)]++
		}
		if observed(counts...).Against(q).P < 0.05 {
			rejected++
		}
	}
	if share := float64(rejected) / tests; math.Abs(share-0.05) > 0.02 {
		t.Errorf("%v of the tests reject, want 0.05", share)
	}
}

// categorical returns j with probability q[j].
func categorical(q tensor.Vector, rng *rand.Rand) int {
	u := rng.Float64()
	for j, p := range q {
		if u -= p; u < 0 {
			return j
		}
	}
	return len(q) - 1
}
