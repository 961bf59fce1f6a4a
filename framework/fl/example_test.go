package fl_test

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Trimmed mean as an aggregator has it: one call for the round, none per coordinate.
func ExampleRound_Models() {
	r := &fl.Round{Global: fl.Vector{0, 0}, Updates: []fl.Update{
		{Client: 0, Params: fl.Vector{1, 10}},
		{Client: 3, Params: fl.Vector{2, 30}},
		{Client: 7, Params: fl.Vector{900, 20}},
	}}
	next := r.Scratch(len(r.Global))
	tensor.TrimmedMean(next, r.Models(), 1)
	fmt.Println(next)
	// Output: [2 20]
}
