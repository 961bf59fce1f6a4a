package infer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// EffectSize returns the standardised mean of n paired differences, d_z = mean / sd, times
// Hedges' correction for few of them, J(ν) = Γ(ν/2) / (√(ν/2) Γ((ν−1)/2)) with ν = n − 1
// (Hedges, J. Educ. Stat. 6, 1981, eq. 6e). It is NaN for fewer than three, or without
// spread.
func EffectSize(mean, sd float64, n int) float64 {
	if n < 3 || !(sd > 0) {
		return math.NaN()
	}
	nu := float64(n - 1)
	above, _ := math.Lgamma(nu / 2)
	below, _ := math.Lgamma((nu - 1) / 2)
	return mean / sd * math.Exp(above-below) / math.Sqrt(nu/2)
}

// Superiority returns P(X > Y) + P(X = Y)/2 for x and y drawn from two lists: the measure A₁₂
// of Vargha and Delaney (J. Educ. Behav. Stat. 25, 2000), which Agarwal et al. (NeurIPS 2021)
// call the probability of improvement. Pairs play no part in it. Numbers that rounding alone may
// tell apart are equal. It is NaN for an empty list.
func Superiority(x, y []float64) float64 {
	sum := 0.0
	for _, a := range x {
		for _, b := range y {
			size := max(math.Abs(a), math.Abs(b))
			switch {
			case a == b || Finite(size) && math.Abs(a-b) <= Rounding(size):
				sum += 0.5
			case a > b:
				sum++
			}
		}
	}
	return sum / float64(len(x)*len(y))
}

// InterquartileMean returns the interquartile mean, that of what is left when a quarter, rounded
// down, is cut off at either end, and the interval that Tukey and McLaughlin (Sankhyā A 25, 1963)
// give it: Student's t with h − 1 degrees of freedom for the h values left, and the standard error
// √(SS_w / (h (h − 1))) of the winsorised sum of squares. The interval is NaN for fewer than
// fewest values, and all is NaN where some value is not finite. A percentile bootstrap, which
// is often used, covers 84 % in place of 95 % at five values.
func InterquartileMean(x []float64) (mean, low, high float64) {
	if len(x) == 0 || slices.ContainsFunc(x, func(v float64) bool { return !Finite(v) }) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	y := slices.Sorted(slices.Values(x))
	cut := len(y) / 4
	left := y[cut : len(y)-cut]
	mean, _ = MeanSD(left)
	if len(y) < FewestSeeds {
		return mean, math.NaN(), math.NaN()
	}
	for i := range cut {
		y[i], y[len(y)-1-i] = left[0], left[len(left)-1]
	}
	_, sd := MeanSD(y)
	h, n := float64(len(left)), float64(len(y))
	half := tQuantile(1-Alpha/2, h-1) * sd * math.Sqrt((n-1)/(h*(h-1)))
	return mean, mean - half, mean + half
}

// Equivalence returns p of two one-sided paired t tests (Schuirmann, J. Pharmacokinet.
// Biopharm. 15, 1987): the larger of those of a mean at or below −margin and of one at or
// above margin. It is NaN for fewer than FewestSeeds differences, or without spread.
func Equivalence(mean, sd float64, n int, margin float64) float64 {
	if n < FewestSeeds || !(sd > 0) {
		return math.NaN()
	}
	se := sd / math.Sqrt(float64(n))
	nu := float64(n - 1)
	return max(upper((mean+margin)/se, nu), upper((margin-mean)/se, nu))
}

// upper is the probability that Student's t with nu degrees of freedom exceeds t.
func upper(t, nu float64) float64 {
	beyond := mathext.RegIncBeta(nu/2, 0.5, nu/(nu+t*t)) / 2
	if t < 0 {
		return 1 - beyond
	}
	return beyond
}

// MaxSeedsNeeded is up to how many seeds are said to be needed.
const MaxSeedsNeeded = 1000

// SeedsNeeded returns how many seeds a two-sided paired t test at level alpha takes to find a mean
// difference with power 0.8; 0 when there is none or it takes more than MaxSeedsNeeded.
func SeedsNeeded(mean, sd, alpha float64) int {
	return seedsFor(math.Abs(mean/sd), alpha, targetPower)
}

// seedsFor is SeedsNeeded for a mean in standard deviations, and another power.
func seedsFor(effect, alpha, wanted float64) int {
	finds := func(n int) bool {
		return power(effect*math.Sqrt(float64(n)), float64(n-1), alpha) >= wanted
	}
	normal := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(wanted)
	least := normal * normal / (effect * effect) // if the standard deviation were known
	if !(effect > 0) || least > MaxSeedsNeeded {
		return 0
	}
	low := max(1, int(0.99*least)-1) // it is above low
	high := low + 1
	for step := 1; !finds(high); step *= 2 {
		if high >= MaxSeedsNeeded {
			return 0
		}
		low, high = high, min(high+step, MaxSeedsNeeded)
	}
	for high-low > 1 {
		if middle := (low + high) / 2; finds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
