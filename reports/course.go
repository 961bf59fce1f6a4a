package reports

import (
	"math"

	"gonum.org/v1/gonum/integrate"
)

// area returns the mean height of a curve given at ascending rounds: its integral by the
// trapezoidal rule over the rounds that it spans. Of a single point it is the height, of none
// NaN; a value that is not finite makes it NaN.
func area(rounds []int, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	x := make([]float64, len(values))
	for i, v := range values {
		if !finite(v) {
			return math.NaN()
		}
		x[i] = float64(rounds[i])
	}
	if len(values) == 1 {
		return values[0]
	}
	return integrate.Trapezoidal(x, values) / (x[len(x)-1] - x[0])
}

// reached returns the index of the first value that is at least, or for a metric of which
// less is better at most, the target; −1 for none. NaN reaches nothing.
func reached(values []float64, target float64, higher bool) int {
	for i, v := range values {
		if higher && v >= target || !higher && v <= target {
			return i
		}
	}
	return -1
}

// bestOf returns the best of the values of a curve, NaN when none is a number. It flatters: the
// best of 100 values of unit noise lies 2.5 above their mean.
func bestOf(values []float64, higher bool) float64 {
	best := math.NaN()
	for _, v := range values {
		if math.IsNaN(best) || higher && v > best || !higher && v < best {
			best = v
		}
	}
	return best
}
