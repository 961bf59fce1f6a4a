package tensor

import "github.com/hansa-fl/hansa/framework/kernel"

// AddSquares sets v ← v + Σₖ w[k]·(xs[k] − center)², element by element and in the order of xs.
// With weights of sum 1 and the weighted mean for center that is the variance over the vectors.
// No center, nil, is the origin. v may be center, but none of xs.
func (v Vector) AddSquares(w Vector, xs [][]float64, center Vector) {
	v.addAround(squares, w, xs, center)
}

// AddSigns sets v ← v + Σₖ w[k]·sign(xs[k] − center), element by element and in the order of xs:
// weights of 1 count by how many more vectors are above center than below. An element that is
// equal to that of center adds 0, and so does NaN, which has no vote. No center, nil, is the
// origin. v may be center, but none of xs.
func (v Vector) AddSigns(w Vector, xs [][]float64, center Vector) {
	v.addAround(signs, w, xs, center)
}

// A term is what one vector adds to an element in addAround.
type term int

const (
	squares term = iota // weight·(x − center)²
	signs               // weight·sign(x − center)
)

// addAround adds a term of every vector of xs, stretch by stretch, so that the part of v that is
// summed stays in the cache. The center is copied, as it may be v. The term is a constant and not
// a function: what is passed to a function that is not known would be allocated.
func (v Vector) addAround(t term, w Vector, xs [][]float64, center Vector) {
	v.mustFitAll(w, xs, center)
	var around [stretch]float64
	for from := 0; from < len(v); from += stretch {
		part := v[from:min(from+stretch, len(v))]
		if center != nil {
			copy(around[:], center[from:])
		}
		for k, x := range xs {
			weight, row, c := w[k], x[from:][:len(part)], around[:len(part)]
			switch t {
			case squares:
				for i := range part {
					d := row[i] - c[i]
					part[i] += float64(weight * float64(d*d))
				}
			case signs:
				kernel.AddSigns(part, weight, row, c)
			}
		}
	}
}

// mustFitAll is mustFit for vectors of which each has a weight, and for a center if there is one.
func (v Vector) mustFitAll(w Vector, xs [][]float64, center Vector) {
	if len(w) != len(xs) {
		panic("tensor: lengths do not fit")
	}
	for _, x := range xs {
		v.mustFit(x)
	}
	if center != nil {
		v.mustFit(center)
	}
}
