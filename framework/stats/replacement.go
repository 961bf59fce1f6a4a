package stats

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// DrawWithReplacement draws k clients independently, each with a chance proportional to its
// weight, and returns them in dst in the order in which they were drawn, some perhaps more
// than once. It takes O(k log N) steps, and allocates nothing when dst has the capacity. The
// tree is that of SumTree; of weights that are all zero nobody is drawn.
func DrawWithReplacement(dst []int, tree tensor.Vector, k int, rng *rand.Rand) []int {
	dst = dst[:0]
	for len(tree) > 0 && tree[1] > 0 && len(dst) < k {
		dst = append(dst, pick(tree, rng))
	}
	return dst
}
