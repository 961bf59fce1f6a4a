// QSGD — numbers of an update rounded at random to a few levels of its length.
//
//	D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnović. QSGD: Communication-Efficient SGD via
//	Gradient Quantization and Encoding. NeurIPS 2017, Section 3.1 with Lemma 3.1, and buckets of
//	Section 4. Checked against grace_dl/dist/compressor/qsgd.py of sands-lab/grace.
//
// Notation: x is a bucket of the update, of d numbers; s levels; uⱼ uniform on [0, 1):
//
//	C(x)_j = ‖x‖·sign(x_j)·⌊s|x_j|/‖x‖ + u_j⌋/s,
//	E C(x) = x,    E‖C(x) − x‖² ≤ min(d/s², √d/s)‖x‖².
//
// Encoding: of each bucket the length, a float32, and of each number a sign, of a bit, and its
// level, of ⌈log₂(s + 1)⌉ bits. The length is rounded up, so that no level is above s.
//
// Draws: a bucket that begins at number b has the numbers from b on of SplitMix64, whose seed the
// client draws for each update; each gives two uⱼ of 32 bits. So E C(x) = x to 2⁻³² of a level, and
// no draw waits for another.
//
// Departures: levels are sent as they are, not by the Elias code of the paper's Section 3.2.

package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// QSGD describes the compressor to the registry.
var QSGD = fl.CompressorEntry{
	Name:       "qsgd",
	Summary:    "numbers rounded at random to levels of the length of their bucket",
	Paper:      "alistarh2017",
	Deviations: "levels are sent in words of equal length, not by an Elias code",
	New: of(func(p *fl.Params) *qsgd {
		return &qsgd{
			levels: p.Int("levels", 15, fl.Closed(1, 1<<20), "s, levels above 0 of absolute "+
				"values"),
			bucket: p.Int("bucket", 512, fl.AtLeast(0), "d, how many numbers share a length; 0: "+
				"all numbers of the update"),
		}
	}),
}

type qsgd struct {
	levels int // s
	bucket int // d; 0: all
}

var (
	_ fl.Direct = (*qsgd)(nil)
	_ fl.Sized  = (*qsgd)(nil)
)

// width returns how many bits a level takes.
func (c *qsgd) width() int { return fl.BitsFor(c.levels + 1) }

// grid returns the levels of a unit, of which each becomes a step.
func (c *qsgd) grid(unit, step float64) kernel.Grid { return grid(unit, float64(c.levels), step) }

// length returns ‖x‖ as it is sent.
func length(x fl.Vector) float64 { return fl.CeilFloat32(math.Sqrt(x.Dot(x))) }

// Encode implements fl.Compressor.
func (c *qsgd) Encode(k *fl.Coding) error {
	d, width, whole := newDraws(k), c.width(), k.Scratch(len(k.In))
	parts(len(k.In), c.bucket, func(lo, hi int) {
		norm := length(k.In[lo:hi])
		k.Code.AppendFloat32(norm)
		d.round(whole[lo:hi], k.In[lo:hi], c.grid(norm/float64(c.levels), 1), lo)
		for _, level := range whole[lo:hi] {
			k.Code.Append(negative(level)|uint64(math.Abs(level))<<1, 1+width)
		}
	})
	return nil
}

// Decode implements fl.Compressor.
func (c *qsgd) Decode(k *fl.Coding) error {
	width := c.width()
	parts(len(k.Out), c.bucket, func(lo, hi int) {
		unit := k.Code.ReadFloat32() / float64(c.levels)
		for j := lo; j < hi; j++ {
			word := int64(k.Code.Read(1 + width))
			level := word >> 1
			if word&1 == 1 {
				level = -level
			}
			k.Out[j] = float64(level) * unit
		}
	})
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *qsgd) Compress(k *fl.Coding) (bits int) {
	d, each := newDraws(k), 1+c.width()
	parts(len(k.In), c.bucket, func(lo, hi int) {
		unit := length(k.In[lo:hi]) / float64(c.levels)
		d.round(k.Out[lo:hi], k.In[lo:hi], c.grid(unit, unit), lo)
		bits += 32 + each*(hi-lo)
	})
	return bits
}

// Bits implements fl.Sized.
func (c *qsgd) Bits(l fl.Layout) (bits int) {
	each := 1 + c.width()
	parts(l.Len(), c.bucket, func(lo, hi int) { bits += 32 + each*(hi-lo) })
	return bits
}

// Guarantee implements fl.Compressor. It has room for the rounding of the length.
func (c *qsgd) Guarantee(n int) (fl.Guarantee, bool) {
	d, s := float64(n), float64(c.levels)
	if c.bucket > 0 {
		d = float64(min(n, c.bucket))
	}
	return fl.Guarantee{Unbiased: true, Omega: min(d/(s*s), math.Sqrt(d)/s) * (1 + 0x1p-20)}, true
}
