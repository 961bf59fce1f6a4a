package medianrule

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/plugins/trial"
)

// It is the median of every coordinate, and less than half cannot take it out of the values of
// the others.
func TestMedian(t *testing.T) {
	a := trial.Build(t, CoordinateMedian, nil)
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		n := 1 + rng.IntN(20)
		r := trial.Cohort(rng, n, 5)
		bad := (n - 1) / 2
		for _, u := range r.Updates[:bad] {
			u.Params.AddConst(1e9)
		}
		for j, x := range trial.Next(t, a, r) {
			var column, honest []float64
			for k, u := range r.Updates {
				column = append(column, u.Params[j])
				if k >= bad {
					honest = append(honest, u.Params[j])
				}
			}
			slices.Sort(column)
			if want := (column[n/2] + column[(n-1)/2]) / 2; x != want {
				t.Fatalf("of %v: %v, want %v", column, x, want)
			}
			if x < slices.Min(honest) || x > slices.Max(honest) {
				t.Fatalf("%d of %d are faulty: %v is not among %v", bad, n, x, honest)
			}
		}
	}
}
