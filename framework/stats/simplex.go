package stats

import "github.com/hansa-fl/hansa/framework/tensor"

// ProjectSimplex moves v to the nearest point of the probability simplex, by Euclidean distance:
// vᵢ ← max(0, vᵢ − τ) with the τ for which they sum to 1 (J. Duchi, S. Shalev-Shwartz, Y. Singer,
// T. Chandra, ICML 2008, Figure 1). It takes v of length 1 or more without NaN, and room for as
// many ints, which it overwrites.
func ProjectSimplex(v tensor.Vector, room []int) {
	order := tensor.ArgSortDescending(room[:0], v)
	sum, tau := 0.0, 0.0
	for k, i := range order {
		sum += v[i]
		if t := (sum - 1) / float64(k+1); v[i] > t {
			tau = t
		}
	}
	for i, x := range v {
		v[i] = max(0, x-tau)
	}
}
