// MimeLite, the server's half — a mean of models, and of the momentum that clients renewed.
//
//	S. P. Karimireddy, M. Jaggi, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. T. Suresh. Mime:
//	Mimicking Centralized Stochastic Algorithms in Federated Learning. arXiv:2008.03606, 2020,
//	Algorithm 1 (MimeLite).
//
// Notation: S the cohort, yᵢ the models of its clients, x = θᵗ⁻¹, mᵢ = (1 − β)∇fᵢ(x) + βm what they
// send beside them:
//
//	θᵗ = 1/|S|·Σ_S yᵢ,    m = 1/|S|·Σ_S mᵢ.
//
// Departures: none. m is 0 at first, and is sent from the second round on.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// MimeLite describes the aggregator to the registry.
var MimeLite = fl.AggregatorEntry{
	Name:    "mimelite",
	Summary: "plain mean of models, and of momenta that clients renew; sends the latter",
	Paper:   "karimireddy2020mime",
	New: func(*fl.Params) (fl.Aggregator, error) {
		return &mimeLite{fl.Tensors{}}, nil
	},
	Traits: fl.AggregatorTraits{Method: "MimeLite"},
}

// mimeLite keeps nothing in State: clients have m from the broadcast.
type mimeLite struct {
	sent fl.Tensors // the broadcast of a round, whose memory is that of the round
}

var _ fl.Aggregator = (*mimeLite)(nil)

// Aggregate implements fl.Aggregator.
func (a *mimeLite) Aggregate(r *fl.Round) (fl.Outcome, error) {
	w, err := naive{}.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	momentum := r.Scratch(len(r.Global))
	for k := range r.Updates {
		momentum.AddScaled(w.By[k], r.Updates[k].Payload["momentum"].Data)
	}
	a.sent["momentum"] = fl.Matrix{Rows: 1, Cols: len(momentum), Data: momentum}
	return fl.Outcome{Params: r.CombineDeltas(w.By), Broadcast: a.sent, Weights: w.By}, nil
}
