package stats

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// ProjectSimplex moves the elements of v at some places to the nearest point of the probability
// simplex, by Euclidean distance: vᵢ ← max(0, vᵢ − τ) with the τ for which they sum to 1 (J. Duchi,
// S. Shalev-Shwartz, Y. Singer, T. Chandra, ICML 2008, Figure 1). There must be a place, and no
// element may be NaN. The places are sorted by what v was; other elements stay.
func ProjectSimplex(v tensor.Vector, places []int) {
	slices.SortFunc(places, func(i, j int) int {
		return cmp.Or(cmp.Compare(v[j], v[i]), cmp.Compare(i, j))
	})
	sum, tau := 0.0, 0.0
	for k, i := range places {
		sum += v[i]
		if t := (sum - 1) / float64(k+1); v[i] > t {
			tau = t
		}
	}
	for _, i := range places {
		v[i] = max(0, v[i]-tau)
	}
}
