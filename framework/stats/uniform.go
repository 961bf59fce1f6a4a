package stats

import (
	"math/rand/v2"
	"slices"
)

// UniformInclusion returns the probabilities that a given client, and a given pair of
// clients, are among k ≤ n drawn uniformly: k/n and k(k−1)/(n(n−1)).
func UniformInclusion(n, k int) (one, two float64) {
	if k > 0 {
		one = float64(k) / float64(n)
	}
	if k > 1 {
		two = one * float64(k-1) / float64(n-1)
	}
	return one, two
}

// DrawUniform draws one of the subsets of k out of n clients, all equally likely, and
// returns it in dst, ascending; k ≤ n. It takes O(k log k) steps in the mean, does not
// touch the other clients, and allocates nothing when dst has the capacity.
func DrawUniform(dst []int, n, k int, rng *rand.Rand) []int {
	dst = dst[:0]
	if 4*k > n {
		return selection(dst, n, k, rng)
	}
	// Of those drawn in a batch one of each is kept. Nothing here prefers one client to another, so
	// the k different clients that are left in the end are any k with the same probability.
	for len(dst) < k {
		for len(dst) < k {
			dst = append(dst, rng.IntN(n))
		}
		slices.Sort(dst)
		dst = slices.Compact(dst)
	}
	return dst
}

// selection visits all n clients in turn (Knuth, TAOCP vol. 2, 3.4.2, Algorithm S).
func selection(dst []int, n, k int, rng *rand.Rand) []int {
	for i := range n {
		if rng.IntN(n-i) < k-len(dst) {
			dst = append(dst, i)
		}
	}
	return dst
}
