package stats

import (
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// DrawRepeated draws k times with replacement, client i with a probability proportional to its
// weight, and returns the clients in dst, ascending, each as often as it was drawn. There are fewer
// than k, namely none, only when no weight is positive. It takes O(k log N) steps and allocates
// nothing when dst has the capacity. The tree is that of SumTree.
func DrawRepeated(dst []int, tree tensor.Vector, k int, rng *rand.Rand) []int {
	dst = dst[:0]
	for len(dst) < k && len(tree) > 0 && tree[1] > 0 {
		dst = append(dst, pick(tree, rng))
	}
	slices.Sort(dst)
	return dst
}

// DrawUniformRepeated draws k times one of n clients, all equally likely, with replacement, and
// returns them in dst, ascending, each as often as it was drawn; k = n is a bootstrap. It draws no
// client when n = 0. It allocates nothing when dst has the capacity.
func DrawUniformRepeated(dst []int, n, k int, rng *rand.Rand) []int {
	dst = dst[:0]
	for len(dst) < k && n > 0 {
		dst = append(dst, rng.IntN(n))
	}
	slices.Sort(dst)
	return dst
}
