// Random-k — k numbers of an update, drawn at random.
//
//	S. U. Stich, J.-B. Cordonnier, M. Jaggi. Sparsified SGD with Memory. NeurIPS 2018,
//	Definition 2.1 and Lemma A.1; scaled by n/k as in
//	J. Konečný, H. B. McMahan, F. X. Yu, P. Richtárik, A. T. Suresh, D. Bacon. Federated Learning:
//	Strategies for Improving Communication Efficiency. 2016, Section 2 (random mask).
//
// Notation: x is the update, of n numbers, S a set of k indices, uniform among all of these:
//
//	unbiased:  C(x)_j = (n/k)·x_j for j ∈ S, else 0;   E‖C(x) − x‖² = (n/k − 1)‖x‖²,
//	else:      C(x)_j = x_j for j ∈ S, else 0;         E‖C(x) − x‖² = (1 − k/n)‖x‖².
//
// Encoding: k values, float32, by ascending index. S is drawn by a stream that client and server
// share, anew for each client and round, and is not sent.

package compressor

import (
	"math/bits"

	"github.com/hansa-fl/hansa/framework/fl"
)

// RandomK describes the compressor to the registry.
var RandomK = fl.CompressorEntry{
	Name:    "random-k",
	Summary: "k numbers of an update at random; a shared seed says which",
	Paper:   "konecny2016",
	New: of(func(p *fl.Params) *randomK {
		return &randomK{newCount(p), p.Bool("unbiased", true, "numbers are sent n/k times as "+
			"large, so that what arrives is the update on average; false: as they are")}
	}),
}

type randomK struct {
	count    count
	unbiased bool
}

var (
	_ fl.Sparse = (*randomK)(nil)
	_ fl.Sized  = (*randomK)(nil)
)

// scale returns what numbers are multiplied by, where k of n are sent.
func (c *randomK) scale(k, n int) float64 {
	if c.unbiased {
		return float64(n) / float64(k)
	}
	return 1
}

// Encode implements fl.Compressor.
func (c *randomK) Encode(k *fl.Coding) error {
	c.write(k, drawn(k, len(k.In), c.count.of(len(k.In))))
	return nil
}

// Decode implements fl.Compressor.
func (c *randomK) Decode(k *fl.Coding) error {
	c.read(k, drawn(k, len(k.Out), c.count.of(len(k.Out))))
	return k.Code.Err()
}

// write writes the numbers at indices, and read reads them.
func (c *randomK) write(k *fl.Coding, at []int) {
	for _, j := range at {
		k.Code.AppendFloat32(k.In[j])
	}
}

func (c *randomK) read(k *fl.Coding, at []int) {
	scale := c.scale(len(at), len(k.Out))
	for _, j := range at {
		k.Out[j] = scale * k.Code.ReadFloat32()
	}
}

// Sparsify implements fl.Sparse.
func (c *randomK) Sparsify(k *fl.Coding) (at []int, values fl.Vector, bits int) {
	at = drawn(k, len(k.In), c.count.of(len(k.In)))
	scale := c.scale(len(at), len(k.In))
	values = k.Scratch(len(at))
	for i, j := range at {
		values[i] = scale * fl.RoundFloat32(k.In[j])
	}
	return at, values, 32 * len(at)
}

// Bits implements fl.Sized.
func (c *randomK) Bits(l fl.Layout) int { return 32 * c.count.of(l.Len()) }

// Guarantee implements fl.Compressor. What the nearest float32 is off counts as a loss, and not as
// a bias.
func (c *randomK) Guarantee(n int) (fl.Guarantee, bool) {
	k := float64(c.count.of(n)) / float64(n)
	if c.unbiased {
		return fl.Guarantee{Unbiased: true, Omega: (1/k-1)*(1+0x1p-22) + single/k}, true
	}
	return fl.Guarantee{Omega: 1 - k + single}, true
}

// drawn returns k of the numbers below n, ascending: Floyd's algorithm, on draws that both sides
// know.
func drawn(c *fl.Coding, n, k int) []int {
	words := (n + 63) / 64
	set := c.Room(words)[:words]
	clear(set)
	for last := n - k; last < n; last++ {
		j := c.Shared.IntN(last + 1)
		if set[j>>6]>>(j&63)&1 == 1 {
			j = last
		}
		set[j>>6] |= 1 << (j & 63)
	}
	list := c.Room(k)
	for w, word := range set {
		for rest := uint64(word); rest != 0; rest &= rest - 1 {
			list = append(list, w<<6+bits.TrailingZeros64(rest))
		}
	}
	return list
}
