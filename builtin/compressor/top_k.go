// Top-k — the k numbers of an update that are largest in absolute value.
//
//	S. U. Stich, J.-B. Cordonnier, M. Jaggi. Sparsified SGD with Memory. NeurIPS 2018,
//	Definition 2.1, with Lemma A.1 for the contraction.
//
// Notation: x is the update, of n numbers, |x_(1)| ≥ … ≥ |x_(n)|:
//
//	C(x)_j = x_j where |x_j| is one of |x_(1)|, …, |x_(k)|, and else 0,
//	‖C(x) − x‖² ≤ (1 − k/n)‖x‖².
//
// Of equal numbers those with the lowest indices are sent.
//
// Encoding: k times an index, of ⌈log₂ n⌉ bits, and a value, a float32; by ascending index.
//
// Biased: with feedback = "ef" it is the paper's Mem-SGD, and converges where it does not alone.

package compressor

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TopK describes the compressor to the registry.
var TopK = fl.CompressorEntry{
	Name:    "top-k",
	Summary: "the k largest numbers of an update, with their indices",
	Paper:   "stich2018",
	New:     of(func(p *fl.Params) *topK { return &topK{newCount(p)} }),
}

type topK struct{ count count }

var _ fl.Direct = (*topK)(nil)

// Encode implements fl.Compressor.
func (c *topK) Encode(k *fl.Coding) error {
	width := fl.BitsFor(len(k.In))
	for _, j := range largest(k, c.count.of(len(k.In))) {
		k.Code.Append(uint64(j), width)
		k.Code.AppendFloat32(k.In[j])
	}
	return nil
}

// Decode implements fl.Compressor.
func (c *topK) Decode(k *fl.Coding) error {
	width := fl.BitsFor(len(k.Out))
	for range c.count.of(len(k.Out)) {
		j := k.Code.Read(width)
		k.Out[j] = k.Code.ReadFloat32()
	}
	return k.Code.Err()
}

// Compress implements fl.Direct.
func (c *topK) Compress(k *fl.Coding) (bits int) {
	n := c.count.of(len(k.In))
	for _, j := range largest(k, n) {
		k.Out[j] = fl.RoundFloat32(k.In[j])
	}
	return n * (fl.BitsFor(len(k.In)) + 32)
}

// Guarantee implements fl.Compressor.
func (c *topK) Guarantee(n int) (fl.Guarantee, bool) {
	return fl.Guarantee{Omega: 1 - float64(c.count.of(n))/float64(n) + single}, true
}

// Absolute values are counted by their leading bits: the exponent and two digits.
const (
	leading = 50
	classes = 1 << (63 - leading)
)

// magnitude returns a number that grows with |x|.
func magnitude(x float64) uint64 { return math.Float64bits(x) &^ (1 << 63) }

// largest returns the indices of the want numbers of k.In that are largest in absolute value,
// ascending, and of equal ones the first.
//
// Numbers are counted by class of their size. Those of higher classes than the want-th are among
// the largest, and those of its class are sorted.
func largest(k *fl.Coding, want int) []int {
	n := len(k.In)
	list := k.Room(n)
	if want >= n {
		for j := range n {
			list = append(list, j)
		}
		return list
	}
	counts := k.Room(classes)[:classes]
	clear(counts)
	for _, x := range k.In {
		counts[magnitude(x)>>leading]++
	}
	class, above := classes-1, 0
	for above+counts[class] < want {
		above += counts[class]
		class--
	}
	edge := k.Room(counts[class])
	floor := uint64(class) << leading
	for j, x := range k.In {
		if m := magnitude(x); m >= floor {
			if m>>leading > uint64(class) {
				list = append(list, j)
			} else {
				edge = append(edge, j)
			}
		}
	}
	if len(list)+len(edge) > want {
		slices.SortFunc(edge, func(a, b int) int {
			if x, y := magnitude(k.In[a]), magnitude(k.In[b]); x != y {
				if x > y {
					return -1
				}
				return 1
			}
			return a - b
		})
	}
	list = append(list, edge[:want-len(list)]...)
	slices.Sort(list)
	return list
}
