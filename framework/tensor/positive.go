package tensor

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// ErrNotPositive is the error of FactorPositive for a matrix without a positive eigenvalue.
var ErrNotPositive = errors.New("eigen: no eigenvalue is positive")

// A Spectrum says what was found of a matrix that is to be positive definite.
type Spectrum struct {
	Smallest, Largest float64 // eigenvalues, as they were found
	Floor             float64 // what is below was raised to this
	Clipped           int     // how many that were
}

// FactorPositive is Factor for a symmetric matrix a that is to be positive definite, for Sqrt
// and InvSqrt. Eigenvalues below floor times the largest are raised to that; 0 < floor ≤ 1.
// An eigenvalue is known to about n·2⁻⁵³ of the largest, so that a floor below that makes
// roundings into numbers, which InvSqrt makes large.
func (e *Eigen) FactorPositive(a Matrix, floor float64) (Spectrum, error) {
	if !(floor > 0 && floor <= 1) {
		panic("tensor: the floor of a spectrum is not in (0, 1]")
	}
	values, _, err := e.Factor(a)
	if err != nil || len(values) == 0 {
		return Spectrum{}, err
	}
	s := Spectrum{Smallest: values[0], Largest: values[len(values)-1]}
	if s.Largest <= 0 {
		return s, ErrNotPositive
	}
	s.Floor = max(floor*s.Largest, math.SmallestNonzeroFloat64)
	for k, x := range values {
		if x < s.Floor {
			values[k] = s.Floor
			s.Clipped++
		}
	}
	return s, nil
}

// Sqrt sets root to the symmetric square root of the matrix that FactorPositive was last asked
// for, as clipped.
func (e *Eigen) Sqrt(root Matrix) {
	e.square(root, func(x float64) float64 { return math.Sqrt(math.Sqrt(x)) })
}

// InvSqrt sets root to the inverse of what Sqrt finds.
func (e *Eigen) InvSqrt(root Matrix) {
	e.square(root, func(x float64) float64 { return 1 / math.Sqrt(math.Sqrt(x)) })
}

// square sets m to Σₖ f(values[k])²·vₖ·vₖᵀ, which is symmetric to the bit.
func (e *Eigen) square(m Matrix, f func(x float64) float64) {
	n := len(e.values)
	m.mustFit(n, n)
	stride := e.split.stride
	b := e.split.q // Σ bₖ·bₖᵀ of its rows is m
	for k, x := range e.values {
		row := b[k*stride:][:n]
		copy(row, e.vectors.Row(k))
		kernel.Scale(row, f(x))
	}
	factor, result := spaced(b, n, n, stride), kernel.RowMajor(m.Data, n, n)
	kernel.Lower64(&e.space, result, factor.T(), factor, false)
	kernel.Mirror64(result)
}
