// CODE — networks fused pair by pair, neuron by neuron, the best one last.
//
//	Y.-H. Chiang, K. Terai, T.-W. Chiang, H. Lin, Y. Ji, J. C. S. Lui. Optimal-Transport-Based
//	One-Shot Federated Learning for Artificial Intelligence of Things. IEEE Internet of Things
//	Journal, 2024. Algorithms 1 and 2, equations (22) to (30).
//
// Notation: networks θ₁, …, θ_K in the order of fusion; T the plan between the neurons of two
// layers; λ, ε of the subroutine ε-OT.
//
//	θ ← θ₁;  for k = 2 … K:  θ ← ½·align(θ → θ_k) + ½·θ_k
//
// The last network, the best one, has half of the weight, and its structure is that of the
// result; how many samples a client has does not matter.
//
// Departures. (23) and (25) divide by the number of neurons where a plan's marginals have to be
// divided out: taken literally, aligned weights would shrink by its square. Here columns are
// divided by their true sums. (24) has the distance between neurons for a cost, (4) its p-th power
// and Table II p = 2: costs are squared distances, and power = 1 is (24) to the letter. The output
// layer keeps its classes in place (the paper transports it, which hurts where labels are skewed).
// Accuracy is measured on samples of the server's, not on the test set. (28) to (30) lack λ, and
// the condition of their loop is inverted. As printed is solver = "printed", marginals = "printed",
// output_layer = "transported" and power = 1; as meant and no faster than meant is solver = "cold";
// marginals = "rounded" is Definition 1. measure = true has what Theorem 2 and Definition 1 bound
// observed. With neurons = "activations" neurons are compared by
// what they say of the server's samples (Singh, Jaggi, NeurIPS 2020): the paper has no such thing.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// CODE describes the aggregator to the registry.
var CODE = fl.AggregatorEntry{
	Name:    "code",
	Summary: "fuses networks by layer-wise transport, pair by pair, the most accurate last",
	Paper:   "code",
	Deviations: "plans are divided by their true marginals; costs are squared distances (Table " +
		"II), where (24) has distances (power = 1); classes keep their places; accuracy is of " +
		"samples that the server holds",
	New:    newCODE,
	Traits: fl.AggregatorTraits{Mixes: true},
	Fits:   needsNetwork,
	Waives: map[string]string{
		"consensus": "an entropic plan is blurred: it mixes neurons even of equal networks",
		"numbering": "where the order is given, it is that of clients",
	},
}

// code keeps nothing in State.
type code struct {
	fusion
	order
}

var _ fl.Aggregator = (*code)(nil)

func newCODE(p *fl.Params) (fl.Aggregator, error) {
	a := &code{order: newOrder(p)}
	a.fusion = newFusion(p, "entropic")
	return a, nil
}

// Aggregate fuses one network after another into the next (Algorithm 1).
func (a *code) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	order, err := a.of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	on := newAligning(&a.fusion, r)
	fused := networkOf(r, order[0])
	fused.Params = fused.Params.Clone()
	at := order[0] // whose layout it has
	for _, k := range order[1:] {
		next := networkOf(r, k)
		if err = errors.Join(on.watch(&fused, at), on.watch(&next, k)); err != nil {
			return fl.Outcome{}, err
		}
		at = k
		if fused.Params, err = on.align(fused, next); err != nil {
			return fl.Outcome{}, err
		}
		fused.Layout = next.Layout
		fused.Params.Scale(0.5)
		fused.Params.AddScaled(0.5, next.Params)
	}
	on.remark()
	last := r.Updates[order[len(order)-1]].Client
	return fl.Outcome{Params: fused.Params, Adopted: []int{last}}, nil
}
