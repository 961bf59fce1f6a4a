package infer

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// What tests ask for.
const (
	Alpha       = 0.05 // of every test, two-sided
	targetPower = 0.80 // power at which a difference counts as detectable
	FewestSeeds = 3    // seeds below which nothing is tested: two leave t one degree of freedom
	FewSeeds    = 3    // seeds up to which a note says how little a test finds

	unadjusted Outcome = "unadjusted" // tested, and p is not Holm's yet
)

// Rounding is by how much numbers of a size may differ and still count as the same: a few
// units in the last place, from the rounding of their computation.
func Rounding(size float64) float64 { return 8 * 0x1p-52 * size }

// A Paired is what the differences of two methods say, one difference per seed.
type Paired struct {
	N         int
	Mean, SD  float64 // of the differences
	BaseMean  float64 // mean of the second method over the same seeds
	T, P      float64 // paired t test of mean 0, two-sided; NaN when not tested
	Low, High float64 // 95 % confidence interval of the mean
	Outcome   Outcome

	Differences []float64 // by seed
	Tolerance   float64   // by how much equal differences may differ from rounding
	RawP        float64   // p before it was adjusted
}

// ComparePaired compares a with b over the seeds that both have.
//
// Differences that are the same in every seed leave a t test nothing to estimate: the
// outcome is Identical when they are zero and Constant when not, and there is no p.
func ComparePaired(a, b *Sample) Paired {
	both := make([]float64, 2*len(a.Seeds)) // a table has thousands of pairs
	d, base := both[:0:len(a.Seeds)], both[len(a.Seeds):len(a.Seeds)]
	scale := 0.0
	for i, seed := range a.Seeds {
		if j := slices.Index(b.Seeds, seed); j >= 0 {
			d = append(d, a.Values[i]-b.Values[j])
			base = append(base, b.Values[j])
			scale = max(scale, math.Abs(a.Values[i]), math.Abs(b.Values[j]))
		}
	}
	r := Paired{N: len(d), T: math.NaN(), P: math.NaN(), RawP: math.NaN(), Outcome: Untested,
		Low: math.NaN(), High: math.NaN(), Mean: math.NaN(), SD: math.NaN(), BaseMean: math.NaN(),
		Differences: d, Tolerance: Rounding(scale)}
	if r.N == 0 {
		return r
	}
	r.Mean, _ = MeanSD(d)
	r.BaseMean, _ = MeanSD(base)
	if r.N < FewestSeeds || !Finite(2*scale) {
		return r
	}
	if slices.Max(d)-slices.Min(d) <= r.Tolerance {
		r.SD, r.Low, r.High, r.Outcome = 0, r.Mean, r.Mean, Constant
		if math.Abs(r.Mean) <= r.Tolerance {
			// What is left is rounding, which is no difference to be shown.
			r.Mean, r.Low, r.High, r.Outcome = 0, 0, 0, Identical
		}
		return r
	}
	_, r.SD = MeanSD(d)
	r.T, r.P, r.Low, r.High = pairedT(d)
	r.RawP = r.P
	r.Outcome = unadjusted
	return r
}

// MeanSD returns the mean and the standard deviation of x. The squares of a run that
// diverged, or of one that converged far, leave the range of a float64: it computes with
// multiples of a power of two.
func MeanSD(x []float64) (mean, sd float64) {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || !Finite(largest) {
		return stat.MeanStdDev(x, nil)
	}
	_, power := math.Frexp(largest)
	scaled := make([]float64, 0, usualSeeds) // on the stack
	for _, v := range x {
		scaled = append(scaled, math.Ldexp(v, -power))
	}
	mean, sd = stat.MeanStdDev(scaled, nil)
	return math.Ldexp(mean, power), math.Ldexp(sd, power)
}

// usualSeeds is room for the values of most samples.
const usualSeeds = 32

// pairedT tests whether differences d, at least two and not all equal, have mean 0:
// Student's t, its two-sided p and the 95 % confidence interval of the mean.
func pairedT(d []float64) (t, p, low, high float64) {
	mean, sd := MeanSD(d)
	nu := float64(len(d) - 1)
	se := sd / math.Sqrt(nu+1)
	t = mean / se
	// 1 − CDF would lose the small p that matter: I is accurate down to the last of them.
	p = mathext.RegIncBeta(nu/2, 0.5, nu/(nu+t*t))
	half := tQuantile(1-Alpha/2, nu) * se
	return t, p, mean - half, mean + half
}

// tQuantile is the p-quantile of Student's t with nu degrees of freedom. The pairs of methods of a
// comparison have nearly all the same, so that it is kept: an inverse costs more than the rest of a
// test.
func tQuantile(p, nu float64) float64 {
	key := [2]float64{p, nu}
	if known, ok := tQuantiles.Load(key); ok {
		return known.(float64)
	}
	x := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p)
	tQuantiles.Store(key, x)
	return x
}

// tQuantiles are those that were asked for, by p and degrees of freedom.
var tQuantiles sync.Map

// Holm adjusts the p-values of a family by Holm's step-down method (Scand. J. Statist.
// 6, 1979), in the order in which they are given.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	worst := 0.0
	for k, i := range order {
		worst = max(worst, min(1, float64(len(p)-k)*p[i]))
		adjusted[i] = worst
	}
	return adjusted
}

// AdjustFamily replaces the p of every tested pairing by Holm's over the family they form, and
// returns the size of that family.
func AdjustFamily(family []*Paired) int {
	var tested []*Paired
	var p []float64
	for _, r := range family {
		if r.Outcome == unadjusted {
			tested, p = append(tested, r), append(p, r.P)
		}
	}
	for i, adjusted := range Holm(p) {
		tested[i].P = adjusted
		tested[i].Outcome = Significant
		if adjusted >= Alpha {
			tested[i].Outcome = NotSignificant
		}
	}
	return len(p)
}

// ClearTest forgets all but the difference.
func (r *Paired) ClearTest() {
	r.T, r.P, r.Low, r.High = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	r.Outcome = Untested
}

// IsTested reports whether a t test was made.
func (r *Paired) IsTested() bool { return r.Outcome == Significant || r.Outcome == NotSignificant }

// An Outcome says what a comparison found.
type Outcome string

// The outcomes of a comparison.
const (
	Untested       Outcome = "untested"  // too few seeds, a bound, or not the metric that is tested
	Significant    Outcome = "decided"   // p < 0.05
	NotSignificant Outcome = "undecided" // p ≥ 0.05, which does not show equality
	Constant       Outcome = "always"    // the same difference in every seed: nothing to estimate
	Identical      Outcome = "identical" // no difference in any seed
)
