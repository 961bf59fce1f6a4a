package stats

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestPosterior: posteriors are shares of densities, here of two components in closed form, and of
// variances that are no variances there are none.
func TestPosterior(t *testing.T) {
	m := newMixture(Spherical, 2, 1)
	copy(m.Weights, []float64{3, 1})
	copy(m.Means.Data, []float64{0, 2})
	copy(m.Cov.Data, []float64{1, 1})
	x, got := matrix([]tensor.Vector{{0}, {1}, {7}}), tensor.NewMatrix(3, 2)
	if err := m.Posterior(got, x); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		odds := 3 * math.Exp(2-2*x.Row(i)[0]) // the logarithm of the densities' ratio is 2 − 2x
		tolerance{Abs: 1e-14}.one(t, "posterior", got.Row(i)[0], odds/(1+odds))
		tolerance{Abs: 1e-14}.one(t, "sum", got.Row(i)[0]+got.Row(i)[1], 1)
	}
	m.Cov.Data[0] = 0
	if err := m.Posterior(got, x); err == nil {
		t.Error("a variance of 0: no error")
	}
}
