package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// together draws values of k methods over n seeds, all with mean 0 and variance 1, of which
// methods share a part rho at a seed.
func together(k, n int, rho float64, rng *rand.Rand) [][]float64 {
	methods := make([][]float64, k)
	for j := range methods {
		methods[j] = make([]float64, n)
	}
	for i := range n {
		common := math.Sqrt(rho) * rng.NormFloat64()
		for j := range methods {
			methods[j][i] = common + math.Sqrt(1-rho)*rng.NormFloat64()
		}
	}
	return methods
}

// share returns in which share of trials something happens.
func share(trials int, happens func() bool) float64 {
	n := 0
	for range trials {
		if happens() {
			n++
		}
	}
	return float64(n) / float64(trials)
}

// atMost fails the test if a share of trials is more than three standard errors above what
// is required.
func atMost(t *testing.T, what string, got, required float64, trials int) {
	t.Helper()
	if got > required+3*math.Sqrt(required*(1-required)/float64(trials)) {
		t.Errorf("%s: %.4f, required %.4f", what, got, required)
	}
}

// Of equal methods, one or more are denied bold in at most 5 % of tables, though which is the
// best is read off the same numbers.
func TestBoldRuleErrors(t *testing.T) {
	const trials = 3000
	rng := rand.New(rand.NewPCG(9, 5))
	for _, k := range []int{2, 6} {
		for _, rho := range []float64{0, 0.8} {
			denied := share(trials, func() bool {
				return slices.Contains(BestSet(samples(together(k, 5, rho, rng)...), true), false)
			})
			atMost(t, "tables that deny bold wrongly", denied, Alpha, trials)
		}
	}
}

// Of methods that equal the baseline, one or more have a star in at most 5 % of columns.
func TestStarErrors(t *testing.T) {
	const trials = 3000
	rng := rand.New(rand.NewPCG(4, 9))
	starred := share(trials, func() bool {
		s := samples(together(5, 5, 0.6, rng)...)
		var family []*Paired
		for _, other := range s[1:] {
			r := ComparePaired(other, s[0])
			family = append(family, &r)
		}
		AdjustFamily(family)
		return slices.ContainsFunc(family, func(r *Paired) bool { return r.Outcome == Significant })
	})
	atMost(t, "columns with a wrong star", starred, Alpha, trials)
}

// A 95 % interval covers the true value in 93 to 97 % of trials.
func TestIntervalsCover(t *testing.T) {
	const trials = 6000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		seeds []int
		ends  func(x, y []float64) (low, high float64)
	}{
		{"mean difference", []int{4, 5, 10, 20}, func(x, y []float64) (low, high float64) {
			s := samples(x, y)
			r := ComparePaired(s[0], s[1])
			return r.Low, r.High
		}},
		{"interquartile mean", []int{4, 5, 8, 20}, func(x, _ []float64) (low, high float64) {
			_, low, high = InterquartileMean(x)
			return low, high
		}},
	} {
		for _, n := range c.seeds {
			covered := share(trials, func() bool {
				v := together(2, n, 0.5, rng)
				low, high := c.ends(v[0], v[1])
				return low <= 0 && 0 <= high
			})
			if covered < 0.93 || covered > 0.97 {
				t.Errorf("%s of %d seeds: covered %.4f", c.name, n, covered)
			}
		}
	}
}

// Exact tests reject what is true in at most 5 % of trials, however the noise is distributed,
// as long as it is symmetric; and they do reject.
func TestExactTestErrors(t *testing.T) {
	const trials = 3000
	rng := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct {
		name string
		test func(d []float64) float64
	}{
		{"Wilcoxon", func(d []float64) float64 { _, p := Wilcoxon(d, 0); return p }},
		{"sign flip", func(d []float64) float64 { return SignFlip(d, 0) }},
	} {
		draw := func(shift float64) bool {
			d := make([]float64, 8)
			for i := range d {
				d[i] = shift + math.Tan(math.Pi*(rng.Float64()-0.5)) // Cauchy
			}
			return c.test(d) < Alpha
		}
		atMost(t, c.name, share(trials, func() bool { return draw(0) }), Alpha, trials)
		if found := share(300, func() bool { return draw(20) }); found < 0.8 {
			t.Errorf("%s finds a huge shift in %.2f of trials", c.name, found)
		}
	}
}

// Equivalence is claimed in at most 5 % of trials where the difference is as large as the
// margin, and mostly where there is none.
func TestEquivalenceErrors(t *testing.T) {
	const trials = 3000
	rng := rand.New(rand.NewPCG(2, 8))
	claims := func(difference, margin float64) func() bool {
		return func() bool {
			v := together(2, 6, 0, rng)
			for i := range v[0] {
				v[0][i] += difference
			}
			s := samples(v[0], v[1])
			r := ComparePaired(s[0], s[1])
			return Equivalence(r.Mean, r.SD, r.N, margin) < Alpha
		}
	}
	atMost(t, "claims at the margin", share(trials, claims(2, 2)), Alpha, trials)
	if found := share(300, claims(0, 4)); found < 0.9 {
		t.Errorf("of no difference at all it is claimed in %.2f of trials only", found)
	}
}

// Friedman's test by shuffling keeps its level with few blocks, where its approximation need
// not, and finds what is there.
func TestShuffledRanksErrors(t *testing.T) {
	const trials = 1000
	rng := rand.New(rand.NewPCG(3, 3))
	rejects := func(shift float64) func() bool {
		return func() bool {
			ranks := make([][]float64, 6)
			for i := range ranks {
				x := []float64{rng.NormFloat64() + shift, rng.NormFloat64(), rng.NormFloat64()}
				ranks[i] = Ranks(x, true)
			}
			return PermutationTest(ranks, 199, rng) <= Alpha
		}
	}
	atMost(t, "false alarms", share(trials, rejects(0)), Alpha, trials)
	if found := share(100, rejects(4)); found < 0.95 {
		t.Errorf("a huge difference is found in %.2f of trials", found)
	}
}
