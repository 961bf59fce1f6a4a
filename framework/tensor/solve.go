package tensor

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Solve returns the solution of a·x = b for a square matrix, and the condition number of a in
// the norm of greatest row sums: of 16 digits, x has lost its logarithm. Of a matrix that is
// singular the condition is +Inf and there is no x. It allocates.
func Solve(a Matrix, b Vector) (x Vector, condition float64) {
	a.mustFit(len(b), len(b))
	var lu mat.LU
	lu.Factorize(mat.NewDense(a.Rows, a.Cols, a.Data))
	if condition = lu.Cond(); math.IsInf(condition, 1) || math.IsNaN(condition) {
		return nil, math.Inf(1)
	}
	x = make(Vector, len(b))
	// A large condition is an error here, too; the caller has it as a number.
	_ = lu.SolveVecTo(mat.NewVecDense(len(x), x), false, mat.NewVecDense(len(b), b))
	return x, condition
}

// Cholesky returns the lower triangular L with L·Lᵀ = a for a symmetric positive definite
// matrix, of which it reads the upper triangle, and whether a is positive definite; if not,
// there is no L. It allocates.
func Cholesky(a Matrix) (l Matrix, ok bool) {
	a.mustFit(a.Rows, a.Rows)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(a.Rows, a.Data)) {
		return Matrix{}, false
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	l = NewMatrix(a.Rows, a.Rows)
	for i := range a.Rows {
		for j := range i + 1 {
			l.Row(i)[j] = lower.At(i, j)
		}
	}
	return l, true
}

// SolveCholesky returns the solution of L·Lᵀ·x = b for the L of Cholesky. It allocates.
func SolveCholesky(l Matrix, b Vector) Vector {
	l.mustFit(len(b), len(b))
	x := b.Clone()
	for i := range x {
		x[i] = (x[i] - l.Row(i)[:i].Dot(x[:i])) / l.Row(i)[i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] /= l.Row(i)[i]
		x[:i].AddScaled(-x[i], l.Row(i)[:i])
	}
	return x
}
