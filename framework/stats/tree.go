package stats

import (
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// SumTree fills dst, of length 2·len(weights), with what DrawSuccessive draws from: the
// weights are the leaves dst[N:], and dst[v] = dst[2v] + dst[2v+1] for 0 < v < N; dst[0] is
// not used. Weights must not be negative and their sum must be finite.
//
// Unlike a table of cumulative sums, a tree keeps every weight to full precision however large its
// neighbours, and forgets a leaf without subtracting.
func SumTree(dst, weights tensor.Vector) {
	n := len(weights)
	copy(dst[n:2*n], weights)
	for v := n - 1; v > 0; v-- {
		dst[v] = dst[2*v] + dst[2*v+1]
	}
}

// DrawSuccessive draws k clients one after another, each with a probability proportional to its
// weight among those not drawn yet, and returns them in dst, ascending. Clients of weight zero are
// never drawn: when fewer than k weights are positive, fewer than k clients are returned. It takes
// O(k log N) steps, whatever the weights, and allocates nothing when dst has the capacity. The tree
// of SumTree is put back as it was.
func DrawSuccessive(dst []int, tree tensor.Vector, k int, rng *rand.Rand) []int {
	dst = dst[:0]
	n := len(tree) / 2
	for len(dst) < k && n > 0 && tree[1] > 0 {
		i := pick(tree, rng)
		// A drawn leaf turns negative, which counts as nothing and keeps its weight.
		flip(tree, i)
		dst = append(dst, i)
	}
	for _, i := range dst {
		flip(tree, i)
	}
	slices.Sort(dst)
	return dst
}

// pick draws a leaf with a probability proportional to its weight. Every level draws anew, so that
// the smallest weight is drawn as often as it should be, and never one of zero.
func pick(tree tensor.Vector, rng *rand.Rand) int {
	n, v := len(tree)/2, 1
	for v < n {
		v *= 2
		left, right := max(tree[v], 0), max(tree[v+1], 0)
		if rng.Float64() >= left/(left+right) {
			v++
		}
	}
	return v - n
}

// flip changes the sign of leaf i and the sums above it. Sums are taken afresh, so that
// flipping twice restores every bit.
func flip(tree tensor.Vector, i int) {
	v := i + len(tree)/2
	tree[v] = -tree[v]
	for v /= 2; v > 0; v /= 2 {
		tree[v] = max(tree[2*v], 0) + max(tree[2*v+1], 0)
	}
}
