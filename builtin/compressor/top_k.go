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
	"math/bits"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// TopK describes the compressor to the registry.
var TopK = fl.CompressorEntry{
	Name:    "top-k",
	Summary: "the k largest numbers of an update, with their indices",
	Paper:   "stich2018",
	New:     of(func(p *fl.Params) *topK { return &topK{newCount(p)} }),
}

type topK struct{ count count }

var (
	_ fl.Sparse = (*topK)(nil)
	_ fl.Sized  = (*topK)(nil)
)

// Encode implements fl.Compressor.
func (c *topK) Encode(k *fl.Coding) error {
	width := fl.BitsFor(len(k.In))
	sent := largest(k, c.count.of(len(k.In)))
	for i, j := range sent.at {
		k.Code.Append(uint64(j), width)
		k.Code.AppendFloat32(sent.number(i))
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

// Sparsify implements fl.Sparse.
func (c *topK) Sparsify(k *fl.Coding) (at []int, values fl.Vector, bits int) {
	n := c.count.of(len(k.In))
	sent := largest(k, n)
	values = k.Scratch(n)
	for i := range values {
		values[i] = fl.RoundFloat32(sent.number(i))
	}
	return sent.at, values, n * (fl.BitsFor(len(k.In)) + 32)
}

// Bits implements fl.Sized.
func (c *topK) Bits(l fl.Layout) int {
	n := l.Len()
	return c.count.of(n) * (fl.BitsFor(n) + 32)
}

// Guarantee implements fl.Compressor.
func (c *topK) Guarantee(n int) (fl.Guarantee, bool) {
	return fl.Guarantee{Omega: 1 - float64(c.count.of(n))/float64(n) + single}, true
}

// classes is how many classes of sizes numbers are counted in.
const classes = 1 << 11

// words is how many words the mask of a part of the numbers has. A part has 64 times as many, which
// stay in the first-level cache.
const words = 16

// sampled is one in so many numbers that are looked at to guess how large the largest are. It is a
// prime, so that no column of a weight is looked at alone.
const sampled = 251

// A choice is some of the numbers of an update: where they are, ascending, and their bits, so that
// they need not be looked for again.
type choice struct{ at, bits []int }

// number returns the i-th number.
func (c choice) number(i int) float64 { return math.Float64frombits(uint64(c.bits[i])) }

// bitsOf returns the bits of a number.
func bitsOf(x float64) int { return int(math.Float64bits(x)) }

// magnitude returns a number that grows with |x|, of the bits of x.
func magnitude(bits int) int { return bits & math.MaxInt }

// largest returns the want numbers of k.In that are largest in absolute value, and of equal ones
// the first.
//
// Where few are wanted, those below a size are left out that enough of a sample exceed: one pass
// that copies little. It is a guess, but what is returned is not: where fewer are left than are
// wanted, none is left out.
func largest(k *fl.Coding, want int) choice {
	c := likely(k, want)
	if len(c.at) < want {
		n := len(k.In)
		c = choice{k.Room(n)[:n], k.Room(n)[:n]}
		for j, x := range k.In {
			c.at[j], c.bits[j] = j, bitsOf(x)
		}
	}
	return c.largest(k, want)
}

// likely returns numbers above a size, or none where few can be left out.
func likely(k *fl.Coding, want int) choice {
	m, most := len(k.In)/sampled, 4*want+sampled
	if m < sampled || most > len(k.In)/2 {
		return choice{}
	}
	sample := k.Room(m)[:m]
	for j := range sample {
		sample[j] = bitsOf(k.In[j*sampled])
	}
	expected := float64(want) / sampled
	floor, _ := least(k, sample, min(m, 2+int(expected+4*math.Sqrt(expected))))
	return above(k, math.Float64frombits(uint64(floor)), most)
}

// above returns the numbers that are not below a floor, or none where these are too many. It looks
// at each again while it is in the cache.
func above(k *fl.Coding, floor float64, most int) choice {
	var mask [words]uint64
	room, n := most+64*words+4, 0 // for all of the part that is too much
	c := choice{k.Room(room)[:room], k.Room(room)[:room]}
	for lo := 0; lo < len(k.In); lo += 64 * words {
		part := k.In[lo:min(lo+64*words, len(k.In))]
		marked := mask[:(len(part)+63)/64]
		kernel.Large(marked, part, floor)
		next := n + indices(c.at[n:], marked, lo)
		if next > most {
			return choice{}
		}
		for ; n < next; n++ {
			c.bits[n] = bitsOf(k.In[c.at[n]])
		}
	}
	return choice{c.at[:n], c.bits[:n]}
}

// indices writes which bits of a mask are 1, counted from the first one, and returns how many. Four
// at a time are written, and those that are none overwritten: how many of a word there are cannot
// be foreseen.
func indices(list []int, mask []uint64, first int) (at int) {
	for _, word := range mask {
		next := at + bits.OnesCount64(word)
		for ; ; at += 4 {
			four := (*[4]int)(list[at:])
			four[0] = first + bits.TrailingZeros64(word)
			word &= word - 1
			four[1] = first + bits.TrailingZeros64(word)
			word &= word - 1
			four[2] = first + bits.TrailingZeros64(word)
			word &= word - 1
			four[3] = first + bits.TrailingZeros64(word)
			word &= word - 1
			if word == 0 {
				break
			}
		}
		at, first = next, first+64
	}
	return at
}

// largest returns the want largest, in the place of all.
func (c choice) largest(k *fl.Coding, want int) choice {
	if want >= len(c.at) {
		return c
	}
	size, ties := least(k, c.bits, want)
	n := 0
	for i, b := range c.bits {
		c.at[n], c.bits[n] = c.at[i], b // overwritten unless it stays: without a jump
		m := magnitude(b)
		if m > size {
			n++
		}
		if m == size && ties > 0 {
			n, ties = n+1, ties-1
		}
	}
	return choice{c.at[:n], c.bits[:n]}
}

// least returns the smallest of the want largest magnitudes, and how many of these are equal to it.
//
// They are counted by class, of equal width between the smallest and the largest. Those of higher
// classes than the want-th are larger, and those of its class are sorted.
func least(k *fl.Coding, all []int, want int) (size, ties int) {
	low, high := math.MaxInt, 0
	for _, b := range all {
		m := magnitude(b)
		low, high = min(low, m), max(high, m)
	}
	shift := max(0, bits.Len(uint(high-low))-bits.Len(classes-1))
	counts := k.Room(classes)[:classes]
	clear(counts)
	for _, b := range all {
		counts[(magnitude(b)-low)>>shift&(classes-1)]++
	}
	class, above := classes-1, 0
	for above+counts[class] < want {
		above += counts[class]
		class--
	}
	edge, n := k.Room(counts[class] + 1)[:counts[class]+1], 0
	for _, b := range all {
		edge[n] = magnitude(b)
		if (edge[n]-low)>>shift == class {
			n++
		}
	}
	edge = edge[:n]
	slices.Sort(edge)
	size = edge[n-(want-above)]
	for _, m := range edge[n-(want-above):] {
		if m == size {
			ties++
		}
	}
	return size, ties
}
