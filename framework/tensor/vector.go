// Package tensor holds vectors and matrices of float64 on top of kernel.
//
// Shapes are the programmer's business: a function of this package panics when
// lengths do not fit, and only then. Nothing here allocates unless it says so.
//
// Loops over coordinates are here so that an interpreted rule needs none. A method changes its
// vector, a function sets the first of its arguments:
//
//   - of one vector: Fill, Scale, AddConst, Abs, Sign, Sqrt, Exp, Log, Pow, Floor, Clamp;
//   - of several: Add, Sub, Mul, Div, Max, Min, AddScaled, AddProduct;
//   - masks: Above, AtLeast, Below, AtMost, Less, LessEqual, TopK, and Select by a mask;
//   - to a number: Sum, Dot, Norm, Norm1, NormInf, Distance, Cosine, Quantile;
//   - over vectors, coordinate by coordinate: AddWeighted, AddSquares, AddSigns, Median,
//     TrimmedMean, OrderStatistic, Quantile, MeanAround, MeanAroundMedian, AddCombinations,
//     SortColumns.
//
// None takes a function of one element: a call of an interpreted function takes 2 µs, which is more
// than ten times what a turn of an interpreted loop takes. What is computed by cases is selected by
// masks.
package tensor

import "github.com/hansa-fl/hansa/framework/kernel"

// A Vector is a flat vector, for instance the parameters θ ∈ ℝᵈ of a model.
type Vector []float64

// AddScaled sets v ← v + α·x.
func (v Vector) AddScaled(alpha float64, x Vector) { kernel.Axpy(v, alpha, x) }

// AddWeighted sets v ← v + Σₖ w[k]·xs[k].
func (v Vector) AddWeighted(w Vector, xs [][]float64) { kernel.WeightedSum(v, w, xs) }

// AddCombinations sets vs[i] ← vs[i] + Σₖ w[i, k]·xs[k], each to the bit as AddWeighted does; in
// memory no vector overlaps another one.
func AddCombinations(vs [][]float64, w Matrix, xs [][]float64) {
	w.mustFit(len(vs), len(xs))
	kernel.WeightedSums(vs, w.Data, xs)
}

// Scale sets v ← α·v.
func (v Vector) Scale(alpha float64) { kernel.Scale(v, alpha) }

// Dot returns ⟨v, x⟩.
func (v Vector) Dot(x Vector) float64 { return kernel.Dot(v, x) }

// ArgMax returns the index of the largest element, the first of several; 0 of no elements. NaN is
// the largest where it comes first, and else never.
func (v Vector) ArgMax() (at int) {
	for i, x := range v {
		if x > v[at] {
			at = i
		}
	}
	return at
}

// Sum returns the sum of the elements of v, the same bits wherever v lies in memory; gonum's
// begins to add in pairs at the next address that is a multiple of 16.
func (v Vector) Sum() float64 {
	var a, b, c, d float64
	k := 0
	for ; k+4 <= len(v); k += 4 {
		x := v[k : k+4 : k+4]
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, x := range v[k:] {
		a += x
	}
	return (a + b) + (c + d)
}

// Clone returns a copy of v.
func (v Vector) Clone() Vector { return append(Vector(nil), v...) }

// Finite reports whether no element of v is NaN or infinite.
func (v Vector) Finite() bool { return kernel.Finite(v) }
