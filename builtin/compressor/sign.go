// Sign — the signs of an update, and one length.
//
//	S. P. Karimireddy, Q. Rebjock, S. U. Stich, M. Jaggi. Error Feedback Fixes SignSGD and other
//	Gradient Compression Schemes. ICML 2019, Section 4 (the compressor of Algorithm 1) and
//	Lemma 8. With a step it is the sign alone, of
//	J. Bernstein, Y.-X. Wang, K. Azizzadenesheli, A. Anandkumar. signSGD: Compressed Optimisation
//	for Non-Convex Problems. ICML 2018, Algorithm 1.
//
// Notation: x is the update, of n numbers; sign(0) = 1:
//
//	C(x) = (‖x‖₁/n)·sign(x),    ‖C(x) − x‖² = (1 − ‖x‖₁²/(n‖x‖²))‖x‖² ≤ (1 − 1/n)‖x‖².
//
// With feedback = "ef" it is EF-signSGD.
//
// Encoding: n signs, of a bit, and the length, a float32; with a step no length.

package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Sign describes the compressor to the registry.
var Sign = fl.CompressorEntry{
	Name:    "sign",
	Summary: "signs of an update, times the mean of its absolute values",
	Paper:   "karimireddy2019",
	New: of(func(p *fl.Params) *sign {
		return &sign{p.Float("step", 0, fl.AtLeast(0), "what signs are multiplied by instead, "+
			"which server and clients know; 0: the mean absolute value, which is sent")}
	}),
}

type sign struct{ step float64 }

var (
	_ fl.Direct = (*sign)(nil)
	_ fl.Sized  = (*sign)(nil)
)

// length returns what signs are multiplied by.
func (c *sign) length(x fl.Vector) float64 {
	if c.step > 0 {
		return c.step
	}
	var sums [4]float64 // which do not wait for each other
	n := len(x) &^ 3
	for j := 0; j < n; j += 4 {
		for k, v := range x[j : j+4 : j+4] {
			sums[k] += math.Abs(v)
		}
	}
	for _, v := range x[n:] {
		sums[0] += math.Abs(v)
	}
	return fl.RoundFloat32((sums[0] + sums[1] + sums[2] + sums[3]) / float64(len(x)))
}

// Encode implements fl.Compressor.
func (c *sign) Encode(k *fl.Coding) error {
	if c.step == 0 {
		k.Code.AppendFloat32(c.length(k.In))
	}
	for _, x := range k.In {
		k.Code.Append(negative(x), 1)
	}
	return nil
}

// Decode implements fl.Compressor.
func (c *sign) Decode(k *fl.Coding) error {
	length := c.step
	if c.step == 0 {
		length = k.Code.ReadFloat32()
	}
	for j := range k.Out {
		k.Out[j] = signed(length, k.Code.Read(1))
	}
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *sign) Compress(k *fl.Coding) (bits int) {
	length := c.length(k.In)
	for j, x := range k.In {
		k.Out[j] = signed(length, negative(x))
	}
	if c.step > 0 {
		return len(k.In)
	}
	return len(k.In) + 32
}

// Bits implements fl.Sized.
func (c *sign) Bits(l fl.Layout) int {
	if c.step > 0 {
		return l.Len()
	}
	return l.Len() + 32
}

// Guarantee implements fl.Compressor.
func (c *sign) Guarantee(n int) (fl.Guarantee, bool) {
	return fl.Guarantee{Omega: 1 - (1-single)/float64(n)}, c.step == 0
}

// negative returns 1 for numbers below 0, and else 0, of −0 too.
func negative(x float64) uint64 { return math.Float64bits(x+0) >> 63 }

// signed returns x, or −x where a bit is 1.
func signed(x float64, bit uint64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ bit<<63)
}
