package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Conditional Poisson sampling draws a subset S of k clients with probability
//
//	q(S) ∝ ∏_{i∈S} rᵢ
//
// (Hájek, Ann. Math. Stat. 35, 1964; Chen, Dempster, Liu, Biometrika 81, 1994). It is the law of k
// draws with replacement given that all differ, and the law of independent clients with odds c·rᵢ,
// for any c > 0, given that k participate. It is not the law of drawing without replacement, unless
// all weights are equal.

// ConditionalLaw returns q for every subset of k clients, in the order of Subsets. At
// least k of the weights r must be positive.
func ConditionalLaw(r tensor.Vector, k int) tensor.Vector {
	sets := Subsets(len(r), k)
	q := make(tensor.Vector, len(sets))
	for j, set := range sets {
		for _, i := range set {
			q[j] += math.Log(r[i])
		}
	}
	total := floats.LogSumExp(q)
	for j := range q {
		q[j] = math.Exp(q[j] - total)
	}
	return q
}

// ConditionalInclusion sets dst[i] = πᵢ = rᵢ e_{k−1}(r without rᵢ) / e_k(r), where e are
// the elementary symmetric polynomials. When no more than k weights are positive, those
// clients are always drawn.
func ConditionalInclusion(dst, r tensor.Vector, k int) {
	if k = min(k, positive(r)); k == 0 {
		clear(dst)
		return
	}
	off, on, _ := tilted(r, k)
	exactly := make(tensor.Vector, k+1)
	kernel.Symmetric(exactly, off, on)
	last, scratch := make(tensor.Vector, k), make(tensor.Vector, kernel.SymmetricScratch(len(r), k))
	last[k-1] = 1
	kernel.SymmetricWithout(dst, off, on, last, scratch)
	for i, b := range on {
		dst[i] *= b / exactly[k]
	}
}

// ConditionalAcceptance returns the probability that k draws with replacement, each with
// probabilities proportional to the weights r, all differ: k! e_k(r) / (Σᵢ rᵢ)ᵏ.
func ConditionalAcceptance(r tensor.Vector, k int) float64 {
	if k == 0 {
		return 1
	}
	off, on, lost := tilted(r, k)
	if math.IsInf(lost, -1) {
		return 0
	}
	exactly := make(tensor.Vector, k+1)
	kernel.Symmetric(exactly, off, on)
	orders, _ := math.Lgamma(float64(k) + 1)
	return math.Exp(orders + lost + math.Log(exactly[k]) - float64(k)*math.Log(r.Sum()))
}

// tilted returns the inclusion probabilities of independent clients, k of which participate in the
// mean, and the logarithm of e_k(r) over the probability that k do.
func tilted(r tensor.Vector, k int) (off, on tensor.Vector, lost float64) {
	off, on = make(tensor.Vector, len(r)), r.Clone()
	for i := range off {
		off[i] = 1
	}
	lost = kernel.Tilt(off, on, k)
	return off, on, lost
}

// ConditionalTable fills dst, of length 3·len(r), with what DrawConditional draws k clients from:
// the tree of SumTree, then the probabilities of independent clients. In the unused dst[0] it
// leaves k, or the number of positive weights when that is less. It allocates.
func ConditionalTable(dst, r tensor.Vector, k int) {
	k = min(k, positive(r))
	SumTree(dst[:2*len(r)], r)
	_, on, _ := tilted(r, k)
	copy(dst[2*len(r):3*len(r)], on)
	dst[0] = float64(k)
}

// DrawConditional draws k clients by conditional Poisson sampling and returns them in dst,
// ascending. It allocates nothing when dst has the capacity. The table of ConditionalTable, which
// holds k, is restored.
//
// It first draws with replacement, in O(k log N) steps, until all clients differ, a few times at
// most. Where that hardly ever succeeds, it draws independent clients until exactly k participate;
// each attempt takes O(N) steps and succeeds with a probability of about 1/√(2πk) or more. Both
// have the desired distribution, however often either has failed.
func DrawConditional(dst []int, table tensor.Vector, rng *rand.Rand) []int {
	const hopeful = 8
	n, k := len(table)/3, int(table[0])
	tree, chance := table[:2*n], table[2*n:]
	for range hopeful {
		if dst = drawDistinct(dst[:0], tree, chance, k, rng); len(dst) == k {
			slices.Sort(dst)
			return dst
		}
	}
	for {
		if dst = drawIndependent(dst[:0], chance, k, rng); len(dst) == k {
			return dst
		}
	}
}

// drawDistinct draws with replacement until it has k clients or one of them again.
func drawDistinct(dst []int, tree, chance tensor.Vector, k int, rng *rand.Rand) []int {
	for len(dst) < k {
		i := pick(tree, rng)
		if chance[i] < 0 {
			break
		}
		chance[i] = -chance[i] // marks a client drawn
		dst = append(dst, i)
	}
	for _, i := range dst {
		chance[i] = -chance[i]
	}
	return dst
}

// drawIndependent returns the clients that participate; all k of them, or a number other than k.
func drawIndependent(dst []int, chance tensor.Vector, k int, rng *rand.Rand) []int {
	came := 0
	for i, b := range chance {
		if rng.Float64() < b {
			if came++; came > k {
				return dst[:0]
			}
			dst = append(dst, i)
		}
	}
	return dst
}
