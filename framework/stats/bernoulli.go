package stats

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// BernoulliLaw returns the distribution of the cohort when client i participates with probability
// b[i], independently of the others: every non-empty subset, smaller ones first and in
// lexicographic order within a size, its probability given a non-empty cohort, and the probability
// of an empty one. There are 2ᴺ − 1 subsets. Some b[i] must be positive.
func BernoulliLaw(b tensor.Vector) (sets [][]int, q tensor.Vector, empty float64) {
	for size := range b {
		sets = append(sets, Subsets(len(b), size+1)...)
	}
	q = make(tensor.Vector, len(sets))
	empty, some := Attendance(b)
	for j, set := range sets {
		q[j] = 1 / some
		at := 0
		for i, x := range b {
			if at < len(set) && set[at] == i {
				q[j] *= x
				at++
			} else {
				q[j] *= 1 - x
			}
		}
	}
	return sets, q, empty
}

// Attendance returns the probabilities ∏ᵢ (1 − b[i]) of an empty cohort and of a non-empty one,
// both to full relative accuracy.
func Attendance(b tensor.Vector) (empty, nonEmpty float64) {
	log := 0.0
	for _, x := range b {
		log += math.Log1p(-x)
	}
	return math.Exp(log), -math.Expm1(log)
}

// BernoulliSurrogate sets dst[i] = E[1{i∈S}/|S| given S ≠ ∅], the weight of client i in the mean of
// a uniform average over the cohort S. Some b[i] must be positive.
//
// By 1/(1+m) = ∫₀¹ xᵐ dx it is bᵢ ∫₀¹ ∏_{k≠i} (1 − b_k + b_k x) dx / P(S ≠ ∅). A
// Gauss–Legendre rule of n nodes is exact for this polynomial when 2n ≥ N. Far fewer do
// for large N, because on [0, 1] every xᵐ with m < N is within δ of a polynomial of degree
// √(N log(2/δ)) (Sachdeva, Vishnoi, Found. Trends TCS 9, 2014, §3). All in all it takes
// O(N²) operations for small N and O(N^{3/2}) for large N.
func BernoulliSurrogate(dst, b tensor.Vector) {
	n := len(b)
	degree := int(math.Sqrt(float64(n) * math.Log(2/negligible)))
	nodes := max(1, min(n+1, degree+3)/2)
	x, weight := make(tensor.Vector, nodes), make(tensor.Vector, nodes)
	quad.Legendre{}.FixedLocations(x, weight, 0, 1)

	factor, zero, others := make(tensor.Vector, n), make(tensor.Vector, n), make(tensor.Vector, n)
	one, scratch := tensor.Vector{1}, make(tensor.Vector, kernel.SymmetricScratch(n, 1))
	clear(dst)
	for j := range x {
		for i, p := range b {
			factor[i] = 1 - p + p*x[j]
		}
		kernel.SymmetricWithout(others, factor, zero, one, scratch)
		dst.AddScaled(weight[j], others)
	}
	_, some := Attendance(b)
	for i, p := range b {
		dst[i] *= p / some
	}
}

// DrawBernoulli returns in dst, ascending, the clients that participate when client i does with
// probability b[i], independently of the others. The cohort may be empty. It allocates nothing when
// dst has the capacity.
func DrawBernoulli(dst []int, b tensor.Vector, rng *rand.Rand) []int {
	dst = dst[:0]
	for i, x := range b {
		if rng.Float64() < x {
			dst = append(dst, i)
		}
	}
	return dst
}
