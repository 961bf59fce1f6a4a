package stats

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A WeightRange holds weights of n values that are known up to a range: 0 ≤ Low ≤ High, element by
// element. It keeps its memory from one call to the next; the zero value without values is ready.
type WeightRange struct {
	Low, High tensor.Vector
	order     []int
}

// Mean returns the least and the largest weighted mean of the values,
//
//	min and max of Σ wᵢvᵢ/Σ wᵢ over Lowᵢ ≤ wᵢ ≤ Highᵢ,
//
// exactly, in O(n log n). A linear-fractional program has its optimum at a vertex, and there wᵢ is
// Highᵢ where vᵢ is beyond the optimum and Lowᵢ elsewhere (A. Charnes, W. W. Cooper, Naval Research
// Logistics Quarterly 9, 1962; Zhao, Small, Bhattacharya 2019, Proposition 2). Sorted by value, the
// optimum is where raising the next weight no longer moves the mean outwards. Both are NaN where
// all of High is 0.
func (r *WeightRange) Mean(v tensor.Vector) (least, most float64) {
	r.order = r.order[:0]
	for i := range v {
		if r.High[i] > 0 { // a value that cannot count may be unknown
			r.order = append(r.order, i)
		}
	}
	slices.SortFunc(r.order, func(i, j int) int {
		switch {
		case v[i] < v[j]:
			return -1
		case v[i] > v[j]:
			return 1
		}
		return i - j
	})
	least = r.extreme(v)
	slices.Reverse(r.order)
	return least, r.extreme(v)
}

// extreme returns the mean that lies farthest towards the values that are first in order.
func (r *WeightRange) extreme(v tensor.Vector) float64 {
	if len(r.order) == 0 {
		return math.NaN()
	}
	first := v[r.order[0]]
	sum, total := 0.0, 0.0 // of what lies behind the first value
	for _, i := range r.order {
		sum += float64(r.Low[i] * math.Abs(v[i]-first))
		total += r.Low[i]
	}
	for _, i := range r.order {
		off := math.Abs(v[i] - first)
		if total > 0 && off*total >= sum {
			break
		}
		sum += float64((r.High[i] - r.Low[i]) * off)
		total += r.High[i] - r.Low[i]
	}
	if v[r.order[len(r.order)-1]] < first {
		return first - sum/total
	}
	return first + sum/total
}
