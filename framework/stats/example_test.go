package stats_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Robust aggregation by the geometric median (Pillutla, Kakade, Harchaoui, IEEE Trans. Signal
// Process. 70, 2022): its weights, and how far to trust them.
func ExampleGeometricMedian() {
	models := [][]float64{{0, 0}, {0, 2}, {2, 0}, {2, 2}, {1, 1}, {900, 1}}
	w, d := tensor.Vector{1, 1, 1, 1, 1, 1}, tensor.NewMatrix(6, 6)
	tensor.SquaredDistances(d, models)
	lambda, next := make(tensor.Vector, 6), make(tensor.Vector, 2)
	fit := stats.GeometricMedian(lambda, w, d, 1e-9, 1000)
	next.AddWeighted(lambda, models)
	fmt.Println(next, fit.Converged)
	// Output: [1 1] true
}

// Every client is available with a probability of its own; two of the available ones are selected.
func ExampleDrawBernoulli() {
	rng := rand.New(rand.NewPCG(1, 2))
	here := stats.DrawBernoulli(nil, tensor.Vector{1, 0, 1, 1, 0}, rng)
	picked := stats.DrawUniform(nil, len(here), 2, rng)
	fmt.Println(here, len(picked))
	// Output: [0 2 3] 2
}

// Without replacement, by weight.
func ExampleDrawSuccessive() {
	weights := tensor.Vector{3, 0, 1, 0}
	tree := make(tensor.Vector, 2*len(weights))
	stats.SumTree(tree, weights)
	fmt.Println(stats.DrawSuccessive(nil, tree, 2, rand.New(rand.NewPCG(1, 2))))
	// Output: [0 2]
}

// With replacement, by weight.
func ExampleDrawRepeated() {
	weights := tensor.Vector{0, 5, 0}
	tree := make(tensor.Vector, 2*len(weights))
	stats.SumTree(tree, weights)
	fmt.Println(stats.DrawRepeated(nil, tree, 3, rand.New(rand.NewPCG(1, 2))))
	// Output: [1 1 1]
}

// The participation probability, from covariates of clients that participated and of clients that
// did not.
func ExampleLogistic() {
	charging := tensor.Matrix{Rows: 6, Cols: 1, Data: []float64{0, 0, 0, 1, 1, 1}}
	came := tensor.Vector{0, 0, 1, 1, 1, 0}
	var l stats.Logistic
	fit, probability := l.Fit(charging, came, nil, 0), make(tensor.Vector, 6)
	fit.Chances(probability, charging)
	fmt.Printf("%.3f %v %v\n", probability, fit.Converged, fit.Separable)
	// Output: [0.333 0.333 0.333 0.667 0.667 0.667] true false
}

// Three of five enrolled clients are urban; in the population it is three of ten.
func ExampleMoments() {
	urban := tensor.Matrix{Rows: 5, Cols: 1, Data: []float64{1, 1, 1, 0, 0}}
	m, w := stats.Moments{X: urban, Target: tensor.Vector{0.3}}, make(tensor.Vector, 5)
	c := m.Quadratic(w)
	fmt.Printf("%.2f %v\n", w, c.Converged)

	rural := stats.Moments{X: urban.Slice(3, 5), Target: tensor.Vector{0.3}}
	fmt.Printf("%+v\n", rural.Reach().Feasible)
	// Output:
	// [0.10 0.10 0.10 0.35 0.35] true
	// false
}

// Clients that are seldom enrolled or seldom participate stand for more of the population.
func ExamplePropensities_Hajek() {
	p := stats.Propensities{
		Enrolled: tensor.Vector{0.5, 0.5, 1},
		Came:     tensor.Vector{0.5, 1, 0.001},
		Floor:    0.25,
	}
	w := make(tensor.Vector, 3)
	inverse := p.Hajek(w, tensor.Vector{0.2, 0.2, 0.2})
	fmt.Printf("%.1f, clipped %.2f, as good as %.1f clients\n", w, inverse.Clipped, inverse.Effective)
	// Output: [0.4 0.2 0.4], clipped 0.33, as good as 2.8 clients
}
