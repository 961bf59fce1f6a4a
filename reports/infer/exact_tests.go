package infer

import (
	"cmp"
	"math"
	"slices"
)

// mostFlips is up to how many differences SignFlip goes through all signs: 2²⁰ sums.
const mostFlips = 20

// SmallestExactP is the smallest two-sided p that an exact test of signs or of signed ranks has
// for n differences, none of them zero: 2¹⁻ⁿ, which all differences of one sign reach. It is
// 1 for none.
func SmallestExactP(n int) float64 { return min(1, math.Ldexp(1, 1-n)) }

// CountNonzero returns how many differences are further from zero than same, which is by how much
// equal numbers may differ from rounding.
func CountNonzero(d []float64, same float64) int {
	n := 0
	for _, x := range d {
		if math.Abs(x) > same {
			n++
		}
	}
	return n
}

// Wilcoxon tests by signed ranks whether differences d are symmetric about zero (Wilcoxon,
// Biometrics Bulletin 1, 1945). Zeros are left out; ties share their mean rank, and p stays
// exact: it is twice the smaller tail of the distribution of the sum of ranks over all 2ⁿ
// signs, added up over doubled ranks, which are whole numbers. Differences count as zero, or
// as tied, where they are within same. W is the sum of the ranks of positive differences;
// p is 1 where there are none.
func Wilcoxon(d []float64, same float64) (w, p float64) {
	order := slices.DeleteFunc(slices.Clone(d), func(x float64) bool {
		return math.Abs(x) <= same
	})
	slices.SortFunc(order, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	var doubled []int
	total, positive := 0, 0
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && math.Abs(order[j])-math.Abs(order[j-1]) <= same {
			j++
		}
		for k := i; k < j; k++ {
			rank := i + 1 + j // twice the mean of i+1 … j
			doubled, total = append(doubled, rank), total+rank
			if order[k] > 0 {
				positive += rank
			}
		}
		i = j
	}
	chance := make([]float64, total+1) // of every sum of doubled ranks
	chance[0] = 1
	for _, rank := range doubled {
		for s := total; s >= 0; s-- {
			chance[s] /= 2
			if s >= rank {
				chance[s] += chance[s-rank] / 2
			}
		}
	}
	tail := 0.0
	for _, c := range chance[:min(positive, total-positive)+1] {
		tail += c
	}
	return float64(positive) / 2, min(1, 2*tail)
}

// SignFlip tests whether differences d have mean zero, given that they are symmetric about
// it: p is the share of all 2ⁿ signs with which the sum is at least as far from zero as it
// is (Fisher, The Design of Experiments, 1935, §21). Sums count as equal within n · same. It
// is NaN for more than mostFlips differences.
func SignFlip(d []float64, same float64) float64 {
	if len(d) > mostFlips {
		return math.NaN()
	}
	sum := 0.0
	for _, x := range d {
		sum += x
	}
	limit := math.Abs(sum) - float64(len(d))*same
	var count func(i int, sum float64) int
	count = func(i int, sum float64) int {
		if i == len(d) {
			if math.Abs(sum) >= limit {
				return 1
			}
			return 0
		}
		return count(i+1, sum+d[i]) + count(i+1, sum-d[i])
	}
	return math.Ldexp(float64(count(0, 0)), -len(d))
}
