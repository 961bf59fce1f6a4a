package ot_test

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Pairs of three clients come equally often, but client 0 is to count for half: which weights
// do its cohorts give it?
func ExampleMasked_Scale() {
	problem := ot.Masked{
		P:    tensor.Vector{0.5, 0.25, 0.25},
		Q:    tensor.Vector{1. / 3, 1. / 3, 1. / 3},
		Sets: [][]int{{0, 1}, {0, 2}, {1, 2}},
	}
	if err := problem.Check(); err != nil {
		fmt.Println(err)
	}
	plan := problem.Scale(1e-9, 1000)
	y := make(tensor.Vector, 2)
	ot.Weights(y, plan.LogU, problem.Sets[0])
	fmt.Printf("%.3f, converged %t\n", y, plan.Converged)
	// Output: [0.750 0.250], converged true
}
