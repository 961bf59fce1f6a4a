package fl_test

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// bySamples is FedAvg: models count by the samples of their clients.
type bySamples struct{}

func (bySamples) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	return fl.Weights{By: w}, nil
}

// half is a server that goes half of the way.
type half struct{}

func (half) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	sum.Add(r.Global)
	sum.Scale(0.5)
	return fl.Outcome{Params: sum}, nil
}

// A Weigher is all that FedAvg takes; a ServerOptimizer beside it moves the weighted sum.
func ExampleWeighThen() {
	r := &fl.Round{Global: fl.Vector{0, 0}, Updates: []fl.Update{
		{Client: 1, Samples: 10, Params: fl.Vector{4, 8}},
		{Client: 5, Samples: 30, Params: fl.Vector{8, 0}},
	}}
	for _, a := range []fl.Aggregator{fl.Weigh(bySamples{}), fl.WeighThen(bySamples{}, half{})} {
		out, err := a.Aggregate(r)
		fmt.Println(out.Params, out.Weights, err)
	}
	// Output:
	// [7 2] [0.25 0.75] <nil>
	// [3.5 1] [0.25 0.75] <nil>
}
