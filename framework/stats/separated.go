package stats

import (
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Separated conditional Poisson sampling draws in every round a cohort of k clients with
//
//	q(S) ∝ ∏_{i∈S} rᵢ
//
// among those in none of the last m cohorts. Its stationary law is that of one conditional Poisson
// sample of k(m+1) clients, cut into m+1 cohorts of k at random: let μ(S₁, …, S_m) ∝ ∏ rᵢ·e_k(r of
// all others) for disjoint cohorts, where ∏ is over all of their clients. The probability of S
// after them is ∏_S rᵢ/e_k(r of all others), so the one of S₁, …, S_m, S is ∝ ∏ rᵢ over all of
// them, which is symmetric; summed over S₁ it is μ(S₂, …, S_m, S).

// SeparatedInclusion sets dst[i] = P(i ∈ S) of one round in stationarity. At least k(m+1) of the
// weights r must be positive.
func SeparatedInclusion(dst, r tensor.Vector, k, m int) {
	ConditionalInclusion(dst, r, k*(m+1))
	dst.Scale(1 / float64(m+1))
}

// SeparatedLaw returns P(S) of one round in stationarity, for every subset of k clients in the
// order of Subsets: ∝ ∏_S rᵢ·e_{km}(r of all others). It takes so many times len(r)·k·m
// multiplications.
func SeparatedLaw(r tensor.Vector, k, m int) tensor.Vector {
	sets := Subsets(len(r), k)
	q, others := make(tensor.Vector, len(sets)), make(tensor.Vector, k*m+1)
	off, on, _ := tilted(r, k*(m+1))
	offs, ons := off.Clone(), on.Clone()
	for j, set := range sets {
		for _, i := range set {
			offs[i], ons[i] = on[i], 0 // counts whichever others there are
		}
		kernel.Symmetric(others, offs, ons)
		q[j] = others[k*m]
		for _, i := range set {
			offs[i], ons[i] = off[i], on[i]
		}
	}
	q.Scale(1 / q.Sum())
	return q
}

// DrawConditionalWithout is DrawConditional among the clients that are not in without, which holds
// none twice; where no more than k others have positive weights it returns these. The table is
// restored; scratch has the length 2N.
func DrawConditionalWithout(dst []int, table tensor.Vector, without []int, scratch tensor.Vector,
	rng *rand.Rand) []int {
	const hopeful = 8
	n, k := len(table)/3, int(table[0])
	tree, marks := table[:2*n], table[2*n:]
	for _, i := range without {
		flip(tree, i)
	}
	defer func() {
		for _, i := range without {
			flip(tree, i)
		}
	}()
	dst = dst[:0]
	off, on := scratch[:n], scratch[n:2*n]
	for i, w := range tree[n:] {
		off[i], on[i] = 1, max(w, 0)
		if w > 0 && len(dst) <= k {
			dst = append(dst, i)
		}
	}
	if len(dst) <= k {
		return dst
	}
	for range hopeful {
		if dst = drawDistinct(dst[:0], tree, marks, k, rng); len(dst) == k {
			slices.Sort(dst)
			return dst
		}
	}
	kernel.Tilt(off, on, k)
	for {
		if dst = drawIndependent(dst[:0], on, k, rng); len(dst) == k {
			return dst
		}
	}
}
