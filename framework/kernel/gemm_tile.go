package kernel

import (
	"math"
	"unsafe"
)

// A tile is a small product c = a·b, or c += a·b if add is 1. Assembly reads the fields: they are
// in the order of tools/asmgen. Distances are in bytes.
type tile[T float] struct {
	a, b, c           *T
	rowA, stepA       int // from one row to the next, and from one k
	stepB             int // from one k to the next; the columns of a k lie side by side
	rowC              int
	rows, cols, depth int // all at least 1
	add               int
}

type (
	tile32 = tile[float32]
	tile64 = tile[float64]
)

// at returns the place so many bytes behind p, where there must be an element.
func at[T float](p *T, bytes int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), bytes)) }

// row returns row i of c.
func (t *tile[T]) row(i int) []T { return unsafe.Slice(at(t.c, i*t.rowC), t.cols) }

// rowB returns the columns of b at k.
func (t *tile[T]) rowB(k int) []T { return unsafe.Slice(at(t.b, k*t.stepB), t.cols) }

// chains computes a tile of at most 64 columns in plain Go.
func (t *tile[T]) chains() {
	for i := range t.rows {
		var sums [64]T
		c := t.row(i)
		for k := range t.depth {
			extend(sums[:len(c)], *at(t.a, i*t.rowA+k*t.stepA), t.rowB(k))
		}
		for j, sum := range sums[:len(c)] {
			if t.add != 0 {
				sum += c[j]
			}
			c[j] = sum
		}
	}
}

// extend adds a·b to the sums by one fused multiply-add each.
func extend[T float](sums []T, a T, b []T) {
	switch sums := any(sums).(type) {
	case []float32:
		a, b := float32(a), any(b).([]float32)[:len(sums)]
		for j, sum := range sums {
			// This is fma32, which the compiler does not inline.
			s := float64(a)*float64(b[j]) + float64(sum)
			if math.Float64bits(s)<<36 == 0 {
				s = fmaOdd(a, b[j], sum)
			}
			sums[j] = float32(s)
		}
	case []float64:
		a, b := float64(a), any(b).([]float64)[:len(sums)]
		for j, sum := range sums {
			sums[j] = math.FMA(a, b[j], sum)
		}
	}
}
