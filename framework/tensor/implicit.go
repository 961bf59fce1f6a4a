package tensor

import (
	"cmp"
	"math"
	"slices"
)

// iterate decomposes rows lo to hi, at most leaf, by the implicit QL method (Bowdler, Martin,
// Reinsch, Wilkinson. The QR and QL algorithms for symmetric matrices. Numer. Math., 1968).
func (c *conquest) iterate(lo, hi int) error {
	// The matrix is scaled to 1. Squares of what is not far below this still have all digits.
	negligible := 1e-140
	d, e := c.d[lo:hi], [leaf]float64{}
	copy(e[:], c.e[lo:max(lo, hi-1)])
	for i := lo; i < hi; i++ {
		c.q[i*c.stride+i] = 1
		negligible = max(negligible, unit*math.Abs(c.d[i]), unit*math.Abs(e[i-lo]))
		c.order[i] = i
	}
	for l := range d {
		for times := 0; ; times++ {
			m := l
			for m < len(d)-1 && math.Abs(e[m]) > negligible {
				m++
			}
			if m == l {
				break
			}
			if times == 30*leaf {
				return ErrConvergence
			}
			c.chase([2]int{lo, hi}, l, m, &e)
		}
	}
	slices.SortStableFunc(c.order[lo:hi], func(i, j int) int { return cmp.Compare(c.d[i], c.d[j]) })
	return nil
}

// chase does one step with a shift on rows l to m of those in a range, counted from its first:
// a bulge runs from below m up to l.
func (c *conquest) chase(span [2]int, l, m int, e *[leaf]float64) {
	lo, hi := span[0], span[1]
	d := c.d[lo:hi]
	shift := (d[l+1] - d[l]) / (2 * e[l])
	length := math.Sqrt(math.FMA(shift, shift, 1))
	g := d[m] - d[l] + e[l]/(shift+math.Copysign(length, shift))
	sin, cos, moved := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := sin*e[i], cos*e[i]
		length = math.Sqrt(math.FMA(f, f, g*g))
		e[i+1] = length
		if length == 0 {
			d[i+1] -= moved
			e[m] = 0
			return
		}
		sin, cos = f/length, g/length
		g = d[i+1] - moved
		length = math.FMA(d[i]-g, sin, 2*cos*b)
		moved = sin * length
		d[i+1] = g + moved
		g = math.FMA(cos, length, -b)
		turn(c.row(lo+i, lo, hi), c.row(lo+i+1, lo, hi), cos, sin)
	}
	d[l] -= moved
	e[l], e[m] = g, 0
}
