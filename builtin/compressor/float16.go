// Float16 — numbers of an update in half precision.
//
//	IEEE Std 754-2019, Section 3.6: binary16.
//
// Notation: C(x)_j is the number of the format that is nearest to x_j, that with an even last digit
// of two. It has 11 significant binary digits, and multiples of 2⁻²⁴:
//
//	‖C(x) − x‖² ≤ 2⁻²²‖x‖²
//
// where no number is below 2⁻¹⁴ in absolute value: updates with smaller ones lose more of these,
// and all of numbers below 2⁻²⁵.
//
// Encoding: 16 bits for each number. What is too large is sent as the largest number of the format.

package compressor

import "github.com/hansa-fl/hansa/framework/fl"

// Float16 describes the compressor to the registry.
var Float16 = fl.CompressorEntry{
	Name:    "float16",
	Summary: "numbers in half precision: 11 significant binary digits",
	Paper:   "IEEE Standard for Floating-Point Arithmetic, IEEE Std 754-2019.",
	New:     of(func(*fl.Params) float16 { return float16{} }),
}

type float16 struct{}

var (
	_ fl.Direct = float16{}
	_ fl.Sized  = float16{}
)

// Encode implements fl.Compressor.
func (float16) Encode(k *fl.Coding) error {
	for _, x := range k.In {
		k.Code.AppendFloat16(x)
	}
	return nil
}

// Decode implements fl.Compressor.
func (float16) Decode(k *fl.Coding) error {
	for j := range k.Out {
		k.Out[j] = k.Code.ReadFloat16()
	}
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (float16) Compress(k *fl.Coding) (bits int) {
	for j, x := range k.In {
		k.Out[j] = fl.RoundFloat16(x)
	}
	return 16 * len(k.In)
}

// Bits implements fl.Sized.
func (float16) Bits(l fl.Layout) int { return 16 * l.Len() }

// Guarantee implements fl.Compressor: small numbers may be lost.
func (float16) Guarantee(int) (fl.Guarantee, bool) { return fl.Guarantee{}, false }
