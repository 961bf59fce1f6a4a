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
// again when a layer is matched, which costs a round for each: that is fedma-layerwise. There are
// no more global neurons than the model has, as of PFNM. Biases of neurons count in a match.
// Classes count by the samples of a client, where the paper has those of each class.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// FedMA describes the aggregator to the registry.
var FedMA = fl.AggregatorEntry{
	Name:    "fedma",
	Summary: "matches neurons layer by layer under a beta process prior, and averages them",
	Paper:   "wang2020fedma",
	Deviations: "one round, without retraining; no more global neurons than the model has; " +
		"classes count by the samples of a client",
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
	m.upwards(0)
	return fl.Outcome{Params: m.out}, nil
}

// upwards matches all hidden layers from the first on, which clients have in the same terms of what
// is below, and averages the last. It returns by client what became of the first's neurons; nil
// where that is the last layer.
func (m *matching) upwards(first int) (matched [][]int) {
	last := len(m.layers) - 1
	before := make([][]int, len(m.order)) // neurons of the layer below; nil: in their places
	for c := first; c <= last; c++ {
		own := m.entering(c, before)
		at, by := make([][]int, len(own)), m.ofClass
		if c < last {
			precision := make([]fl.Vector, len(own))
			for j := range precision {
				precision[j] = m.precise(own[j].Cols)
			}
			at = m.match(c, own, precision).Of
			by = func(int, int) float64 { return 1 }
		}
		m.average(c, own, at, by)
		if before = at; c == first && c < last {
			matched = at
		}
	}
	return matched
}

// average makes each neuron of the c-th layer the mean of those that are matched with it, which
// count as by says, by client and neuron.
func (m *matching) average(c int, own []fl.Matrix, at [][]int, by func(j, i int) float64) {
	weight, bias := m.blocks(c)
	count := make(fl.Vector, weight.Rows)
	for j := range own {
		for l := range weight.Rows {
			i := globalOf(at[j], l)
			if i < 0 {
				continue
			}
			w := by(j, i)
			count[i] += w
			weight.Of(m.out).Row(i).AddScaled(w, own[j].Row(l)[:weight.Cols])
			if bias != nil {
				bias.Of(m.out).Data[i] += w * own[j].Row(l)[weight.Cols]
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
}

// ofClass is how much a client counts in the scores of a class: by its samples of that class where
// all clients say how many these are and some has one, by its samples otherwise.
func (m *matching) ofClass(j, class int) float64 {
	if m.classes != nil {
		total := 0.0
		for _, counts := range m.classes {
			total += counts[class]
		}
		if total > 0 {
			return m.classes[j][class] / total
		}
	}
	return m.share[j]
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
