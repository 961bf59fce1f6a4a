package infer

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// OneSided tests the mean of n numbers with a standard deviation by Student's t: above is p of a
// mean at or below 0, small where it is larger; below that of one at or above 0. Both are NaN for
// fewer than two numbers, or without spread.
//
// A test of equivalence (TOST; Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987) is two of them:
// of X − Y + margin and of margin − (X − Y), paired; within a share δ of Y, of X − (1−δ) Y and of
// (1+δ) Y − X, where Y is above 0.
func OneSided(mean, sd float64, n int) (above, below float64) {
	if n < 2 || !(sd > 0) {
		return math.NaN(), math.NaN()
	}
	t, nu := mean/(sd/math.Sqrt(float64(n))), float64(n-1)
	return upper(t, nu), upper(-t, nu)
}

// MeanInterval returns the 95 % confidence interval of the mean of values by Student's t; NaN for
// fewer than FewestSeeds of them. Without spread it is the mean alone.
func MeanInterval(values []float64) (low, high float64) {
	mean, sd := MeanSD(values)
	switch {
	case len(values) < FewestSeeds:
		return math.NaN(), math.NaN()
	case !(sd > 0):
		return mean, mean
	}
	n := float64(len(values))
	half := tQuantile(1-Alpha/2, n-1) * sd / math.Sqrt(n)
	return mean - half, mean + half
}

// SeedsOneSided returns how many seeds a one-sided t test at level alpha takes to find a mean of
// numbers with a standard deviation with a power; 0 where that is more than MaxSeedsNeeded, or the
// mean is not above 0.
func SeedsOneSided(mean, sd, alpha, power float64) int {
	if !(mean > 0) || !(sd > 0) {
		return 0
	}
	return seedsFor(mean/sd, 2*alpha, power) // the other tail is negligible
}

// Signs tests whether numbers are above 0 more often than not, by the sign test (Dixon and Mood, J.
// Am. Stat. Assoc. 41, 1946): of n numbers some are above and some below, and the others neither,
// which counts against both. The first is p of numbers that are above in at most half of all seeds,
// the second that of numbers that are below in at most half.
func Signs(above, below, n int) (p, opposite float64) {
	tail := func(k int) float64 {
		if k == 0 {
			return 1
		}
		return distuv.Binomial{N: float64(n), P: 0.5}.Survival(float64(k - 1))
	}
	return tail(above), tail(below)
}

// SignSeeds returns how many seeds the sign test at level alpha takes to find with a power that
// numbers are above 0, which a share of them is; 0 where that is more than MaxSeedsNeeded, or the
// share is not above a half.
func SignSeeds(share, alpha, power float64) int {
	if !(share > 0.5) {
		return 0
	}
	k := 1
	for n := FewestSeeds; n <= MaxSeedsNeeded; n++ {
		for k <= n {
			if p, _ := Signs(k, 0, n); p <= alpha {
				break
			}
			k++
		}
		found := distuv.Binomial{N: float64(n), P: share}
		if k <= n && (share >= 1 || found.Survival(float64(k-1)) >= power) {
			return n
		}
	}
	return 0
}
