// Noise on moments of samples: privacy of one sample of a client, where clients send sums over
// their samples once.
//
// The Gaussian mechanism (package privacy, Gaussian) on counts, sums and squares together, as
// Dwork, Talwar, Thakurta, Zhang (2014) "Analyze Gauss", STOC, have it for squares alone.
//
// Notation: x a sample of class c of C, clipped to ‖x‖ ≤ R; u = x/R. It adds
//
//	(e_c, e_c ⊗ u, uuᵀ)
//
// to the counts N, the sums S/R by class, and the squares Q/R², which may be by class, too. Where
// one sample is another one, v of class c′, and t = u·v, these move by
//
//	c = c′:  |u|² + |v|² + |u|⁴ + |v|⁴ − 2t − 2t²   ≤ 9/2, attained by unit vectors with t = −½,
//	c ≠ c′:  2 + |u|² + |v|² + |u|⁴ + |v|⁴ − 2t²    ≤ 6, attained by orthogonal unit vectors,
//
// in squares of lengths, without the last term where squares are by class. So Δ = √6 with classes,
// and 3/√2 without, where the number of samples is known. Noise of standard deviation zΔ on N, zΔR
// on S, zΔR² on the diagonal of Q and zΔR²/√2 beside it, where one number stands for two, is a
// Gaussian mechanism with z sensitivities.
//
// Counts of classes are not public; how many samples a client has in all is.
package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Moments say how sums over samples are made private.
type Moments struct {
	Radius  float64 // R
	Noise   float64 // z, in sensitivities
	Classes bool    // counts and sums are by class
}

// Check says what is wrong with it.
func (m Moments) Check() error {
	if !(m.Radius > 0) || math.IsInf(m.Radius, 1) {
		return fmt.Errorf("the radius is %v: it must be positive and finite", m.Radius)
	}
	return checkNoise(m.Noise, 1)
}

// Sensitivity returns Δ.
func (m Moments) Sensitivity() float64 {
	if m.Classes {
		return math.Sqrt(6)
	}
	return 3 / math.Sqrt2
}

// Clip scales x to the radius where it is longer.
func (m Moments) Clip(x tensor.Vector) {
	if norm := math.Sqrt(x.Dot(x)); norm > m.Radius {
		x.Scale(m.Radius / norm)
	}
}

// Counts adds noise to counts.
func (m Moments) Counts(n tensor.Vector, rng *rand.Rand) {
	n.AddNoise(m.Noise*m.Sensitivity(), rng)
}

// Sums adds noise to sums of samples.
func (m Moments) Sums(s tensor.Vector, rng *rand.Rand) {
	s.AddNoise(m.Noise*m.Sensitivity()*m.Radius, rng)
}

// Squares adds noise to a symmetric matrix of sums of squares, on both sides of its diagonal the
// same.
func (m Moments) Squares(q tensor.Matrix, rng *rand.Rand) {
	sigma := m.Noise * m.Sensitivity() * m.Radius * m.Radius
	for i := range q.Rows {
		for j := range i {
			x := sigma / math.Sqrt2 * rng.NormFloat64()
			q.Row(i)[j] += x
			q.Row(j)[i] += x
		}
		q.Row(i)[i] += sigma * rng.NormFloat64()
	}
}

// Epsilon returns ε at a δ of so many uploads, for neighbours of which one sample of one client is
// another one.
func (m Moments) Epsilon(delta float64, uploads int) (float64, error) {
	var g Gaussian
	if err := g.Add(m.Noise, uploads); err != nil {
		return 0, err
	}
	return g.Epsilon(delta), nil
}
