package dataset

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

func TestPopulationLogisticContract(t *testing.T) {
	s := build(t, PopulationLogistic, nil, 7)
	train, test := load(t, s, 7, 1)
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || !slices.Equal(d.Shape.Covariates, []string{"x1", "x2", "x3"}) {
			t.Errorf("shape %+v, declared %+v", d.Shape, s.Shape())
		}
		for r, i := range d.Owner {
			first := slices.Index(train.Owner, i)
			if !reflect.DeepEqual(d.Covariates.Row(r), train.Covariates.Row(first)) {
				t.Fatalf("row %d of client %d has covariates of its own", r, i)
			}
		}
	}
	if len(train.Y) != 7*20 || len(test.Y) != 7*10 || !disjoint(train, test) {
		t.Errorf("%d training and %d test rows", len(train.Y), len(test.Y))
	}
	again, _ := load(t, s, 7, 1)
	if !reflect.DeepEqual(train, again) {
		t.Error("the same seed yields other data")
	}
	if other, _ := load(t, s, 7, 2); reflect.DeepEqual(train.X, other.X) {
		t.Error("another seed yields the same data")
	}
	without, none := load(t, build(t, PopulationLogistic,
		map[string]any{"test_samples_per_client": int64(0)}, 7), 7, 1)
	if none != nil || !reflect.DeepEqual(train.X, without.X) || !reflect.DeepEqual(train.Y, without.Y) {
		t.Error("without test rows the training rows are others")
	}
}

// estimates returns β̂ᵢ of clients with many rows each, and their covariates.
func estimates(t *testing.T, given map[string]any, clients int) (beta []fl.Vector, x fl.Matrix) {
	t.Helper()
	train, _ := load(t, build(t, PopulationLogistic, given, clients), clients, 3)
	n := train.Len() / clients
	var fit stats.Logistic
	x = fl.NewMatrix(clients, train.Covariates.Cols)
	for i := range clients {
		d := train.Rows(i*n, (i+1)*n)
		y := make(fl.Vector, n)
		for r := range y {
			y[r] = float64(d.Y[r])
		}
		got := fit.Fit(d.X, y, nil, 0)
		beta = append(beta, got.Coef)
		copy(x.Row(i), d.Covariates.Row(0))
	}
	return beta, x
}

// TestPopulationLogisticLaw: labels follow coefficients that are linear in the covariates, by
// columns of the length that is asked for, with an offset of length 1; curvature adds x1² − 1.
//
//hansa:verifies theorem dataset/population-logistic
func TestPopulationLogisticLaw(t *testing.T) {
	const clients, n, d = 120, 4000, 4
	for _, c := range []struct{ h, curvature float64 }{{0, 0}, {0.7, 0}, {0.3, 0.4}} {
		beta, x := estimates(t, map[string]any{"features": int64(d), "covariates": int64(2),
			"samples_per_client": int64(n), "heterogeneity": c.h, "curvature": c.curvature,
			"test_samples_per_client": int64(0)}, clients)
		// Least squares of every coordinate on (1, x₁, x₂, x₁² − 1).
		effects := fl.NewMatrix(4, d)
		rest := 0.0
		for j := range d {
			sample := fl.Dataset{X: fl.NewMatrix(clients, 4), Target: make(fl.Vector, clients)}
			for i := range clients {
				z := x.Row(i)
				copy(sample.X.Row(i), fl.Vector{1, z[0], z[1], z[0]*z[0] - 1})
				sample.Target[i] = beta[i][j]
			}
			theta, sum := leastSquares(t, sample, nil)
			for k, v := range theta {
				effects.Row(k)[j] = v
			}
			rest += sum
		}
		for k, want := range []float64{1, c.h, c.h, c.curvature} {
			within(t, "length of an effect", effects.Row(k).Norm(), want, 0.03+0.05*want)
		}
		// What is left is the error of the estimates, about 2/√n a coordinate.
		if rms := math.Sqrt(rest / (clients * d)); rms > 4/math.Sqrt(n) {
			t.Errorf("h = %v, c = %v: β is %.3f off its law", c.h, c.curvature, rms)
		}
	}
}

// TestPopulationLogisticCovariates: they are standard normal and independent.
func TestPopulationLogisticCovariates(t *testing.T) {
	const clients = 20_000
	train, _ := load(t, build(t, PopulationLogistic, map[string]any{"samples_per_client": int64(1),
		"test_samples_per_client": int64(0)}, clients), clients, 5)
	columns := make([][]float64, 3)
	for r := range train.Len() {
		for j, v := range train.Covariates.Row(r) {
			columns[j] = append(columns[j], v)
		}
	}
	for j, column := range columns {
		checkSpread(t, "covariate", column, 1, 0.03)
		if r := stat.Correlation(column, columns[(j+1)%3], nil); math.Abs(r) > 0.03 {
			t.Errorf("covariates %d and %d correlate by %v", j, (j+1)%3, r)
		}
	}
}

// TestPopulationLogisticOfManyClients asserts that the number of allocations does not grow with N.
func TestPopulationLogisticOfManyClients(t *testing.T) {
	given := map[string]any{"samples_per_client": int64(2), "test_samples_per_client": int64(0)}
	var allocs []float64
	for _, clients := range []int{10, 100_000} {
		s := build(t, PopulationLogistic, given, clients)
		allocs = append(allocs, testing.AllocsPerRun(5, func() { load(t, s, clients, 8) }))
	}
	if allocs[1] > allocs[0] {
		t.Errorf("%v allocations for 10 clients, %v for 100,000", allocs[0], allocs[1])
	}
}
