package tensor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// A secular problem is the eigen-decomposition of diag(d) + ρ·z·zᵀ with ρ > 0, ‖z‖ ≤ 1, no z of
// 0 and no two d the same. Its eigenvalues are the roots λ of 1/ρ + Σᵢ zᵢ²/(dᵢ − λ); one lies
// between any two d, and one above all. Eigenvectors are orthogonal to rounding because they
// are made from the z for which the roots that were found are exact (Gu, Eisenstat, 1995).
//
// The d lie in any order, and order says which is the next; behind them, up to a multiple of
// 8, lie terms of 0.
type secular struct {
	k          int
	order      []int
	d, z, size []float64 // size = |z|; then for z the one that makes the roots exact
	values     []float64 // ascending
}

func (p *secular) resize(n int) {
	p.order, p.values = room(p.order, n), room(p.values, n)
	n = rounded(n)
	p.d, p.z, p.size = room(p.d, n), room(p.z, n), room(p.size, n)
}

// begin says that there are k terms, which set will set.
func (p *secular) begin(k int) {
	const far = 1e300
	p.k = k
	end := rounded(k)
	p.order, p.values = p.order[:k], p.values[:k]
	p.d, p.z, p.size = p.d[:end], p.z[:end], p.size[:end]
	for i := k; i < end; i++ {
		p.d[i], p.z[i], p.size[i] = far, 0, 0
	}
}

// set sets term i, which has the j-th least d.
func (p *secular) set(j, i int, d, z float64) {
	p.order[j], p.d[i], p.z[i], p.size[i] = i, d, z, math.Abs(z)
}

// solve finds the eigenvalues, and the eigenvectors as rows that begin stride apart in s.
func (p *secular) solve(s []float64, stride int, rho float64) error {
	for j := range p.k {
		r := p.bracket(j, rho, s[j*stride:][:len(p.d)])
		if !r.find() {
			return ErrConvergence
		}
		p.values[j] = r.origin + r.tau
	}
	p.exact(s, stride)
	for j := range p.k {
		row := s[j*stride:][:p.k]
		for i, gap := range row {
			row[i] = p.z[i] / gap
		}
		kernel.Scale(row, 1/math.Sqrt(kernel.Dot(row, row)))
	}
	return nil
}

// exact finds the z for which the roots are exact, by Löwner's formula: from the rows of s,
// whose elements are dᵢ − λⱼ.
func (p *secular) exact(s []float64, stride int) {
	product := p.size[:p.k]
	for i := range product {
		product[i] = 1
	}
	for j, own := range p.order {
		row, d := s[j*stride:][:p.k], p.d[own]
		for i := range own {
			product[i] *= row[i] / (p.d[i] - d)
		}
		product[own] *= row[own]
		for i := own + 1; i < p.k; i++ {
			product[i] *= row[i] / (p.d[i] - d)
		}
	}
	for i, x := range product {
		p.z[i] = math.Copysign(math.Sqrt(-x), p.z[i])
	}
}

// A root of the secular equation is sought as its distance τ from the nearer of the two d
// around it, the origin, so that its distances from both are right to rounding.
type root struct {
	*secular
	inverse      float64 // 1/ρ
	below, above int     // the terms around the root; above is −1 when there is none
	gap          float64 // between their d, or twice what bounds the root when there is none
	origin, tau  float64
	lo, hi       float64   // τ is between
	delta        []float64 // dᵢ − origin − τ

	value, slope float64    // of the left side of the equation
	slopes       [2]float64 // from the terms up to below, and from above on
	terms        float64    // the sum of their sizes
}

