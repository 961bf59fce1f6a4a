package ot

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Transport problem asks for a plan T ≥ 0 (n×m) with row sums a and column sums b that
// makes ⟨T, C⟩ small: [Exact] makes it smallest, [Entropic] blurs the plan.
type Transport struct {
	Cost tensor.Matrix // C, n×m; none is larger than 1e300 in size
	A    tensor.Vector // length n, ≥ 0, sums to 1
	B    tensor.Vector // length m, ≥ 0, sums to 1
}

// A Coupling is what a solver found of a plan, but for the plan, which it writes on request.
// The vectors belong to the solver and last until it is used again.
//
// The answer to a problem that does not pass Check is undefined: it has not converged, took
// no sweeps, and all its numbers are NaN, those of the plan too.
type Coupling struct {
	F, G      tensor.Vector // potentials of rows and columns, length n and m, in units of C
	Cost      float64       // ⟨T, C⟩
	Residual  float64       // defined by each solver
	Sweeps    int           // counted as each solver defines
	Converged bool          // the residual met the solver's criterion
	Lambda    float64       // λ of the plan, in units of C; 0 for an exact one
}

// largestCost is what costs may be without their sums and differences being infinite.
const largestCost = 1e300

// Check reports what is wrong with the problem as it was stated: the first mistake in its
// shape, in a, in b, and in C.
func (t Transport) Check() error {
	if err := t.checkShape(); err != nil {
		return err
	}
	return errors.Join(checkSum("a", t.A), checkSum("b", t.B), checkCost(t.Cost))
}

func checkCost(c tensor.Matrix) error {
	if x := tensor.Vector(c.Data); x.Dot(x) <= largestCost {
		return nil // no number is larger than the root of that
	}
	for k, v := range c.Data {
		if !(math.Abs(v) <= largestCost) {
			return fmt.Errorf("C[%d, %d] is %v, which is no cost", k/c.Cols, k%c.Cols, v)
		}
	}
	return nil
}

// undefined is the answer to a problem that has none, on the memory for its potentials.
func undefined(f, g tensor.Vector) Coupling {
	nan := math.NaN()
	fill(f, nan)
	fill(g, nan)
	return Coupling{F: f, G: g, Cost: nan, Residual: nan, Lambda: nan}
}

// Round moves a plan T ≥ 0 by a little to one whose row sums are a and whose column sums are
// b, but for rounding: rows and columns that are too heavy are scaled down, and what is
// missing then, e_a and e_b, is added as e_a·e_bᵀ/‖e_a‖₁ (Altschuler, Weed, Rigollet. Near-linear
// time approximation algorithms for optimal transport via Sinkhorn iteration. NIPS 2017,
// Algorithm 2). The plan moves by at most 2(‖T1 − a‖₁ + ‖Tᵀ1 − b‖₁) in all. It allocates n + m
// numbers.
func Round(plan tensor.Matrix, a, b tensor.Vector) {
	short, lack := a.Clone(), b.Clone()
	sums := make(tensor.Vector, plan.Cols)
	for i, mass := range a {
		row := plan.Row(i)
		if sum := row.Sum(); sum > mass {
			row.Scale(mass / sum)
		}
		sums.AddScaled(1, row)
	}
	for j, mass := range b {
		if sums[j] = mass / sums[j]; !(sums[j] < 1) {
			sums[j] = 1
		}
	}
	for i := range a {
		row := plan.Row(i)
		floats.Mul(row, sums)
		short[i] = max(0, short[i]-row.Sum())
		lack.AddScaled(-1, row)
	}
	missing := short.Sum()
	if missing == 0 {
		return
	}
	for j, e := range lack {
		lack[j] = max(0, e)
	}
	for i, e := range short {
		plan.Row(i).AddScaled(e/missing, lack)
	}
}

// resize returns a slice of n elements in the memory of x if that is enough.
func resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

func fill(x []float64, value float64) {
	for i := range x {
		x[i] = value
	}
}
