// FedMA — networks matched layer by layer from the input on, and averaged.
//
//	H. Wang, M. Yurochkin, Y. Sun, D. Papailiopoulos, Y. Khazaeni. Federated Learning with Matched
//	Averaging. ICLR 2020, Algorithm 1, without its retraining.
//
// Notation: of a hidden neuron its bias and the weights that enter it, in terms of the global
// neurons of the layer before; σ², σ₀² and γ as of PFNM.
//
//	for every hidden layer:  match as fuse.Atoms says;  W ← mean of matched rows
//	the last layer:  W ← Σ_k n_k/n·W_k, its columns in terms of global neurons
//
// A global neuron is the plain mean of those that are matched with it, so that copies of one
// network, in whatever order their neurons are, make that network where each finds its own.
//
// Departures: one round and no retraining, where the paper has clients train the layers above
// again when a layer is matched, which costs a round for each. There are no more global neurons
// than the model has, as of PFNM. Biases of neurons count in a match.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// FedMA describes the aggregator to the registry.
var FedMA = fl.AggregatorEntry{
	Name:       "fedma",
	Summary:    "matches neurons layer by layer under a beta process prior, and averages them",
	Paper:      "wang2020fedma",
	Deviations: "one round, without retraining; no more global neurons than the model has",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fedMA{newMatched(p)}, nil
	},
	Fits: denseOnly("FedMA"),
	Waives: map[string]string{
		"numbering": "the first client's neurons are the first global ones",
	},
}

// fedMA keeps nothing in State.
type fedMA struct{ matched }

var _ fl.Aggregator = fedMA{}

// Aggregate implements fl.Aggregator.
func (a fedMA) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.begin(r, "FedMA")
	if err != nil {
		return fl.Outcome{}, err
	}
	before := make([][]int, len(m.order)) // neurons of the layer below; nil: inputs
	for c := range m.layers {
		own := m.entering(c, before)
		weight, bias := m.blocks(c)
		at, count := make([][]int, len(own)), make(fl.Vector, weight.Rows)
		by := m.share
		if c < len(m.layers)-1 {
			precision := make([]fl.Vector, len(own))
			by = make(fl.Vector, len(own))
			for j := range precision {
				precision[j], by[j] = m.precise(own[j].Cols), 1
			}
			at = m.match(c, own, precision).Of
		}
		for j := range own {
			for l := range weight.Rows {
				if i := globalOf(at[j], l); i >= 0 {
					count[i] += by[j]
					weight.Of(m.out).Row(i).AddScaled(by[j], own[j].Row(l)[:weight.Cols])
					if bias != nil {
						bias.Of(m.out).Data[i] += by[j] * own[j].Row(l)[weight.Cols]
					}
				}
			}
		}
		for i, n := range count {
			if n > 0 {
				fl.Vector(weight.Of(m.out).Row(i)).Scale(1 / n)
				if bias != nil {
					bias.Of(m.out).Data[i] /= n
				}
			}
		}
		before = at
	}
	return fl.Outcome{Params: m.out}, nil
}

// entering returns by client what enters the neurons of the c-th layer, one a row, in terms of
// global neurons of the layer before, and their biases.
func (m *matching) entering(c int, before [][]int) []fl.Matrix {
	weight, bias := m.blocks(c)
	own, cols := make([]fl.Matrix, len(m.order)), weight.Cols
	if bias != nil {
		cols++
	}
	for j := range own {
		own[j] = fl.NewMatrix(weight.Rows, cols)
		theta := m.theta(j)
		for l := range weight.Rows {
			row := own[j].Row(l)
			for k, x := range weight.Of(theta).Row(l) {
				if to := globalOf(before[j], k); to >= 0 {
					row[to] = x
				}
			}
			if bias != nil {
				row[weight.Cols] = bias.Of(theta).Data[l]
			}
		}
	}
	return own
}
