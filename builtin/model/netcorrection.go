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
	few    [2048]float64     // of Shift − Unshift, in the first cache
}

// begin readies the corrections of a descent that begins at params, of which n are trained.
func (c *netCorrection) begin(d *fl.Descent, params []float32, n int) {
	c.d, c.adds = d, kernel.Correction{Pull: d.Pull}
	if d.Shifts() {
		c.shift = sized(c.shift, n)
		c.narrowShift()
		c.adds.Shift = c.shift
	}
	if d.Pull > 0 {
		c.anchor = sized(c.anchor, n)
		kernel.Narrow(c.anchor, d.Anchored()[:n])
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

// narrowShift rounds Shift − Unshift to float32.
func (c *netCorrection) narrowShift() {
	if c.d.Unshift == nil {
		kernel.Narrow(c.shift, c.d.Shift[:len(c.shift)])
		return
	}
	for from := 0; from < len(c.shift); from += len(c.few) {
		to := c.shift[from:min(from+len(c.few), len(c.shift))]
		few := c.few[:len(to)]
		clear(few)
		if c.d.Shift != nil {
			copy(few, c.d.Shift[from:])
		}
		kernel.Axpy(few, -1, c.d.Unshift[from:from+len(to)])
		kernel.Narrow(to, few)
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
