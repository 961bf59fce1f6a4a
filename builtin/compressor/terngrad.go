// TernGrad — numbers of an update rounded at random to −1, 0 or 1 times the largest of their layer.
//
//	W. Wen, C. Xu, F. Yan, C. Wu, Y. Wang, Y. Chen, H. Li. TernGrad: Ternary Gradients to Reduce
//	Communication in Distributed Deep Learning. NeurIPS 2017, equations (2)–(5) and Section 3.3.
//	Checked against terngrad/inception/bingrad_common.py of wenwei202/terngrad.
//
// Notation: x is a layer of the update, here a block of the layout, of d numbers, m = max |x_j|:
//
//	C(x)_j = m·sign(x_j)·b_j,  P(b_j = 1) = |x_j|/m,  else b_j = 0,
//	E C(x) = x,    E‖C(x) − x‖² = m‖x‖₁ − ‖x‖² ≤ (√d − 1)/2·‖x‖².
//
// With clip = c > 0, numbers are cut to ±c·σ before, m = c·σ, where σ is the standard deviation of
// the layer: less is lost, and C is biased. The paper has c = 2.5.
//
// Encoding: of each layer m, a float32, rounded up; of each number two bits.
//
// Departures: every client sends its own m; the paper's clients agree on the largest one.

package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TernGrad describes the compressor to the registry.
var TernGrad = fl.CompressorEntry{
	Name:       "terngrad",
	Summary:    "numbers rounded at random to -1, 0 or 1 times the largest of their layer",
	Paper:      "wen2017",
	Deviations: "every client sends its own scale; none is cut by default",
	New: of(func(p *fl.Params) *terngrad {
		return &terngrad{p.Float("clip", 0, fl.AtLeast(0), "standard deviations of a layer to "+
			"which its numbers are cut before; 0: they are not, which is unbiased")}
	}),
}

type terngrad struct{ clip float64 }

var (
	_ fl.Direct = (*terngrad)(nil)
	_ fl.Sized  = (*terngrad)(nil)
)

// scale returns m of a layer.
func (c *terngrad) scale(x fl.Vector) float64 {
	if c.clip == 0 {
		return fl.CeilFloat32(largestOf(x))
	}
	mean := x.Sum() / float64(len(x))
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return fl.CeilFloat32(c.clip * math.Sqrt(squares/float64(len(x))))
}

// layers calls a function with every layer.
func layers(l fl.Layout, f func(lo, hi int)) {
	for k := range l.Blocks {
		b := &l.Blocks[k]
		f(b.Offset, b.Offset+b.Rows*b.Cols)
	}
}

// Encode implements fl.Compressor.
func (c *terngrad) Encode(k *fl.Coding) error {
	d, levels := newDraws(k), k.Scratch(len(k.In))
	layers(k.Layout, func(lo, hi int) {
		m := c.scale(k.In[lo:hi])
		k.Code.AppendFloat32(m)
		d.round(levels[lo:hi], k.In[lo:hi], grid(m, 1, 1), lo)
		for _, level := range levels[lo:hi] {
			k.Code.Append(uint64(int(level)+1), 2)
		}
	})
	return nil
}

// Decode implements fl.Compressor.
func (c *terngrad) Decode(k *fl.Coding) error {
	layers(k.Layout, func(lo, hi int) {
		m := k.Code.ReadFloat32()
		for j := lo; j < hi; j++ {
			k.Out[j] = float64(int(k.Code.Read(2))-1) * m
		}
	})
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *terngrad) Compress(k *fl.Coding) (bits int) {
	d := newDraws(k)
	layers(k.Layout, func(lo, hi int) {
		m := c.scale(k.In[lo:hi])
		d.round(k.Out[lo:hi], k.In[lo:hi], grid(m, 1, m), lo)
		bits += 32 + 2*(hi-lo)
	})
	return bits
}

// Bits implements fl.Sized.
func (*terngrad) Bits(l fl.Layout) (bits int) {
	layers(l, func(lo, hi int) { bits += 32 + 2*(hi-lo) })
	return bits
}

// Guarantee implements fl.Compressor. It has room for the rounding of m.
func (c *terngrad) Guarantee(n int) (fl.Guarantee, bool) {
	omega := (1+0x1p-20)*(1+math.Sqrt(float64(n)))/2 - 1
	return fl.Guarantee{Unbiased: true, Omega: omega}, c.clip == 0
}
