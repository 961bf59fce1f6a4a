package stats

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// CountSubsets returns the number of subsets of k out of n clients, or math.MaxInt when
// there are more than that. It is 0 when k < 0 or k > n.
func CountSubsets(n, k int) int {
	k = min(k, n-k)
	if k < 0 {
		return 0
	}
	count := uint64(1)
	for i := uint64(1); i <= uint64(k); i++ {
		// C(n−k+i, i) grows with i, so what overflows here overflows in the end.
		hi, lo := bits.Mul64(count, uint64(n-k)+i)
		if hi >= i {
			return math.MaxInt
		}
		if count, _ = bits.Div64(hi, lo, i); count > math.MaxInt {
			return math.MaxInt
		}
	}
	return int(count)
}

// Subsets returns all subsets of k out of n clients, each ascending, in lexicographic
// order. CountSubsets says beforehand how many there are.
func Subsets(n, k int) [][]int {
	if k < 0 || k > n {
		return nil
	}
	return combin.Combinations(n, k)
}

// Inclusion returns πᵢ = Σ_{j: i ∈ sets[j]} q[j], length n.
func Inclusion(sets [][]int, q tensor.Vector, n int) tensor.Vector {
	pi := make(tensor.Vector, n)
	for j, set := range sets {
		for _, i := range set {
			pi[i] += q[j]
		}
	}
	return pi
}

// PairInclusion returns the n×n matrix of probabilities that i and k are drawn together;
// its diagonal is Inclusion.
func PairInclusion(sets [][]int, q tensor.Vector, n int) tensor.Matrix {
	pi := tensor.NewMatrix(n, n)
	for j, set := range sets {
		for _, i := range set {
			row := pi.Row(i)
			for _, k := range set {
				row[k] += q[j]
			}
		}
	}
	return pi
}

// positive returns how many of the weights are positive.
func positive(weights tensor.Vector) int {
	count := 0
	for _, w := range weights {
		if w > 0 {
			count++
		}
	}
	return count
}
