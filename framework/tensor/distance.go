package tensor

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// Norm returns the Euclidean length √Σ v[i]² of v, also where squares overflow or vanish. It is
// NaN if an element is, or else +Inf if one is infinite.
func (v Vector) Norm() float64 {
	if len(v) >= long {
		if square := kernel.Dot(v, v); safe(square) {
			return math.Sqrt(square)
		}
	}
	return floats.Norm(v, 2)
}

// Norm1 returns Σ |v[i]|.
func (v Vector) Norm1() float64 { return floats.Norm(v, 1) }

// NormInf returns the largest |v[i]|, 0 for no elements, and NaN if an element is.
func (v Vector) NormInf() float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// Distance returns the Euclidean distance ‖v − x‖, as Norm does.
func (v Vector) Distance(x Vector) float64 {
	v.mustFit(x)
	if len(v) >= long {
		if square := kernel.SquaredDistance(v, x); safe(square) {
			return math.Sqrt(square)
		}
	}
	return floats.Distance(v, x, 2)
}

// Cosine returns the cosine ⟨v, x⟩/(‖v‖·‖x‖) of the angle between v and x, in [−1, 1]: 0 if one is
// of norm 0, and NaN if one is not finite.
func (v Vector) Cosine(x Vector) float64 {
	a, b := v.Norm(), x.Norm()
	dot := v.Dot(x)
	if !safe(math.Abs(dot)) || !safe(a*a) || !safe(b*b) {
		// What overflows or vanishes does not in vectors of norm 1.
		dot, a, b = v.unitDot(x, a, b), 1, 1
	}
	return min(max(dot/a/b, -1), 1)
}

// unitDot returns ⟨v/a, x/b⟩, and 0 where a or b is 0 and both are finite.
func (v Vector) unitDot(x Vector, a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0 * (a + b)
	}
	dot := 0.0
	for i, y := range v {
		dot += float64(y / a * (x[i] / b))
	}
	return dot
}

// long is from which length on squares are added by the kernels, in a twentieth of the time.
// Below, there is little to gain, and gonum's scaled sum loses nothing.
const long = 256

// safe reports whether a sum of squares has overflowed nowhere, and is so large that what
// vanished in it does not matter.
func safe(square float64) bool { return square > 1e-280 && square <= math.MaxFloat64 }

// SquaredDistances sets d[i, j] = ‖xs[i] − xs[j]‖²; d is len(xs)×len(xs). It is symmetric to the
// bit, 0 on the diagonal, and elsewhere NaN or +Inf where one of the two is not finite or a
// square overflows. Differences are taken before they are squared, so that vectors that are
// close to each other and far from the origin lose nothing. What stands at (i, j) depends on
// xs[i] and xs[j] only.
func SquaredDistances(d Matrix, xs [][]float64) {
	n := width(d, xs)
	for from := 0; from < n; from += stretch {
		to := min(from+stretch, n)
		for first := 0; first < len(xs); first += together {
			last := min(first+together, len(xs))
			for j, y := range xs[:last] {
				for i := max(first, j+1); i < last; i++ {
					d.Row(i)[j] += kernel.SquaredDistance(xs[i][from:to], y[from:to])
				}
			}
		}
	}
	mirror(d)
}

// Gram sets g[i, j] = ⟨xs[i], xs[j]⟩; g is len(xs)×len(xs). It is symmetric to the bit, and what
// stands at (i, j) depends on xs[i] and xs[j] only.
func Gram(g Matrix, xs [][]float64) {
	n := width(g, xs)
	for from := 0; from < n; from += stretch {
		to := min(from+stretch, n)
		for i, x := range xs {
			row := g.Row(i)
			for j, y := range xs[:i+1] {
				row[j] += kernel.Dot(x[from:to], y[from:to])
			}
		}
	}
	mirror(g)
}

// stretch is of how many elements all pairs are done before the next, and together how many vectors
// are compared with each of the others: theirs stay in the first-level cache, those of all in the
// second.
const (
	stretch  = 512
	together = 6
)

// width returns the length of the vectors of xs, and clears m, which has a row and a column for
// each of them.
func width(m Matrix, xs [][]float64) int {
	m.mustFit(len(xs), len(xs))
	clear(m.Data)
	if len(xs) == 0 {
		return 0
	}
	for _, x := range xs {
		if len(x) != len(xs[0]) {
			panic("tensor: lengths do not fit")
		}
	}
	return len(xs[0])
}

// mirror copies what is below the diagonal of a square matrix to above it.
func mirror(m Matrix) {
	for i := range m.Rows {
		for j := range i {
			m.Data[j*m.Cols+i] = m.Data[i*m.Cols+j]
		}
	}
}
