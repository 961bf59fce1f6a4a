package infer

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ranks returns the ranks of numbers, 1 for the best; equal ones share the mean of theirs.
func Ranks(x []float64, higher bool) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if higher {
			a, b = b, a
		}
		return cmp.Compare(x[a], x[b])
	})
	ranks := make([]float64, len(x))
	for i := 0; i < len(x); {
		j := i + 1
		for j < len(x) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return ranks
}

// RankSums adds up ranks, given by block and method, over the blocks.
func RankSums(ranks [][]float64) []float64 {
	sums := make([]float64, len(ranks[0]))
	for _, block := range ranks {
		for j, r := range block {
			sums[j] += r
		}
	}
	return sums
}

// Friedman tests whether all methods have the same mean rank over n ≥ 2 blocks of k ≥ 2 ranks. Chi
// is Friedman's statistic corrected for ties (Conover, Practical Nonparametric Statistics, 1999,
// §5.8); f = (n − 1) χ² / (n (k − 1) − χ²) is that of Iman and Davenport (Commun. Stat. A 9, 1980),
// of which p is the tail probability of Fisher's distribution with k − 1 and (k − 1)(n − 1) degrees
// of freedom. Ranks that agree in all blocks have f = ∞ and p = 0; all are NaN where every method
// is tied with every other in every block.
func Friedman(ranks [][]float64) (chi, f, p float64) {
	n, k := float64(len(ranks)), float64(len(ranks[0]))
	squares, between := 0.0, 0.0
	for _, block := range ranks {
		for _, r := range block {
			squares += r * r
		}
	}
	for _, sum := range RankSums(ranks) {
		between += math.Pow(sum-n*(k+1)/2, 2)
	}
	within := squares - n*k*(k+1)*(k+1)/4
	if within == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	chi = (k - 1) * between / within
	rest := n*(k-1) - chi
	if rest <= Rounding(n*k) {
		return chi, math.Inf(1), 0
	}
	f = (n - 1) * chi / rest
	free := (k - 1) * (n - 1)
	return chi, f, mathext.RegIncBeta(free/2, (k-1)/2, free/(free+(k-1)*f))
}

// PermutationTest returns p of Friedman's statistic by draws of random orders within blocks,
// for which no distribution has to be assumed: (1 + those at least as large) / (1 + draws).
func PermutationTest(ranks [][]float64, draws int, rng *rand.Rand) float64 {
	dispersion := func(ranks [][]float64) float64 { // grows with χ², and is exact
		sum := 0.0
		for _, r := range RankSums(ranks) {
			sum += r * r
		}
		return sum
	}
	observed := dispersion(ranks)
	shuffled := make([][]float64, len(ranks))
	for i := range ranks {
		shuffled[i] = slices.Clone(ranks[i])
	}
	reached := 1
	for range draws {
		for _, block := range shuffled {
			rng.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
		}
		if dispersion(shuffled) >= observed {
			reached++
		}
	}
	return float64(reached) / float64(draws+1)
}

// studentizedRange is the probability that the range of k standard normal numbers is at most
// q: k ∫ φ(z) (Φ(z) − Φ(z − q))ᵏ⁻¹ dz (David, Nagaraja, Order Statistics, 2003, eq. 2.3.4).
func studentizedRange(q float64, k int) float64 {
	const far = 9 // where φ is below 1e-18
	normal := distuv.UnitNormal
	return float64(k) * quad.Fixed(func(z float64) float64 {
		return normal.Prob(z) * math.Pow(normal.CDF(z)-normal.CDF(z-q), float64(k-1))
	}, -far, far, 200, nil, 0)
}

// CriticalDifference returns by how much mean ranks of k methods over n blocks must differ
// for Nemenyi's test at level alpha to tell two of them apart (Demšar, JMLR 7, 2006, §3.2.2):
// q √(k (k + 1) / (6 n)), where q is the 1 − alpha quantile of the studentised range over √2.
func CriticalDifference(k, n int, alpha float64) float64 {
	low, high := 0.0, 20.0
	for range 60 {
		if middle := (low + high) / 2; studentizedRange(middle, k) < 1-alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return high / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// Cliques returns the largest sets of methods, by index and best rank first, of which no two
// differ in mean rank by more than the critical difference: the bars of Demšar's diagram.
// Sets of one are left out.
func Cliques(ranks []float64, critical float64) [][]int {
	order := make([]int, len(ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	var sets [][]int
	end := 0 // of the last set
	for i := range order {
		j := i + 1
		for j < len(order) && ranks[order[j]]-ranks[order[i]] <= critical {
			j++
		}
		if j-i > 1 && j > end {
			sets, end = append(sets, slices.Clone(order[i:j])), j
		}
	}
	return sets
}
