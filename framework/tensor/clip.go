package tensor

import "math/rand/v2"

// Project clips v to the given norm: it moves v to the nearest point of the ball of that radius
// around the origin. A vector of norm NaN or +Inf has no such point; the result has NaN, if radius
// is not +Inf.
func (v Vector) Project(radius float64) {
	if n := v.Norm(); n > radius {
		v.Scale(radius / n)
	}
}

// Clamp moves every element that is outside of [lo, hi] to the nearer end. NaN stays; lo ≤ hi.
func (v Vector) Clamp(lo, hi float64) {
	if !(lo <= hi) {
		panic("tensor: no number is between these ends")
	}
	for i, x := range v {
		v[i] = min(max(x, lo), hi)
	}
}

// AddNoise adds independent normal numbers of mean 0 and standard deviation sigma to v, drawn
// in the order of its elements. For sigma = 0 it draws nothing.
func (v Vector) AddNoise(sigma float64, rng *rand.Rand) {
	if sigma == 0 {
		return
	}
	for i := range v {
		v[i] += float64(sigma * rng.NormFloat64())
	}
}

// AddUniform adds independent uniform numbers of [0, width) to v, drawn in the order of its
// elements. For width = 0 it draws nothing. With Floor it rounds at random without bias, and with
// Below it makes zeros a mask of independent elements.
func (v Vector) AddUniform(width float64, rng *rand.Rand) {
	if width == 0 {
		return
	}
	for i := range v {
		v[i] += float64(width * rng.Float64())
	}
}
