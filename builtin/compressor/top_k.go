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
	"cmp"
	"math"
	"math/bits"
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
func (c *topK) Compress(k *fl.Coding) int {
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

// classes is how many classes of sizes numbers are counted in.
const classes = 1 << 12

// magnitude returns a number that grows with |x|.
func magnitude(x float64) uint64 { return math.Float64bits(x) &^ (1 << 63) }

// sampled is one in so many numbers that are looked at to guess how large the largest are.
const sampled = 256

// largest returns the indices of the want numbers of k.In that are largest in absolute value,
// ascending, and of equal ones the first.
//
// Where few are wanted, those below a size are left out that enough of a sample exceed: one pass
// that copies little. It is a guess, but what is returned is not: where fewer are left than are
// wanted, none is left out.
func largest(k *fl.Coding, want int) []int {
	list := likely(k, want)
	if len(list) < want {
		list = k.Room(len(k.In))
		for j := range len(k.In) {
			list = append(list, j)
		}
	}
	return among(k, list, want)
}

// likely returns the indices of numbers above a size, or no list of them where few can be left out.
func likely(k *fl.Coding, want int) []int {
	m, most := len(k.In)/sampled, 4*want+sampled
	if m < sampled || most > len(k.In)/2 {
		return nil
	}
	sample := k.Scratch(m)
	for j := range sample {
		sample[j] = math.Abs(k.In[j*sampled])
	}
	slices.Sort(sample)
	expected := float64(want) / sampled
	floor := magnitude(sample[max(0, m-2-int(expected+4*math.Sqrt(expected)))])
	list := k.Room(most)
	for j, x := range k.In {
		if magnitude(x) >= floor {
			if len(list) == most {
				return nil
			}
			list = append(list, j)
		}
	}
	return list
}

// among returns the want largest of those that are listed, ascending, in their place.
//
// Numbers are counted by class of their size, of equal width between the smallest and the largest.
// Those of higher classes than the want-th are among the largest, and those of its class are
// sorted.
func among(k *fl.Coding, candidates []int, want int) []int {
	if want >= len(candidates) {
		return candidates
	}
	low, high := ^uint64(0), uint64(0)
	for _, j := range candidates {
		m := magnitude(k.In[j])
		low, high = min(low, m), max(high, m)
	}
	shift := max(0, bits.Len64(high-low)-bits.Len(classes-1))
	counts := k.Room(classes)[:classes]
	clear(counts)
	for _, j := range candidates {
		counts[(magnitude(k.In[j])-low)>>shift]++
	}
	class, above := classes-1, 0
	for above+counts[class] < want {
		above += counts[class]
		class--
	}
	list, edge := candidates[:0], k.Room(counts[class])
	for _, j := range candidates {
		switch of := int((magnitude(k.In[j]) - low) >> shift); {
		case of > class:
			list = append(list, j)
		case of == class:
			edge = append(edge, j)
		}
	}
	slices.SortFunc(edge, func(a, b int) int {
		return cmp.Or(cmp.Compare(magnitude(k.In[b]), magnitude(k.In[a])), a-b)
	})
	edge = edge[:want-len(list)]
	slices.Sort(edge)
	return merged(list, edge, k.Room(want))
}

// merged appends two ascending lists to a third, ascending.
func merged(a, b, into []int) []int {
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			into, a = append(into, a[0]), a[1:]
		} else {
			into, b = append(into, b[0]), b[1:]
		}
	}
	return append(append(into, a...), b...)
}
