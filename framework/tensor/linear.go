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
	if !solved(x.RawVector().Data, lu.Cond()) {
		return lu.Cond(), ErrUnsolvable
	}
	copy(dst, x.RawVector().Data)
	return lu.Cond(), nil
}

// SolvePositive is Solve for a symmetric matrix a that is positive definite, of which it reads
// the diagonal and what is above it. If a is not, the error is ErrNotDefinite.
func SolvePositive(dst Vector, a Matrix, b Vector) (condition float64, err error) {
	return SolvePositiveRows(Matrix{1, len(dst), dst}, a, Matrix{1, len(b), b})
}

// SolvePositiveRows is SolvePositive for several right-hand sides, the rows of b, and as many
// solutions, the rows of dst.
func SolvePositiveRows(dst, a, b Matrix) (condition float64, err error) {
	a.mustFit(b.Cols, dst.Cols)
	dst.mustFit(b.Rows, b.Cols)
	if len(dst.Data) == 0 {
		return 1, nil
	}
	c := new(mat.Cholesky)
	if !c.Factorize(mat.NewSymDense(a.Rows, a.Data)) {
		return math.Inf(1), ErrNotDefinite
	}
	x := mat.DenseCopyOf(mat.NewDense(b.Rows, b.Cols, b.Data).T())
	_ = c.SolveTo(x, x)
	if !solved(x.RawMatrix().Data, c.Cond()) {
		return c.Cond(), ErrUnsolvable
	}
	mat.NewDense(dst.Rows, dst.Cols, dst.Data).Copy(x.T())
	return c.Cond(), nil
}

// solved reports whether x is a solution.
func solved(x []float64, condition float64) bool {
	return condition <= math.MaxFloat64 && kernel.Finite(x)
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
