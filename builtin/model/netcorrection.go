package model

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A netCorrection is what a descent does to the gradients of a network, in float32. Corrections
// that only add, to gradients of which nothing else is asked, are added to the parameters after a
// step: networks make plain steps without a gradient in memory.
type netCorrection struct {
	d      *fl.Descent
	shift  []float32 // Shift
	anchor []float32 // Anchor
	away   []float32 // θ − Anchor before the step
	before []float32 // θ while the gradient is taken elsewhere
	start  []float32 // frozen parameters, one block after another
}

// begin readies the corrections of a descent that begins at params, of which n are trained.
func (c *netCorrection) begin(d *fl.Descent, params []float32, n int) {
	c.d = d
	if d.Shift != nil {
		c.shift = sized(c.shift, n)
		kernel.Narrow(c.shift, d.Shift[:n])
	}
	if d.Pull > 0 {
		c.anchor, c.away = sized(c.anchor, n), sized(c.away, n)
		kernel.Narrow(c.anchor, d.Anchored()[:n])
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

// adds reports whether corrections can be added after a step.
func (c *netCorrection) adds() bool { return c.d.Ascent == 0 && c.d.Clip == 0 }

// part remembers how far w is from the anchor.
func (c *netCorrection) part(w []float32) {
	if c.d.Pull > 0 {
		copy(c.away, w)
		kernel.Axpy32(c.away, -1, c.anchor)
	}
}

// add adds a multiple of what is added to the gradient at the parameters of part.
func (c *netCorrection) add(dst []float32, factor float64) {
	if c.d.Shift != nil {
		kernel.Axpy32(dst, float32(factor), c.shift)
	}
	if c.d.Pull > 0 {
		kernel.Axpy32(dst, float32(factor*c.d.Pull), c.away)
	}
}

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
