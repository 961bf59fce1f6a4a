package stats

import (
	"gonum.org/v1/gonum/stat/combin"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// SuccessiveLaw returns the probability of every subset of k clients, in the order of Subsets,
// under successive sampling: one client after another is drawn, with a probability proportional to
// its weight among those not drawn yet (Yates, Grundy, J. R. Stat. Soc. B 15, 1953). Weights r need
// not sum to 1; at least k of them must be positive.
func SuccessiveLaw(r tensor.Vector, k int) tensor.Vector {
	const quick = 1 << 20
	count, smaller := CountSubsets(len(r), k), 0
	for size := range k {
		if smaller += CountSubsets(len(r), size); smaller > max(quick, 8*count) {
			// Nearly all clients are drawn: there are few such subsets, but far too many
			// smaller ones to climb up from.
			return lawByClocks(r, k)
		}
	}
	return lawByRecursion(r, k)
}

// lawByRecursion climbs from smaller subsets to larger ones. With F(B) the probability that the
// first |B| clients drawn are those of B, in any order,
//
//	F(∅) = 1,   F(B) = Σ_{i∈B} F(B∖i) · rᵢ / Σ_{l∉B∖i} r_l,
//
// where nothing is subtracted.
func lawByRecursion(r tensor.Vector, k int) tensor.Vector {
	f := tensor.Vector{1}
	for size := 1; size <= k; size++ {
		f = drawOneMore(r, f, size)
	}
	return f
}

// drawOneMore returns F over the subsets of size clients, given F over those of one less.
func drawOneMore(r, f tensor.Vector, size int) tensor.Vector {
	n := len(r)
	beyond := make([][]int, n) // beyond[c][m]: how many sets of m clients lie beyond c
	for c := range beyond {
		beyond[c] = make([]int, size+1)
		for m := range beyond[c] {
			beyond[c][m] = CountSubsets(n-1-c, m)
		}
	}
	next, drawn := make(tensor.Vector, CountSubsets(n, size)), make([]int, size-1)
	sets := combin.NewCombinationGenerator(n, size-1)
	for j := 0; sets.Next(); j++ {
		sets.Combination(drawn)
		// Σ_at beyond[c_at][size−at] sets of size clients follow {c₀ < c₁ < …}. Later is this sum
		// without i, which pushes the clients beyond it one place on.
		later, at := 0, 0
		for at, c := range drawn {
			later += beyond[c][size-1-at]
		}
		rest := weightOutside(r, drawn)
		for i, w := range r {
			if at < len(drawn) && drawn[at] == i {
				later += beyond[i][size-at] - beyond[i][size-1-at]
				at++
				continue
			}
			next[len(next)-1-later-beyond[i][size-at]] += f[j] * (w / rest)
		}
	}
	return next
}

// weightOutside returns Σ_{i∉set} rᵢ for an ascending set.
func weightOutside(r tensor.Vector, set []int) float64 {
	sum, at := 0.0, 0
	for i, w := range r {
		if at < len(set) && set[at] == i {
			at++
			continue
		}
		sum += w
	}
	return sum
}
