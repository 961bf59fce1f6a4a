package metric

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// weightedMean returns Σ count·x/Σ count.
func weightedMean(x, count fl.Vector) float64 {
	y := x.Clone()
	y.Mul(count)
	return y.Sum() / count.Sum()
}

// variance returns the mean square of x less their mean.
func variance(x, count fl.Vector) float64 {
	mean, square := weightedMean(x, count), 0.0
	for i, v := range x {
		square += count[i] * (v - mean) * (v - mean)
	}
	return square / count.Sum()
}

// jain returns the squared mean over the mean square: 1 where all x are 0.
func jain(x, count fl.Vector) float64 {
	mean := weightedMean(x, count)
	y := x.Clone()
	y.Mul(x)
	square := weightedMean(y, count)
	if square == 0 {
		return 1
	}
	return mean * mean / square
}

// entropy returns 1 less the relative entropy of the shares of x to those of the counts, divided by
// its maximum: 1 where all x are the same.
func entropy(x, count fl.Vector) float64 {
	mean, total, least := weightedMean(x, count), count.Sum(), math.Inf(1)
	if mean == 0 || len(x) == 1 {
		return 1
	}
	relative := 0.0
	for i, v := range x {
		w := count[i] / total
		least = min(least, w)
		if v != 0 { // s log(s/w) = w·(x/x̄)·log(x/x̄)
			relative += w * v / mean * math.Log(v/mean)
		}
	}
	return 1 - relative/math.Log(1/least)
}

// largest returns the mean of the largest x of which so many count, the last in part.
func largest(x, count fl.Vector, most float64) float64 {
	order := tensor.ArgSort(make([]int, 0, len(x)), x)
	left, from := most, len(order)
	for from > 0 && left > 0 {
		from--
		left -= count[order[from]]
	}
	y := make(fl.Vector, 0, len(x))
	for k, i := range order[from:] {
		n := count[i]
		if k == 0 {
			n += min(left, 0)
		}
		y = append(y, n*x[i])
	}
	return y.Sum() / most
}
