package tensor

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// An Eigen is the workspace of eigen-decompositions of symmetric matrices. The zero value is ready;
// after the first use at a size, it allocates nothing for that size or a smaller one. One goroutine
// uses it at a time. Its bits depend on the matrix only, not on the machine.
//
// The matrix is brought into tridiagonal form by reflections in blocks, decomposed there by
// divide and conquer, and the eigenvectors are reflected back.
type Eigen struct {
	values  Vector
	vectors Matrix
	reduced reduction
	split   conquest
	space   kernel.Workspace
}

// The errors of Factor.
var (
	ErrNotFinite   = errors.New("eigen: an element or an eigenvalue is NaN or infinite")
	ErrConvergence = errors.New("eigen: the iteration for an eigenvalue does not converge")
)

// Factor decomposes the symmetric matrix a, of which it reads the diagonal and what is below
// it: a = Σₖ values[k]·vₖ·vₖᵀ, where vₖ is row k of vectors. Values ascend; the rows are
// orthonormal, and the largest component of each, the first of them if they are many, is
// positive. Both are right to about n·ε·‖a‖, whatever their own size. The answer is e's, and
// lasts until its next call.
func (e *Eigen) Factor(a Matrix) (values Vector, vectors Matrix, err error) {
	a.mustFit(a.Rows, a.Rows)
	if !kernel.Finite(a.Data) {
		return nil, Matrix{}, ErrNotFinite
	}
	n := a.Rows
	e.resize(n)
	exponent := e.reduced.load(a)
	e.reduced.run(&e.space)
	e.split.begin(&e.reduced, e.vectors.Data, &e.space)
	if err := e.split.solve(0, n); err != nil {
		return nil, Matrix{}, err
	}
	for k, row := range e.split.order[:n] {
		e.values[k] = math.Ldexp(e.split.d[row], exponent)
		copy(e.vectors.Row(k), e.split.row(row, 0, n))
	}
	if !kernel.Finite(e.values) {
		return nil, Matrix{}, ErrNotFinite
	}
	e.reduced.back(e.vectors, &e.space)
	for k := range n {
		orient(e.vectors.Row(k))
	}
	return e.values, e.vectors, nil
}

// resize makes room for n rows.
func (e *Eigen) resize(n int) {
	e.values = room(e.values, n)
	e.vectors = Matrix{Rows: n, Cols: n, Data: room(e.vectors.Data, n*n)}
	e.reduced.resize(n)
	e.split.resize(n)
}

// room returns a slice of length n, v itself if it is long enough.
func room[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// rounded returns the least multiple of 8 that is not below n.
func rounded(n int) int { return (n + 7) &^ 7 }

// apart returns how far rows of n elements should begin from each other: whole cache lines,
// and an odd number of them, so that rows do not share few sets of a cache.
func apart(n int) int { return rounded(n) | 8 }

// spaced returns the matrix whose rows begin stride apart in data.
func spaced(data []float64, rows, cols, stride int) kernel.Matrix[float64] {
	return kernel.Matrix[float64]{Data: data, Rows: rows, Cols: cols, Stride: stride}
}

// orient makes the largest component of a vector positive, the first of them if they are many.
func orient(v Vector) {
	largest, size := 0, 0.0
	for i, x := range v {
		if math.Abs(x) > size {
			largest, size = i, math.Abs(x)
		}
	}
	if v[largest] < 0 {
		kernel.Scale(v, -1)
	}
}
