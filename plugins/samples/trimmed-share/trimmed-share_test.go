package trimmedshare

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/plugins/trial"
)

// Whatever ⌊βn⌋ clients return, every coordinate stays among the values of the others.
func TestOutliersAreIgnored(t *testing.T) {
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		n := 3 + rng.IntN(20)
		beta := 0.49 * rng.Float64()
		bad := int(beta * float64(n))
		r := trial.Cohort(rng, n, 5)
		for k := range bad { // all on one side, or on both
			for j := range r.Global {
				r.Updates[k].Params[j] = math.Copysign(1e9, rng.Float64()-0.3)
			}
		}
		a := trial.Build(t, TrimmedMean, trial.Values{"beta": beta})
		for j, x := range trial.Next(t, a, r) {
			var honest []float64
			for _, u := range r.Updates[bad:] {
				honest = append(honest, u.Params[j])
			}
			if x < slices.Min(honest) || x > slices.Max(honest) {
				t.Fatalf("β = %v of %d: %v is not among %v", beta, n, x, honest)
			}
		}
	}
}

// It is what Definition 2 says, and the mean for β = 0.
func TestDefinition(t *testing.T) {
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		n, cut := 1+rng.IntN(20), 0
		beta := float64(rng.IntN(50)) / 100
		if seed == 0 {
			n, beta = 100, 0.29 // whose product is less than 29 in floating point
		}
		r := trial.Cohort(rng, n, 3)
		for ; 100*(cut+1) <= int(math.Round(100*beta))*n; cut++ { // ⌊βn⌋ in integers
		}
		want := make([]float64, 3)
		for j := range want {
			var column []float64
			for _, u := range r.Updates {
				column = append(column, u.Params[j])
			}
			slices.Sort(column)
			for _, x := range column[cut : n-cut] {
				want[j] += x / float64(n-2*cut)
			}
		}
		a := trial.Build(t, TrimmedMean, trial.Values{"beta": beta})
		trial.Near(t, "the trimmed mean", trial.Next(t, a, r), want)
		mean := trial.Build(t, TrimmedMean, trial.Values{"beta": 0.0})
		trial.Near(t, "β = 0", trial.Next(t, mean, r), trial.Mean(r, false))
	}
}

// However close β comes to ½, something is left.
func TestSomethingIsLeft(t *testing.T) {
	r := trial.Cohort(trial.Random(1), 2, 3)
	a := trial.Build(t, TrimmedMean, trial.Values{"beta": 0.5 - 1e-12})
	trial.Near(t, "of two", trial.Next(t, a, r), trial.Mean(r, false))
}