// bracket returns the search for root j, at its first guess: the root that there would be if
// the terms not around it were what they are half-way.
func (p *secular) bracket(j int, rho float64, delta []float64) root {
	r := root{secular: p, inverse: 1 / rho, gap: 2 * rho, delta: delta}
	r.below, r.above = p.order[j], -1
	r.origin = p.d[r.below]
	if j+1 < p.k {
		r.above = p.order[j+1]
		r.gap = p.d[r.above] - r.origin
	}
	half := r.gap / 2
	r.tau = half
	r.evaluate()
	x, y := r.squares()
	rest := math.FMA(x-y, 1/half, r.value)
	sum, product := math.FMA(rest, r.gap, x+y), x*r.gap
	switch {
	case r.value > 0:
		r.lo, r.hi = 0, half
	case r.above < 0:
		r.lo, r.hi = half, r.gap
	default:
		r.origin, r.lo, r.hi = p.d[r.above], -half, 0
		sum, product = math.FMA(-rest, r.gap, x+y), -y*r.gap
	}
	r.moveTo(quadratic(rest, sum, product))
	return r
}

// squares returns z² of the terms around the root.
func (r *root) squares() (below, above float64) {
	below = r.size[r.below] * r.size[r.below]
	if r.above >= 0 {
		above = r.size[r.above] * r.size[r.above]
	}
	return below, above
}

// evaluate finds the left side of the equation at τ.
func (r *root) evaluate() {
	sums := kernel.Secular(r.delta, r.d, r.size, r.origin, r.tau)
	r.value = r.inverse + (sums[0] + sums[2])
	r.slopes = [2]float64{sums[1], sums[3]}
	r.slope = sums[1] + sums[3]
	r.terms = sums[2] - sums[0]
}

// moveTo sets τ, which stays between its bounds.
func (r *root) moveTo(tau float64) {
	if !(r.lo < tau && tau < r.hi) {
		tau = r.lo + (r.hi-r.lo)/2
	}
	r.tau = tau
}

// find finds the root to rounding: it moves to the roots of functions with two terms that are
// like the left side at τ (Li. Solving secular equations stably and efficiently. LAPACK
// Working Note 89, 1993: the fixed-weight method, and the middle way where that is slow).
func (r *root) find() bool {
	const most, quick = 200, 40
	middle, before := false, math.Inf(1)
	for times := range most {
		r.evaluate()
		rounding := unit * math.FMA(math.Abs(r.tau), r.slope, math.FMA(8, r.terms, r.inverse))
		if math.Abs(r.value) <= rounding {
			return true
		}
		if r.value > 0 {
			r.hi = r.tau
		} else {
			r.lo = r.tau
		}
		if r.value*before > 0 && math.Abs(r.value) > math.Abs(before)/10 {
			middle = !middle
		}
		before = r.value
		last, step := r.tau, math.NaN()
		if times < quick {
			step = r.step(middle)
		}
		r.moveTo(last + step)
		if math.Abs(r.tau-last) <= unit*math.Abs(last) {
			return true
		}
	}
	return false
}

// step returns how far it is to the root of c + s/(below − t) + S/(above − t), which has the
// value and slope of the left side at t = 0. By the middle way, s has the slope of the terms
// up to below, and S of the others; else, the nearer of the two has its own weight.
func (r *root) step(middle bool) float64 {
	x, y := r.squares()
	below, above := r.delta[r.below], r.gap-r.tau
	if r.above >= 0 {
		above = r.delta[r.above]
	}
	var c float64
	switch {
	case middle:
		c = r.value - math.FMA(below, r.slopes[0], above*r.slopes[1])
	case r.origin == r.d[r.below]:
		c = math.FMA(r.gap, x/(below*below), math.FMA(-above, r.slope, r.value))
	default:
		c = math.FMA(-r.gap, y/(above*above), math.FMA(-below, r.slope, r.value))
	}
	step := quadratic(c, math.FMA(below+above, r.value, -below*above*r.slope), below*above*r.value)
	if !(step*r.value < 0) {
		return -r.value / r.slope
	}
	return step
}

// quadratic returns the root (a − √(a² − 4bc))/2c of c·t² − a·t + b without cancellation. But
// for roundings, the root is real.
func quadratic(c, a, b float64) float64 {
	d := math.Sqrt(math.Abs(math.FMA(a, a, -4*b*c)))
	if a > 0 {
		return 2 * b / (a + d)
	}
	return (a - d) / (2 * c)
}
