package reports

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	level  = 0.05 // of every test, two-sided
	wanted = 0.80 // power at which a difference counts as detectable
	fewest = 3    // seeds below which nothing is tested: of two, t has a single degree of freedom
	few    = 3    // seeds up to which a note says how little a test finds

	unadjusted Outcome = "unadjusted" // tested, and p is not Holm's yet
)

// rounding is by how much numbers of a size may differ and still count as the same: a few
// units in the last place, from the rounding of their computation.
func rounding(size float64) float64 { return 8 * 0x1p-52 * size }

// A pairing is what the differences of two methods say, one difference per seed.
type pairing struct {
	n         int
	mean, sd  float64 // of the differences
	base      float64 // mean of the second method over the same seeds
	t, p      float64 // paired t test of mean 0, two-sided; NaN when not tested
	low, high float64 // 95 % confidence interval of the mean
	outcome   Outcome

	differences []float64 // by seed
	same        float64   // by how much equal differences may differ from rounding
	raw         float64   // p before it was adjusted
}

// pair compares a with b over the seeds that both have.
//
// Differences that are the same in every seed leave a t test nothing to estimate: the
// outcome is Identical when they are zero and Always when not, and there is no p.
func pair(a, b *sample) pairing {
	var d, base []float64
	scale := 0.0
	for i, seed := range a.seeds {
		if j := slices.Index(b.seeds, seed); j >= 0 {
			d = append(d, a.values[i]-b.values[j])
			base = append(base, b.values[j])
			scale = max(scale, math.Abs(a.values[i]), math.Abs(b.values[j]))
		}
	}
	r := pairing{n: len(d), t: math.NaN(), p: math.NaN(), raw: math.NaN(), outcome: Untested,
		low: math.NaN(), high: math.NaN(), mean: math.NaN(), sd: math.NaN(), base: math.NaN(),
		differences: d, same: rounding(scale)}
	if r.n == 0 {
		return r
	}
	r.mean, _ = meanSD(d)
	r.base, _ = meanSD(base)
	if r.n < fewest || !finite(2*scale) {
		return r
	}
	if slices.Max(d)-slices.Min(d) <= r.same {
		r.sd, r.low, r.high, r.outcome = 0, r.mean, r.mean, Always
		if math.Abs(r.mean) <= r.same {
			r.outcome = Identical
		}
		return r
	}
	_, r.sd = meanSD(d)
	r.t, r.p, r.low, r.high = pairedT(d)
	r.raw = r.p
	r.outcome = unadjusted
	return r
}

// meanSD returns the mean and the standard deviation of x. The squares of a run that
// diverged, or of one that converged far, leave the range of a float64: it computes with
// multiples of a power of two.
func meanSD(x []float64) (mean, sd float64) {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || !finite(largest) {
		return stat.MeanStdDev(x, nil)
	}
	_, power := math.Frexp(largest)
	scaled := make([]float64, len(x))
	for i, v := range x {
		scaled[i] = math.Ldexp(v, -power)
	}
	mean, sd = stat.MeanStdDev(scaled, nil)
	return math.Ldexp(mean, power), math.Ldexp(sd, power)
}

// pairedT tests whether differences d, at least two and not all equal, have mean 0:
// Student's t, its two-sided p and the 95 % confidence interval of the mean.
func pairedT(d []float64) (t, p, low, high float64) {
	mean, sd := meanSD(d)
	nu := float64(len(d) - 1)
	se := sd / math.Sqrt(nu+1)
	t = mean / se
	// 1 − CDF would lose the small p that matter: I is accurate down to the last of them.
	p = mathext.RegIncBeta(nu/2, 0.5, nu/(nu+t*t))
	half := tQuantile(1-level/2, nu) * se
	return t, p, mean - half, mean + half
}

// tQuantile is the p-quantile of Student's t with nu degrees of freedom.
func tQuantile(p, nu float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p)
}

// holm adjusts the p-values of a family by Holm's step-down method (Scand. J. Statist.
// 6, 1979), in the order in which they are given.
func holm(p []float64) []float64 {
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

// adjust replaces the p of every tested pairing by Holm's over the family they form, and
// returns the size of that family.
func adjust(family []*pairing) int {
	var tested []*pairing
	var p []float64
	for _, r := range family {
		if r.outcome == unadjusted {
			tested, p = append(tested, r), append(p, r.p)
		}
	}
	for i, adjusted := range holm(p) {
		tested[i].p = adjusted
		tested[i].outcome = Decided
		if adjusted >= level {
			tested[i].outcome = Undecided
		}
	}
	return len(p)
}

// tied returns which of the samples are bold: the one with the best mean and, walking
// down by mean, all that cannot be told from it, up to the first that can. Without the
// walk a noisy method would be bold and a better, steadier one would not. As it is the data
// that say which is the best, p is Holm's over all pairs: adjusted for the pairs with the
// best alone, one of six equal methods would be denied bold in 9 % of tables, not 5 %.
// Nothing is bold when there are no two samples or the best has too few seeds to test.
func tied(samples []*sample, higher bool) []bool {
	best := make([]bool, len(samples))
	order := make([]int, len(samples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return better(samples[a], samples[b], higher)
	})
	if len(samples) < 2 || len(samples[order[0]].values) < fewest {
		return best
	}
	var family []*pairing // those with the best first
	for k, i := range order {
		for _, j := range order[k+1:] {
			r := pair(samples[j], samples[i])
			family = append(family, &r)
		}
	}
	adjust(family)
	best[order[0]] = true
	for k, r := range family[:len(order)-1] {
		if r.outcome == Decided || r.outcome == Always {
			break
		}
		best[order[k+1]] = true
	}
	return best
}

// foremost says which samples are bold where nothing is tested: those with the best mean.
func foremost(samples []*sample, higher bool) []bool {
	best := make([]bool, len(samples))
	if len(samples) < 2 {
		return best
	}
	first := slices.MinFunc(samples, func(a, b *sample) int { return better(a, b, higher) })
	for i, s := range samples {
		best[i] = s.mean() == first.mean()
	}
	return best
}

// better orders samples by mean, best first, and equal means by their values, so that
// the order in which methods are listed decides nothing.
func better(a, b *sample, higher bool) int {
	x, y := a.mean(), b.mean()
	if higher {
		x, y = y, x
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return slices.Compare(a.values, b.values)
}
