package model

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// newton minimises a strongly convex f of n parameters by Newton's method, from zero to a
// gradient of 1e-12.
func newton(f stats.Convex, n int) (fl.Optimum, error) {
	best := stats.Minimise(f, make(fl.Vector, n), 1e-12, 200)
	if !best.Converged {
		return fl.Optimum{}, fmt.Errorf("newton's method did not converge: ‖∇F‖ = %.1e, not "+
			"1e-12, after %d steps: raise l2", best.Residual, best.Steps)
	}
	return fl.Optimum{Params: best.X, Value: best.Value, Unique: true}, nil
}

// singular is the condition number from which a system is solved for least norm.
const singular = 1e13

// solve returns the solution of m·x = b for a positive semidefinite m, and whether it is
// the only one; of several it is the one of least norm.
func solve(m fl.Matrix, b fl.Vector) (x fl.Vector, unique bool, err error) {
	x = make(fl.Vector, len(b))
	a := mat.NewSymDense(m.Rows, m.Data)
	dst, rhs := mat.NewVecDense(len(x), x), mat.NewVecDense(len(b), b)
	var chol mat.Cholesky
	if chol.Factorize(a) && chol.Cond() < singular {
		if err := chol.SolveVecTo(dst, rhs); err != nil {
			return nil, false, err
		}
		refine(a, &chol, dst, rhs)
		return x, true, nil
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, false, errors.New("the normal equations have no singular value decomposition")
	}
	if rank := svd.Rank(1 / singular); rank > 0 { // else all of x is free, and 0 is shortest
		svd.SolveVecTo(dst, rhs, rank)
	}
	return x, false, nil
}

// refine takes one step of iterative refinement: it wins back the digits that rounding
// in the factor cost.
func refine(a *mat.SymDense, chol *mat.Cholesky, x, b *mat.VecDense) {
	var residual, correction mat.VecDense
	residual.MulVec(a, x)
	residual.SubVec(b, &residual)
	if chol.SolveVecTo(&correction, &residual) == nil {
		x.AddVec(x, &correction)
	}
}
