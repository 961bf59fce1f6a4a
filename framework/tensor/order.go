package tensor

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// Median sets dst[j] to the median of xs[0][j], xs[1][j], …: of an even number of values, to
// the mean of the two in the middle. There must be at least one vector, and all must be as
// long as dst. It allocates one column.
func Median(dst Vector, xs [][]float64) {
	column := newColumn(dst, xs)
	n := len(xs)
	for j := range dst {
		sorted := column.at(xs, j)
		dst[j] = sorted[n/2]
		if n%2 == 0 {
			dst[j] = sorted[n/2-1]/2 + sorted[n/2]/2
		}
	}
}

// TrimmedMean sets dst[j] to the mean of xs[0][j], xs[1][j], … without the trim smallest and
// the trim largest of them; 2·trim must be less than len(xs), and all vectors as long as dst.
// It allocates one column.
//
//	D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed Learning:
//	Towards Optimal Statistical Rates. ICML 2018, Definition 2.
func TrimmedMean(dst Vector, xs [][]float64, trim int) {
	if trim < 0 || 2*trim >= len(xs) {
		panic("tensor: nothing is left of a trimmed mean")
	}
	column := newColumn(dst, xs)
	for j := range dst {
		sum := 0.0
		for _, x := range column.at(xs, j)[trim : len(xs)-trim] {
			sum += x
		}
		dst[j] = sum / float64(len(xs)-2*trim)
	}
}

// A column holds what several vectors have at one index.
type column []float64

func newColumn(dst Vector, xs [][]float64) column {
	if len(xs) == 0 {
		panic("tensor: no vectors")
	}
	for _, x := range xs {
		mustFit(len(x), len(dst))
	}
	return make(column, len(xs))
}

// at returns the values at index j, ascending, until the next call.
func (c column) at(xs [][]float64, j int) []float64 {
	for k, x := range xs {
		c[k] = x[j]
	}
	slices.Sort(c)
	return c
}

// ArgSort sets order to the indices of v by ascending value; equal values keep their order.
// It panics unless both are of one length.
func ArgSort(order []int, v Vector) {
	mustFit(len(order), len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
}

// Softmax sets dst to eˣ/Σeˣ, which does not overflow, and returns log Σ eˣ. dst may be x.
func Softmax(dst, x Vector) float64 { return kernel.Softmax(dst, x) }

// Clamp moves every element of v to the nearest number of [lo, hi].
func (v Vector) Clamp(lo, hi float64) {
	for i, x := range v {
		v[i] = min(max(x, lo), hi)
	}
}

// PairwiseDistances sets dst[i, j] to the Euclidean distance between xs[i] and xs[j]; dst is
// square, with a row for each vector.
func PairwiseDistances(dst Matrix, xs [][]float64) {
	dst.mustFit(len(xs), len(xs))
	for i, x := range xs {
		dst.Row(i)[i] = 0
		for j := range i {
			d := Vector(x).Distance(xs[j])
			dst.Row(i)[j], dst.Row(j)[i] = d, d
		}
	}
}

// mustFit panics unless two lengths are the same.
func mustFit(n, want int) {
	if n != want {
		panic("tensor: shapes do not fit")
	}
}
