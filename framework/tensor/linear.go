package tensor

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// The errors of linear equations.
var (
	ErrUnsolvable  = errors.New("solve: the matrix is singular or a number is not finite")
	ErrNotDefinite = errors.New("cholesky: the matrix is not positive definite")
)

// Mul sets dst = a·b; dst overlaps neither. It allocates.
func Mul(dst, a, b Matrix) {
	a.mustFit(dst.Rows, b.Rows)
	dst.mustFit(a.Rows, b.Cols)
	kernel.Gemm64(new(kernel.Workspace), kernel.RowMajor(dst.Data, dst.Rows, dst.Cols),
		kernel.RowMajor(a.Data, a.Rows, a.Cols), kernel.RowMajor(b.Data, b.Rows, b.Cols), false)
}

// Solve sets dst to the solution x of a·x = b for a square matrix a, by elimination with row
// exchanges. Of the 16 digits of x about as many are wrong as the condition number of a has
// digits; it is an estimate, in the norm of largest row sums. A matrix that is singular to rounding
// has a condition number of 1e16 or more and mostly a solution, which then means nothing. With
// ErrUnsolvable, dst is as it was. dst may be b. It allocates.
func Solve(dst Vector, a Matrix, b Vector) (condition float64, err error) {
	a.mustFit(len(b), len(dst))
	if len(dst) == 0 {
		return 1, nil
	}
	x, lu := mat.NewVecDense(len(b), b.Clone()), new(mat.LU)
	lu.Factorize(mat.NewDense(a.Rows, a.Cols, a.Data))
	_ = lu.SolveVecTo(x, false, x) // an error repeats the condition number
	return lu.Cond(), dst.take(x, lu.Cond())
}

// SolvePositive is Solve for a symmetric matrix a that is positive definite, of which it reads
// the diagonal and what is above it. If a is not, the error is ErrNotDefinite.
func SolvePositive(dst Vector, a Matrix, b Vector) (condition float64, err error) {
	a.mustFit(len(b), len(dst))
	if len(dst) == 0 {
		return 1, nil
	}
	x, c := mat.NewVecDense(len(b), b.Clone()), new(mat.Cholesky)
	if !c.Factorize(mat.NewSymDense(a.Rows, a.Data)) {
		return math.Inf(1), ErrNotDefinite
	}
	_ = c.SolveVecTo(x, x)
	return c.Cond(), dst.take(x, c.Cond())
}

// take copies a solution, if it is one.
func (v Vector) take(x *mat.VecDense, condition float64) error {
	if !(condition <= math.MaxFloat64) || !kernel.Finite(x.RawVector().Data) {
		return ErrUnsolvable
	}
	copy(v, x.RawVector().Data)
	return nil
}

// Cholesky sets dst to the lower triangular matrix L with a positive diagonal and L·Lᵀ = a, for
// a symmetric positive definite matrix a, of which it reads the diagonal and what is above it.
// Otherwise dst is as it was. L·z has the covariance a if z has independent elements of
// variance 1. dst may be a. It allocates.
func Cholesky(dst, a Matrix) error {
	a.mustFit(dst.Rows, dst.Cols)
	a.mustFit(a.Cols, a.Rows)
	if a.Rows == 0 {
		return nil
	}
	c, l := new(mat.Cholesky), new(mat.TriDense)
	if !c.Factorize(mat.NewSymDense(a.Rows, a.Data)) {
		return ErrNotDefinite
	}
	c.LTo(l)
	for i := range dst.Rows {
		for j := range dst.Cols {
			dst.Data[i*dst.Cols+j] = l.At(i, j)
		}
	}
	return nil
}
