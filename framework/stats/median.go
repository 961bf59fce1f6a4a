package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Center says how well a geometric median was found.
type Center struct {
	Residual  float64 // ‖∇f‖ over the sum of weights, in [0, 1]; 0 at a kink that is the minimum
	Distance  float64 // f over the sum of weights: the mean distance from the center
	Steps     int     // of Weiszfeld's iteration
	Converged bool    // Residual ≤ ε
}

// GeometricMedian finds the point y that minimises f(y) = Σₖ w[k]·‖xₖ − y‖. It is a mean of the
// points, y = Σₖ dst[k]·xₖ, and all that is needed of them is the matrix d of
// tensor.SquaredDistances: so a step takes O(K²) operations for K points of any dimension. The
// weights w are not negative, and dst, which sums to 1, must not overlap w.
//
// It is Weiszfeld's iteration, from a step of Vardi and Zhang (PNAS 97, 2000, Equations 9–15)
// off the best of the points, so that it descends and never meets a point again. It ends at a
// residual of epsilon, > 0, or after maxSteps. If the best point is a median, that is the
// answer. Where no weight is positive or a distance is not finite, dst is NaN and nothing has
// converged: leave such points out. It allocates for more than 64 points.
func GeometricMedian(
	dst, w tensor.Vector, d tensor.Matrix, epsilon float64, maxSteps int,
) Center {
	var block [128]float64
	room := tensor.Vector(block[:])
	if 2*len(w) > len(room) {
		room = make(tensor.Vector, 2*len(w))
	}
	m := weiszfeld{w: w, d: d, total: w.Sum(), at: dst,
		far: room[:len(w)], next: room[len(w):][:len(w)]}
	if !(m.total > 0) || !kernel.Finite(d.Data) || math.IsInf(m.total, 0) {
		dst.Fill(math.NaN())
		return Center{Residual: math.NaN(), Distance: math.NaN()}
	}
	c := Center{Distance: m.start()}
	for c.Residual = m.leave(); c.Residual > epsilon && c.Steps < maxSteps; c.Steps++ {
		copy(m.at, m.next)
		c.Distance, c.Residual = m.measure()
	}
	c.Converged = c.Residual <= epsilon
	return c
}

// A weiszfeld is where the iteration is.
type weiszfeld struct {
	w     tensor.Vector // weights
	d     tensor.Matrix // ‖xᵢ − xₖ‖²
	total float64       // Σ w
	at    tensor.Vector // y = Σₖ at[k]·xₖ
	far   tensor.Vector // ‖xₖ − y‖
	next  tensor.Vector // where the next step leads to
}

// start goes to the point at which f is least, and returns f/Σw there.
func (m *weiszfeld) start() float64 {
	best, least := 0, math.Inf(1)
	for k := range m.w {
		f := 0.0
		for i, square := range m.d.Row(k) {
			f += float64(m.w[i] * math.Sqrt(square))
		}
		if f < least {
			best, least = k, f
		}
	}
	m.at.Fill(0)
	m.at[best] = 1
	for i, square := range m.d.Row(best) {
		m.far[i] = math.Sqrt(square)
	}
	return least / m.total
}

// leave is measure at a point: there the weight η of what lies at the point holds it against
// the pull ‖R‖ of the others, and of the step it leaves a share of 1 − η/‖R‖.
func (m *weiszfeld) leave() float64 {
	held := 0.0
	for i, far := range m.far {
		if far == 0 {
			held += m.w[i]
		}
	}
	pull := m.pull()
	if pull <= held {
		return 0
	}
	for k := range m.next {
		m.next[k] += float64(held / pull * (m.at[k] - m.next[k]))
	}
	return (pull - held) / m.total
}

// measure returns f/Σw and ‖∇f‖/Σw.
func (m *weiszfeld) measure() (mean, residual float64) {
	// ‖xᵢ − y‖² = Σₖ aₖ‖xᵢ − xₖ‖² − ½ Σₖₗ aₖaₗ‖xₖ − xₗ‖² for a = at, which sums to 1.
	m.d.MulVec(m.far, m.at)
	inner := m.at.Dot(m.far) / 2
	for i, square := range m.far {
		m.far[i] = math.Sqrt(max(square-inner, 0x1p-52*square)) // no less than its rounding
		mean += float64(m.w[i] * m.far[i])
	}
	return mean / m.total, m.pull() / m.total
}

// pull sets next to the mean of the points with weights w[k]/far[k], without those where
// far[k] = 0, and returns ‖Σₖ w[k]/far[k]·(xₖ − y)‖.
func (m *weiszfeld) pull() float64 {
	sum := 0.0
	for k, far := range m.far {
		m.next[k] = 0
		if far > 0 {
			m.next[k] = m.w[k] / far
		}
		sum += m.next[k]
	}
	if sum == 0 {
		copy(m.next, m.at)
		return 0
	}
	m.next.Scale(1 / sum)
	// ‖Σₖ gₖxₖ‖² = −½ Σₖₗ gₖgₗ‖xₖ − xₗ‖² for g = next − at, which sums to 0.
	square := 0.0
	for k := range m.next {
		row, g := m.d.Row(k), m.next[k]-m.at[k]
		part := 0.0
		for l, distance := range row[:k] {
			part += float64((m.next[l] - m.at[l]) * distance)
		}
		square -= float64(g * part)
	}
	return sum * math.Sqrt(max(0, square))
}
