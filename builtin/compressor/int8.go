// Int8 — numbers of an update as whole numbers from −127 to 127, times a unit for each block of
// them.
//
//	T. Dettmers. 8-Bit Approximations for Parallelism in Deep Learning. ICLR 2016, for numbers of
//	8 bits in place of 32; linear levels with the largest absolute value of a block as the scale.
//
// Notation: x is a block of the update, of d numbers, q = max |x_j|/127, u_j uniform on [0, 1):
//
//	stochastic:  C(x)_j = q·sign(x_j)·⌊|x_j|/q + u_j⌋,    E C(x) = x,
//	nearest:     C(x)_j = q·(the whole number nearest to x_j/q, an even one of two),
//
// and for both E‖C(x) − x‖² ≤ d·q²/4 ≤ d/(4·127²)·‖x‖².
//
// Encoding: of each block q, a float32, rounded up; of each number eight bits.

package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Int8 describes the compressor to the registry.
var Int8 = fl.CompressorEntry{
	Name:       "int8",
	Summary:    "numbers as whole ones of 8 bits, with a unit for each block",
	Paper:      "dettmers2016",
	Deviations: "levels are linear, not the paper's dynamic tree",
	New: of(func(p *fl.Params) *int8s {
		return &int8s{
			stochastic: p.Choice("rounding", "stochastic", "to the whole number above or below by "+
				"chance, which is unbiased; or to the nearest",
				"stochastic", "nearest") == "stochastic",
			block: p.Int("block", 256, fl.AtLeast(0), "d, how many numbers share a unit; 0: all "+
				"numbers of the update"),
		}
	}),
}

// wholes is the largest whole number that is sent.
const wholes = 127

type int8s struct {
	stochastic bool
	block      int // d; 0: all
}

var (
	_ fl.Direct = (*int8s)(nil)
	_ fl.Sized  = (*int8s)(nil)
)

// round sets out to whole numbers times a step.
func (c *int8s) round(d draws, out, x fl.Vector, g kernel.Grid, first int) {
	if c.stochastic {
		d.round(out, x, g, first)
		return
	}
	for j, v := range x {
		level := math.RoundToEven(v * g.Inverse)
		out[j] = max(-g.Most, min(level, g.Most))*g.Step + 0 // which never is −0
	}
}

// draws returns the draws of an update, where some are needed.
func (c *int8s) draws(k *fl.Coding) (d draws) {
	if c.stochastic {
		d = newDraws(k)
	}
	return d
}

// unit returns q of a block.
func unit(x fl.Vector) float64 { return fl.CeilFloat32(largestOf(x) / wholes) }

// Encode implements fl.Compressor.
func (c *int8s) Encode(k *fl.Coding) error {
	d, levels := c.draws(k), k.Scratch(len(k.In))
	parts(len(k.In), c.block, func(lo, hi int) {
		q := unit(k.In[lo:hi])
		k.Code.AppendFloat32(q)
		c.round(d, levels[lo:hi], k.In[lo:hi], grid(q, wholes, 1), lo)
		for _, level := range levels[lo:hi] {
			k.Code.Append(uint64(int64(level)), 8)
		}
	})
	return nil
}

// Decode implements fl.Compressor.
func (c *int8s) Decode(k *fl.Coding) error {
	parts(len(k.Out), c.block, func(lo, hi int) {
		q := k.Code.ReadFloat32()
		for j := lo; j < hi; j++ {
			k.Out[j] = float64(int8(k.Code.Read(8))) * q
		}
	})
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *int8s) Compress(k *fl.Coding) (bits int) {
	d := c.draws(k)
	parts(len(k.In), c.block, func(lo, hi int) {
		q := unit(k.In[lo:hi])
		c.round(d, k.Out[lo:hi], k.In[lo:hi], grid(q, wholes, q), lo)
		bits += 32 + 8*(hi-lo)
	})
	return bits
}

// Bits implements fl.Sized.
func (c *int8s) Bits(l fl.Layout) (bits int) {
	parts(l.Len(), c.block, func(lo, hi int) { bits += 32 + 8*(hi-lo) })
	return bits
}

// Guarantee implements fl.Compressor. It has room for the rounding of q.
func (c *int8s) Guarantee(n int) (fl.Guarantee, bool) {
	d := float64(n)
	if c.block > 0 {
		d = float64(min(n, c.block))
	}
	omega := d / (4 * wholes * wholes) * (1 + 0x1p-20)
	return fl.Guarantee{Unbiased: c.stochastic, Omega: omega}, true
}
