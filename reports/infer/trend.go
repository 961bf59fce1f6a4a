package infer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// mostExactPoints is up to how many points PageTrend finds the distribution of its statistic: by a
// recursion over 2ⁿ sets of them.
const mostExactPoints = 12

// PageTrend tests whether values grow along points (Page, J. Am. Stat. Assoc. 58, 1963): blocks has
// one list for each block, here a seed, with one value for each point, in their order. L = Σⱼ j Rⱼ,
// where Rⱼ is the sum over blocks of the ranks of the values at the j-th point. Up is the
// probability of at least as large an L where all orders within blocks are equally likely, down
// that of at most as large a one. Values within same of the next count as tied and share their
// mean rank. Up to mostExactPoints points both are exact, given the ties; beyond, L is taken for
// normal with mean m n (n+1)²/4 and variance m n² (n+1) (n²−1)/144 for m blocks of n points. There
// is at least one block, and all have as many points, at least two.
func PageTrend(blocks [][]float64, same float64) (l, up, down float64) {
	m, n := len(blocks), len(blocks[0])
	total := 0
	sums := []float64{1}
	known := map[string][]float64{}
	for _, block := range blocks {
		doubled := doubledRanks(block, same)
		for j, r := range doubled {
			total += (j + 1) * r
		}
		if n > mostExactPoints {
			continue
		}
		key := tiesKey(doubled)
		if known[key] == nil {
			known[key] = orderSums(doubled)
		}
		sums = convolved(sums, known[key])
	}
	l = float64(total) / 2
	if n > mostExactPoints {
		points := float64(n)
		mean := float64(m) * points * (points + 1) * (points + 1) / 4
		sd := math.Sqrt(float64(m)*points*points*(points+1)*(points*points-1)) / 12
		z := (l - mean) / sd
		return l, distuv.UnitNormal.Survival(z), distuv.UnitNormal.CDF(z)
	}
	for s, chance := range sums {
		if s >= total {
			up += chance
		}
		if s <= total {
			down += chance
		}
	}
	return l, min(1, up), min(1, down)
}

// doubledRanks returns twice the ranks of values, the smallest first: whole numbers also where
// values are tied.
func doubledRanks(values []float64, same float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]int, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]]-values[order[j-1]] <= same {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j
		}
		i = j
	}
	return ranks
}

// tiesKey tells lists of ranks apart that are not orders of one another.
func tiesKey(doubled []int) string {
	var key []byte
	for _, r := range slices.Sorted(slices.Values(doubled)) {
		key = append(key, byte(r))
	}
	return string(key)
}

// orderSums returns the chance of every value of Σⱼ j rⱼ where all orders of some ranks are equally
// likely: for every set of ranks, of the sums where these stand first.
func orderSums(ranks []int) []float64 {
	n := len(ranks)
	most := 0
	for j, r := range slices.Sorted(slices.Values(ranks)) {
		most += (j + 1) * r
	}
	bySet := make([][]float64, 1<<n)
	bySet[0] = make([]float64, most+1)
	bySet[0][0] = 1
	for set := range bySet {
		j := 0 // how many are placed
		for k := range n {
			j += set >> k & 1
		}
		for k, r := range ranks {
			with := set | 1<<k
			if with == set {
				continue
			}
			if bySet[with] == nil {
				bySet[with] = make([]float64, most+1)
			}
			shift := (j + 1) * r
			for s, chance := range bySet[set][:most+1-shift] {
				bySet[with][s+shift] += chance / float64(j+1)
			}
		}
		if j < n {
			bySet[set] = nil // it is not read again
		}
	}
	sums := bySet[len(bySet)-1]
	norm := 0.0
	for _, chance := range sums {
		norm += chance
	}
	for s := range sums {
		sums[s] /= norm
	}
	return sums
}

// convolved returns the distribution of the sum of two independent whole numbers.
func convolved(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		if x > 0 {
			for j, y := range b {
				out[i+j] += x * y
			}
		}
	}
	return out
}

// RankCorrelation returns the mean over blocks of the rank correlation of values with the order of
// their points that belongs to Page's L: (12 L/m − 3 n (n+1)²) / (n³ − n), from −1 to 1
// (Spearman's, where nothing is tied).
func RankCorrelation(l float64, blocks, points int) float64 {
	n := float64(points)
	return (12*l/float64(blocks) - 3*n*(n+1)*(n+1)) / (n*n*n - n)
}

// LogLogSlope returns the slope of the least-squares line of log y over log x; NaN where there are
// fewer than two points, all x are equal, or some number is not above 0.
func LogLogSlope(x, y []float64) float64 {
	u, v := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if !(x[i] > 0 && y[i] > 0) {
			return math.NaN()
		}
		u[i], v[i] = math.Log(x[i]), math.Log(y[i])
	}
	meanU, sd := MeanSD(u)
	meanV, _ := MeanSD(v)
	if len(x) < 2 || sd <= Rounding(math.Abs(meanU)) {
		return math.NaN()
	}
	above, below := 0.0, 0.0
	for i := range u {
		above += (u[i] - meanU) * (v[i] - meanV)
		below += (u[i] - meanU) * (u[i] - meanU)
	}
	return above / below
}

// PageSeeds estimates how many blocks PageTrend takes to find that values grow, or fall, at level
// alpha with a power, if blocks are like these: by the normal distribution, n = ((z₁₋α σ₀ + z_P
// s) / (l̄ − μ₀))² with the mean and the standard deviation of L over blocks and, where all orders
// are equally likely, μ₀ = n (n+1)²/4 and σ₀² = n² (n+1) (n²−1)/144. It is 0 for more than
// MaxSeedsNeeded, or where they seem to do the opposite.
func PageSeeds(blocks [][]float64, same float64, fall bool, alpha, power float64) int {
	n := float64(len(blocks[0]))
	var sums []float64
	for _, block := range blocks {
		l := 0.0
		for j, r := range doubledRanks(block, same) {
			l += float64((j+1)*r) / 2
		}
		sums = append(sums, l)
	}
	mean, sd := MeanSD(sums)
	if mean -= n * (n + 1) * (n + 1) / 4; fall {
		mean = -mean
	}
	if len(sums) < 2 || !(mean > 0) {
		return 0
	}
	sd0 := math.Sqrt(n*n*(n+1)*(n*n-1)) / 12
	root := (distuv.UnitNormal.Quantile(1-alpha)*sd0 + distuv.UnitNormal.Quantile(power)*sd) / mean
	if root*root > MaxSeedsNeeded {
		return 0
	}
	return int(math.Ceil(root * root))
}
