// Bfloat16 — numbers of an update in 16 bits, with the range of float32.
//
//	D. Kalamkar et al. A Study of BFLOAT16 for Deep Learning Training. 2019.
//
// Notation: C(x)_j is the number of the format that is nearest to x_j, that with an even last digit
// of two. It has 8 significant binary digits:
//
//	‖C(x) − x‖² ≤ 2⁻¹⁶‖x‖².
//
// Encoding: 16 bits for each number. What is too large is sent as the largest number of the format.

package compressor

import "github.com/hansa-fl/hansa/framework/fl"

// BFloat16 describes the compressor to the registry.
var BFloat16 = fl.CompressorEntry{
	Name:    "bfloat16",
	Summary: "numbers in 16 bits with the range of float32: 8 significant digits",
	Paper:   "kalamkar2019",
	New:     of(func(*fl.Params) bfloat16 { return bfloat16{} }),
}

type bfloat16 struct{}

var (
	_ fl.Direct = bfloat16{}
	_ fl.Sized  = bfloat16{}
)

// Encode implements fl.Compressor.
func (bfloat16) Encode(k *fl.Coding) error {
	for _, x := range k.In {
		k.Code.AppendBFloat16(x)
	}
	return nil
}

// Decode implements fl.Compressor.
func (bfloat16) Decode(k *fl.Coding) error {
	for j := range k.Out {
		k.Out[j] = k.Code.ReadBFloat16()
	}
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (bfloat16) Compress(k *fl.Coding) (bits int) {
	for j, x := range k.In {
		k.Out[j] = fl.RoundBFloat16(x)
	}
	return 16 * len(k.In)
}

// Bits implements fl.Sized.
func (bfloat16) Bits(l fl.Layout) int { return 16 * l.Len() }

// Guarantee implements fl.Compressor.
func (bfloat16) Guarantee(int) (fl.Guarantee, bool) { return fl.Guarantee{Omega: 0x1p-16}, true }
