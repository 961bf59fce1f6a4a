package dataset

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

func TestRegressionContract(t *testing.T) {
	s := build(t, Regression, nil, 7)
	train, test := load(t, s, 7, 1)
	checkOwned(t, s, train, 7, 30)
	checkOwned(t, s, test, 7, 10)
	if !disjoint(train, test) {
		t.Error("a row is in the training and in the test data")
	}
	again, _ := load(t, s, 7, 1)
	if !reflect.DeepEqual(train, again) {
		t.Error("the same seed yields other data")
	}
	if other, _ := load(t, s, 7, 2); reflect.DeepEqual(train.X, other.X) {
		t.Error("another seed yields the same data")
	}
}

// TestRegressionTestRows: what is tested on does not change what is trained on.
func TestRegressionTestRows(t *testing.T) {
	with, _ := load(t, build(t, Regression, nil, 5), 5, 3)
	s := build(t, Regression, map[string]any{"test_samples_per_client": int64(0)}, 5)
	without, none := load(t, s, 5, 3)
	if !with.Shape.Tested || without.Shape.Tested {
		t.Errorf("shapes %+v with test rows, %+v without", with.Shape, without.Shape)
	}
	if with.Shape.Rows <= without.Shape.Rows || without.Shape.Rows != without.Len() {
		t.Errorf("%d rows with test rows, %d without", with.Shape.Rows, without.Shape.Rows)
	}
	with.Shape.Tested, with.Shape.Rows = false, without.Shape.Rows
	if none != nil || !reflect.DeepEqual(with, without) {
		t.Errorf("without test rows: test data %v, training data equal: %t",
			none, reflect.DeepEqual(with, without))
	}
}

// relations returns θᵢ of every client, which exact targets reveal.
func relations(t *testing.T, train *fl.Dataset, clients int) []fl.Vector {
	t.Helper()
	n := train.Len() / clients
	all := make([]fl.Vector, clients)
	for i := range all {
		all[i], _ = leastSquares(t, train.Rows(i*n, (i+1)*n), nil)
	}
	return all
}

// TestRegressionRelations: the relations lie on a line through θ*, evenly, from θ* − δv to
// θ* + δv with v as long as θ*; without drift they are one.
//
//hansa:verifies theorem dataset/regression
func TestRegressionRelations(t *testing.T) {
	const clients = 11
	for _, drift := range []float64{0, 0.5, 2} {
		s := build(t, Regression, map[string]any{"noise": 0.0, "drift": drift}, clients)
		train, _ := load(t, s, clients, 4)
		theta := relations(t, train, clients)
		star, v := theta[clients/2], theta[clients-1].Clone()
		v.AddScaled(-1, star)
		within(t, "length of δv", v.Norm(), drift*star.Norm(), 1e-10)
		for i := range theta {
			want := star.Clone()
			want.AddScaled(2*float64(i)/(clients-1)-1, v)
			if d := theta[i].Distance(want); d > 1e-9*star.Norm() {
				t.Errorf("drift %g: client %d is off the line by %g", drift, i, d)
			}
		}
	}
}

// TestRegressionFeatures: within a client features are normal with one variance and a mean;
// over clients log₂σᵢ is uniform on [−δ, δ] and μᵢ has the length δ in root mean square.
func TestRegressionFeatures(t *testing.T) {
	const clients, n, d = 400, 200, 10
	for _, drift := range []float64{0, 1} {
		s := build(t, Regression, map[string]any{"features": int64(d), "drift": drift,
			"samples_per_client": int64(n)}, clients)
		train, _ := load(t, s, clients, 5)
		var logs, means []float64 // of σᵢ; of the coordinates of μᵢ, in units of δ/√d
		for i := range clients {
			part := train.X.Slice(i*n, (i+1)*n)
			within := 0.0
			for k := range d {
				column := make([]float64, n)
				for r := range column {
					column[r] = part.Row(r)[k]
				}
				mean, variance := stat.PopMeanVariance(column, nil)
				within += variance / d
				means = append(means, mean*math.Sqrt(d))
			}
			logs = append(logs, math.Log2(within)/2)
		}
		least, most := floats.Min(logs), floats.Max(logs)
		if least < -drift-0.1 || most > drift+0.1 {
			t.Errorf("drift %g: σ from 2^%.2f to 2^%.2f", drift, least, most)
		}
		checkSpread(t, "log₂σ", logs, drift/math.Sqrt(3), 0.1)
		checkSpread(t, "μ", means, drift, 0.25)
	}
}

// checkSpread compares mean and standard deviation with 0 and sd, to a tolerance that
// covers the sampling error within clients.
func checkSpread(t *testing.T, what string, x []float64, sd, tol float64) {
	t.Helper()
	mean, got := stat.MeanStdDev(x, nil)
	if math.Abs(mean) > tol || math.Abs(got-sd) > tol {
		t.Errorf("%s: %.3f ± %.3f, want 0 ± %.3f", what, mean, got, sd)
	}
}

// TestRegressionNoise: the targets of all clients lie about their relations by the noise.
func TestRegressionNoise(t *testing.T) {
	const clients, n, d = 50, 100, 4
	s := build(t, Regression, map[string]any{"noise": 0.3, "features": int64(d),
		"samples_per_client": int64(n)}, clients)
	train, _ := load(t, s, clients, 6)
	sum := 0.0
	for i := range clients {
		_, rest := leastSquares(t, train.Rows(i*n, (i+1)*n), nil)
		sum += rest
	}
	// A sum of clients·(n−d) squares: its relative error is √(2/4800) = 0.02.
	within(t, "noise", math.Sqrt(sum/(clients*(n-d))), 0.3, 0.02)
}

func TestRegressionOfOneClient(t *testing.T) {
	given := map[string]any{"features": int64(1), "samples_per_client": int64(1)}
	s := build(t, Regression, given, 1)
	train, test := load(t, s, 1, 7)
	checkOwned(t, s, train, 1, 1)
	checkOwned(t, s, test, 1, 10)
}

// TestRegressionOfManyClients asserts that the number of allocations does not grow with N.
func TestRegressionOfManyClients(t *testing.T) {
	given := map[string]any{"features": int64(4), "samples_per_client": int64(4),
		"test_samples_per_client": int64(0)}
	var allocs []float64
	for _, clients := range []int{10, 100_000} {
		s := build(t, Regression, given, clients)
		// The mean of several runs, rounded down, does not count what the runtime does.
		allocs = append(allocs, testing.AllocsPerRun(5, func() { load(t, s, clients, 8) }))
	}
	if slices.Max(allocs) > allocs[0] {
		t.Errorf("%v allocations for 10 clients, %v for 100,000", allocs[0], allocs[1])
	}
}

func BenchmarkRegressionOfAMillionClients(b *testing.B) {
	given := map[string]any{"features": int64(4), "samples_per_client": int64(4),
		"test_samples_per_client": int64(0)}
	s := build(b, Regression, given, 1_000_000)
	for b.Loop() {
		load(b, s, 1_000_000, 9)
	}
}
