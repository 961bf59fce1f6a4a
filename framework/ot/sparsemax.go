package ot

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Sparsemax sets dst, of the length of set, to the weights of the cohort set in a plan of least
// variance: dst[k] = max(0, λ_set[k] − ν), with ν so that they sum to 1. That is the point of the
// simplex nearest to λ on the cohort (A. F. T. Martins, R. F. Astudillo. From Softmax to Sparsemax.
// ICML 2016). A cohort whose clients all have λ = −Inf has equal weights.
//
// A client whose λ is 1 or more below that of another one has no weight beside it, and the same is
// added to all λ without a change.
func Sparsemax(dst, lambda tensor.Vector, set []int) {
	for k, i := range set {
		dst[k] = lambda[i]
	}
	sparsemax(dst[:len(set)])
}

// sparsemax replaces x by its projection on the simplex, and by equal shares when every element is
// −Inf.
func sparsemax(x []float64) {
	if len(x) == 0 {
		return
	}
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		for k := range x {
			x[k] = 1 / float64(len(x))
		}
		return
	}
	// Michelot's algorithm, with top at 0: the mean excess of those above ν is a lower bound of ν,
	// until nothing falls below it any more. ν is at least −1.
	nu, count := -1.0, -1
	for {
		sum, n := -1.0, 0
		for _, v := range x {
			if v-top > nu {
				sum += v - top
				n++
			}
		}
		if n == count {
			break
		}
		nu, count = max(nu, sum/float64(n)), n
	}
	for k, v := range x {
		x[k] = math.Max(0, v-top-nu)
	}
}
