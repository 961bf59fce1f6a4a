package tune

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/study"
)

// Beyond returns two values of range k beyond the edge at which the winner lies, outwards, at the
// distance of the two values that were tried next to it: of their logarithms where the range is
// logarithmic, or a list of positive numbers. There are none where the winner lies at no edge, or
// fewer than two values were tried. They may be no values that the parameter can have.
func Beyond(ranges []study.Range, tried []Setting, winner Setting, k int) (values []any) {
	r := &ranges[k]
	if !slices.Contains(Edges(ranges, tried, winner), r.Path) {
		return nil
	}
	var all []float64
	whole := true
	for _, s := range tried {
		x, _ := number(s[k])
		_, integer := s[k].(int64)
		all, whole = append(all, x), whole && integer
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 {
		return nil
	}
	edge, next := all[0], all[1]
	if own, _ := number(winner[k]); own != edge {
		edge, next = all[len(all)-1], all[len(all)-2]
	}
	ratio := r.Scale == study.LogScale || r.Scale == study.ListScale && all[0] > 0
	for step := 1.0; step <= 2; step++ {
		x := edge + step*(edge-next)
		if ratio {
			x = edge * math.Pow(edge/next, step)
		}
		switch {
		case whole && (r.Scale == study.IntegerScale || math.Round(x) != edge):
			values = append(values, int64(math.Round(x)))
		case !whole:
			values = append(values, rounded(&study.Range{Low: math.Inf(-1), High: math.Inf(1)}, x))
		}
	}
	return slices.Compact(values)
}
