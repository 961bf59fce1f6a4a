package model

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A netCorrection is what a descent does to the gradients of a network, in float32.
type netCorrection struct {
	d      *fl.Descent
	adds   kernel.Correction // Shift, Pull and Anchor
	shift  []float32         // room of Shift
	anchor []float32         // room of Anchor
	before []float32         // θ while the gradient is taken elsewhere
	start  []float32         // frozen parameters, one block after another
	few    [2048]float64     // of a sum, in the first cache
}

// begin readies the corrections of a descent that begins at params, of which n are trained.
func (c *netCorrection) begin(d *fl.Descent, params []float32, n int) {
	c.d, c.adds = d, kernel.Correction{Pull: d.Pull}
	apart := d.Shifts() && d.Pull < leastPull
	if apart {
		c.shift = sized(c.shift, n)
		c.narrow(c.shift, nil, 1)
		c.adds.Shift = c.shift
	}
	if d.Pull > 0 {
		c.anchor = sized(c.anchor, n)
		if apart {
			kernel.Narrow(c.anchor, d.Anchored()[:n])
		} else {
			c.narrow(c.anchor, d.Anchored(), -1/d.Pull)
		}
		c.adds.Anchor = c.anchor
	}
	if d.Ascent > 0 {
		c.before = sized(c.before, n)
	}
	if len(d.Freeze) > 0 {
		c.start = sized(c.start, fl.Layout{Blocks: d.Freeze}.Len())
		at := 0
		for k := range d.Freeze {
			at += copy(c.start[at:], blockOf(params, &d.Freeze[k]))
		}
	}
}

// leastPull is the least μ by which a shift s is divided. As s + μ(w − a) is μ(w − (a − s/μ)), a
// step then reads one vector instead of two. The error of a − s/μ as float32 is, times μ, at most
// that of s and of μa as float32; where μ is tiny, s/μ could overflow.
const leastPull = 1e-12

// narrow sets dst to base + f·(Shift − Unshift), rounded to float32. Without a base, f is 1.
func (c *netCorrection) narrow(dst []float32, base fl.Vector, f float64) {
	plus, minus := c.d.Shift, c.d.Unshift
	if base == nil {
		base, plus = plus, nil
	}
	for from := 0; from < len(dst); from += len(c.few) {
		to := min(from+len(c.few), len(dst))
		few := c.few[:to-from]
		sum, last, by := few, minus, -f
		if base == nil {
			clear(few)
		} else {
			sum = base[from:to]
		}
		switch {
		case plus == nil:
		case minus == nil:
			last, by = plus, f
		default:
			copy(few, sum)
			kernel.Axpy(few, f, plus[from:to])
			sum = few
		}
		if last == nil {
			kernel.Narrow(dst[from:to], sum)
		} else {
			kernel.NarrowSum(dst[from:to], sum, by, last[from:to])
		}
	}
}

// sized returns a slice of length n, in the memory of v where that is large enough.
func sized(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}

// blockOf returns the part of w that is a block: nothing where w ends before it, as gradients do
// before running statistics.
func blockOf(w []float32, b *fl.Block) []float32 {
	if b.Offset >= len(w) {
		return nil
	}
	return w[b.Offset : b.Offset+b.Rows*b.Cols]
}

// onlyAdds reports whether corrections ask nothing of a gradient, so that a plain step can be made
// without one in memory.
func (c *netCorrection) onlyAdds() bool { return c.d.Ascent == 0 && c.d.Clip == 0 }

// ascend moves w along the gradient to where the next one is taken, and reports whether it did.
func (c *netCorrection) ascend(w, grad []float32) bool {
	if c.d.Ascent == 0 {
		return false
	}
	c.mask(grad)
	size := norm32(grad)
	if size == 0 || math.IsNaN(size) {
		return false // there is no direction
	}
	copy(c.before, w)
	kernel.Axpy32(w, float32(c.d.Ascent/size), grad)
	return true
}

// descend moves w back.
func (c *netCorrection) descend(w []float32) { copy(w, c.before) }

// bound makes the corrected gradient 0 where parameters are frozen, and scales it to the largest
// norm.
func (c *netCorrection) bound(grad []float32) {
	c.mask(grad)
	if c.d.Clip == 0 {
		return
	}
	if size := norm32(grad); size > c.d.Clip {
		kernel.Scale32(grad, float32(c.d.Clip/size))
	}
}

// mask makes the gradient of frozen parameters 0.
func (c *netCorrection) mask(grad []float32) {
	for k := range c.d.Freeze {
		clear(blockOf(grad, &c.d.Freeze[k]))
	}
}

// hold puts frozen parameters back where they were, running statistics among them.
func (c *netCorrection) hold(params []float32) {
	at := 0
	for k := range c.d.Freeze {
		at += copy(blockOf(params, &c.d.Freeze[k]), c.start[at:])
	}
}

// norm32 returns ‖x‖, added up in float64.
func norm32(x []float32) float64 {
	var sums [4]float64
	for ; len(x) >= len(sums); x = x[len(sums):] {
		for j := range sums {
			v := float64(x[j])
			sums[j] += float64(v * v)
		}
	}
	for _, v := range x {
		sums[0] += float64(float64(v) * float64(v))
	}
	return math.Sqrt((sums[0] + sums[1]) + (sums[2] + sums[3]))
}
