package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// Three honest models and one that is not: the median does not follow it.
func ExampleMedian() {
	models := [][]float64{{1, 10}, {2, 11}, {3, 12}, {1e9, math.NaN()}}
	next := make(tensor.Vector, 2)
	tensor.Median(next, models)
	fmt.Println(next)
	// Output: [2.5 11.5]
}

func ExampleTrimmedMean() {
	models := [][]float64{{1, -500}, {2, 4}, {3, 6}, {1e9, 8}}
	next := make(tensor.Vector, 2)
	tensor.TrimmedMean(next, models, 1) // without the smallest and the largest
	fmt.Println(next)
	// Output: [2.5 5]
}

// The two clients of largest loss, the earlier first where losses are equal.
func ExampleArgSortDescending() {
	losses := tensor.Vector{0.3, 0.9, 0.1, 0.9}
	fmt.Println(tensor.ArgSortDescending(nil, losses)[:2])
	// Output: [1 3]
}

// Krum (Blanchard et al., NeurIPS 2017): the model whose n − f − 2 nearest others are nearest.
func ExampleSquaredDistances() {
	models := [][]float64{{1, 1}, {1.1, 1}, {1, 1.2}, {1.1, 1.1}, {-80, 90}}
	n, f := len(models), 1
	d := tensor.NewMatrix(n, n)
	tensor.SquaredDistances(d, models)
	scores, order := make(tensor.Vector, n), make([]int, 0, n)
	for i := range scores {
		row := d.Row(i)
		for _, j := range tensor.ArgSort(order, row)[1 : n-f-1] { // the first is i itself
			scores[i] += row[j]
		}
	}
	fmt.Println(models[tensor.ArgSort(order, scores)[0]])
	// Output: [1.1 1]
}

// Norm clipping with noise: no update moves the model by more than the radius.
func ExampleVector_Project() {
	global, model := tensor.Vector{1, 1}, tensor.Vector{4, 5}
	step := model.Clone()
	step.Sub(global)
	step.Project(1)
	fmt.Printf("%.1f, of norm %.1f\n", step, step.Norm())
	step.AddNoise(0.01, rand.New(rand.NewPCG(1, 2)))
	fmt.Printf("%.1f with noise\n", step)
	// Output:
	// [0.6 0.8], of norm 1.0
	// [0.6 0.8] with noise
}

// A step of FedAdam (Reddi et al., ICLR 2021): θ ← θ + η·m/(√v + τ).
func ExampleVector_Div() {
	const beta1, beta2, eta, tau = 0.9, 0.99, 0.1, 1e-3
	m, v, theta := make(tensor.Vector, 2), make(tensor.Vector, 2), tensor.Vector{1, 1}
	delta := tensor.Vector{0.5, -2} // the mean update
	square := delta.Clone()
	square.Mul(delta)
	m.Scale(beta1)
	m.AddScaled(1-beta1, delta)
	v.Scale(beta2)
	v.AddScaled(1-beta2, square)
	step, root := m.Clone(), v.Clone()
	root.Sqrt()
	root.AddConst(tau)
	step.Div(root)
	theta.AddScaled(eta, step)
	fmt.Printf("%.3f\n", theta)
	// Output: [1.098 0.900]
}

func ExampleSoftmax() {
	w := make(tensor.Vector, 3)
	tensor.Softmax(w, tensor.Vector{1000, 1000, math.Inf(-1)})
	fmt.Println(w)
	// Output: [0.5 0.5 0]
}

func ExampleSolve() {
	a := tensor.Matrix{Rows: 2, Cols: 2, Data: []float64{0, 2, 1, 1}}
	x := make(tensor.Vector, 2)
	condition, err := tensor.Solve(x, a, tensor.Vector{4, 5})
	fmt.Printf("%v, condition %.0f, %v\n", x, condition, err)
	// Output: [3 2], condition 3, <nil>
}

func ExampleCholesky() {
	covariance := tensor.Matrix{Rows: 2, Cols: 2, Data: []float64{4, 2, 2, 5}}
	l := tensor.NewMatrix(2, 2)
	if err := tensor.Cholesky(l, covariance); err != nil {
		fmt.Println(err)
	}
	fmt.Println(l.Row(0), l.Row(1))
	// Output: [2 0] [1 2]
}
