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

// chains computes a tile in plain Go: two rows and four columns at a time, whose sums stay in
// registers, and then those that are left.
func (t *tile[T]) chains() {
	rows, cols := t.rows&^1, t.cols&^3
	for i := 0; i < rows; i += 2 {
		for j := 0; j < cols; j += 4 {
			t.eight(i, j)
		}
	}
	for i := range t.rows {
		from := cols
		if i >= rows {
			from = 0
		}
		for j := from; j < t.cols; j++ {
			t.one(i, j)
		}
	}
}

// begin returns where the chain of an element begins in a and b.
func (t *tile[T]) begin(i, j int) (a, b *T) {
	return at(t.a, i*t.rowA), at(t.b, j*int(unsafe.Sizeof(*t.b)))
}

// end puts the end of a chain in c.
func (t *tile[T]) end(i, j int, sum T) {
	c := &t.row(i)[j]
	if t.add != 0 {
		sum += *c
	}
	*c = sum
}

// one computes the element at row i and column j.
func (t *tile[T]) one(i, j int) {
	var sum T
	a, b := t.begin(i, j)
	for k := range t.depth {
		sum = fma(*at(a, k*t.stepA), *at(b, k*t.stepB), sum)
	}
	t.end(i, j, sum)
}

// eight computes two rows and four columns from row i and column j on.
func (t *tile[T]) eight(i, j int) {
	var sums [2][4]T
	switch t := any(t).(type) {
	case *tile32:
		eight32(t, any(&sums).(*[2][4]float32), i, j)
	case *tile64:
		eight64(t, any(&sums).(*[2][4]float64), i, j)
	}
	for r := range sums {
		for s, sum := range sums[r] {
			t.end(i+r, j+s, sum)
		}
	}
}

func eight64(t *tile64, sums *[2][4]float64, i, j int) {
	var p0, p1, p2, p3, q0, q1, q2, q3 float64
	a, b := t.begin(i, j)
	for k := range t.depth {
		x, y := *at(a, k*t.stepA), *at(a, t.rowA+k*t.stepA)
		c := (*[4]float64)(unsafe.Pointer(at(b, k*t.stepB)))
		p0, p1 = math.FMA(x, c[0], p0), math.FMA(x, c[1], p1)
		p2, p3 = math.FMA(x, c[2], p2), math.FMA(x, c[3], p3)
		q0, q1 = math.FMA(y, c[0], q0), math.FMA(y, c[1], q1)
		q2, q3 = math.FMA(y, c[2], q2), math.FMA(y, c[3], q3)
	}
	*sums = [2][4]float64{{p0, p1, p2, p3}, {q0, q1, q2, q3}}
}
