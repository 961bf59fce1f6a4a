package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Plan is what scaling found. Only N numbers are stored, because the weight of
// client i in any cohort A, listed or not, is Y[i, A] = uᵢ / Σ_{k∈A} uₖ.
//
// The entries of LogU may lie hundreds apart: in an infeasible problem some clients
// have priority over others. [Weights] is exact at any distance; exp of an entry is not.
type Plan struct {
	LogU      tensor.Vector // log u, length N, largest 0; −Inf where pᵢ = 0
	Marginal  tensor.Vector // p̃ = Y q, length N: the importance that these weights realise
	Residual  float64       // ‖p̃ − p‖₁
	Sweeps    int           // passes over the cohorts that moved or probed the solution
	Converged bool          // the solver met its criterion; each states its own
}

// Weights sets dst, of the length of set, to the aggregation weights of the cohort set: dst[k] =
// u_set[k] / Σ u over the cohort. They sum to 1. A cohort whose clients all have log u = −Inf has
// equal weights.
func Weights(dst, logU tensor.Vector, set []int) {
	for k, i := range set {
		dst[k] = logU[i]
	}
	softmax(dst[:len(set)])
}

// softmax replaces x by e^x / Σ e^x, and by equal shares when every element is −Inf.
func softmax(x []float64) {
	if len(x) == 0 {
		return
	}
	top := floats.Max(x)
	if math.IsInf(top, -1) {
		top = 0
		clear(x)
	}
	var sum float64
	for k, v := range x {
		x[k] = math.Exp(v - top)
		sum += x[k]
	}
	for k := range x {
		x[k] /= sum
	}
}
