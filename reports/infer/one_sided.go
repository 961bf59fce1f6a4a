package infer

import "math"

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
