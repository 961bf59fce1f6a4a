package infer

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// power returns the probability that a two-sided t test with nu degrees of freedom at
// level alpha rejects when t has the noncentrality delta. The square of a noncentral t is
// a noncentral F with (1, nu) degrees of freedom, whose distribution is a Poisson
// mixture of beta distributions (Johnson, Kotz, Balakrishnan, Continuous Univariate
// Distributions 2, eq. 30.10).
func power(delta, nu, alpha float64) float64 {
	if delta == 0 {
		return alpha
	}
	critical := tQuantile(1-alpha/2, nu)
	x := critical * critical / (nu + critical*critical)
	half := delta * delta / 2 // mean of the Poisson weights
	a, b := 0.5, nu/2
	beta := mathext.RegIncBeta(a, b, x)
	step := math.Pow(x, a) * math.Pow(1-x, b) / (a * mathext.Beta(a, b))
	accept := 0.0
	for j := 0.0; j < half+12*math.Sqrt(half)+60; j++ {
		factorial, _ := math.Lgamma(j + 1)
		accept += beta * math.Exp(j*math.Log(half)-half-factorial)
		beta -= step // I(a+1, b) from I(a, b): Abramowitz, Stegun, eq. 26.5.16
		step *= x * (a + b) / (a + 1)
		a++
	}
	return 1 - accept
}

// detectable returns the smallest mean difference that a two-sided paired t test over n
// seeds at level alpha finds with power 0.8, in standard deviations of the differences.
func detectable(n int, alpha float64) float64 {
	nu := float64(n - 1)
	low, high := 0.0, 1.0
	for power(high, nu, alpha) < targetPower {
		high *= 2
	}
	for range 45 {
		if middle := (low + high) / 2; power(middle, nu, alpha) < targetPower {
			low = middle
		} else {
			high = middle
		}
	}
	return high / math.Sqrt(float64(n))
}
