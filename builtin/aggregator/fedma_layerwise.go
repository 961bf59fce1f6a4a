// FedMA, the server's half — one layer is matched a round, and those above are trained again.
//
//	H. Wang, M. Yurochkin, Y. Sun, D. Papailiopoulos, Y. Khazaeni. Federated Learning with Matched
//	Averaging. ICLR 2020, Algorithm 1.
//
// Notation: L layers with weights, W_k⁽ⁿ⁾ the n-th of client k, Π_k which of its neurons is which
// global one, n_kc its samples of class c; matching as of fedma.
//
//	round n = 1 … L − 1:  Π_k ← match W_k⁽ⁿ⁾;  W⁽ⁿ⁾ ← mean of matched rows
//	clients:  the columns of W_k⁽ⁿ⁺¹⁾ by Π_k;  train layers n + 1 … L, the others as they are
//	round L:  row c of W⁽ᴸ⁾ ← Σ_k n_kc/Σn_kc · row c of W_k⁽ᴸ⁾
//
// and round L + 1 begins anew, with the first layer, from the global model: FedMA with
// communication. A client goes on from its own layers above n, which it keeps; the server tells it
// Π_k, in one number for each neuron. The local rule fedma is that half.
//
// The model of a round is, above layer n, what fedma makes of the clients' layers at once: where
// clients do not train after the first round it is that in every round.
//
// Departures: the paper's global layers are as wide as matching finds, and clients train networks
// with these; a model of fixed width has no more global neurons than neurons, those of most
// clients, and a client's neurons that are among none of these are lost, with the columns that they
// feed. A client that missed the round before has no Π_k and goes on from the model of the round;
// in the paper all take part in all rounds. The paper has one layer sent in a round; here it is the
// model, so that there is one after every round. For networks of dense layers; the paper has
// convolutions and LSTMs, too.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedMALayerwise describes the aggregator to the registry.
var FedMALayerwise = fl.AggregatorEntry{
	Name:    "fedma-layerwise",
	Summary: "matches one layer a round, above which clients train again",
	Paper:   "wang2020fedma",
	Deviations: "no more global neurons than the model has; the model is sent, where the paper " +
		"has one layer; clients that missed a round go on from the model of the round",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedMALayerwise{newMatched(p), map[int]fl.Tensors{}}, nil
	},
	Fits:   denseOnly("FedMA"),
	Traits: fl.AggregatorTraits{Method: "FedMA", Remembers: true, Synchronous: true},
	Waives: FedMA.Waives,
}

// fedMALayerwise keeps in State: matched, how many layers were, over all rounds.
type fedMALayerwise struct {
	matched
	sent map[int]fl.Tensors // the mail of a round
}

var _ fl.Aggregator = (*fedMALayerwise)(nil)

var errNoCounts = errors.New(`FedMA needs how many samples a client has of each class: use local ` +
	`= "fedma"`)

// Aggregate implements fl.Aggregator.
func (a *fedMALayerwise) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.begin(r, "FedMA")
	if err != nil {
		return fl.Outcome{}, err
	}
	weight, _ := m.blocks(len(m.layers) - 1)
	for _, k := range m.order {
		counts := r.Updates[k].Payload["classes"].Data
		if len(counts) != weight.Rows {
			return fl.Outcome{}, errNoCounts
		}
		m.classes = append(m.classes, counts)
	}
	done := r.State.Vector("matched", 1)
	first := int(done[0]) % len(m.layers)
	for c := range first {
		weight, bias := m.blocks(c)
		copy(weight.Of(m.out).Data, weight.Of(r.Global).Data)
		if bias != nil {
			copy(bias.Of(m.out).Data, bias.Of(r.Global).Data)
		}
	}
	at := m.upwards(first)
	done[0]++
	clear(a.sent)
	for j, to := range at {
		mail := fl.NewMatrix(1, 1+len(to)) // after which layer, and Π_k
		mail.Data[0] = done[0]
		for l, i := range to {
			mail.Data[1+l] = float64(i)
		}
		a.sent[r.Updates[m.order[j]].Client] = fl.Tensors{"neurons": mail}
	}
	return fl.Outcome{Params: m.out, Mail: a.sent,
		Broadcast: fl.Tensors{"matched": {Rows: 1, Cols: 1, Data: done}}}, nil
}
