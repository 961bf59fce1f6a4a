// APFL — a mixture of a local and a global model.
//
//	Y. Deng, M. M. Kamani, M. Mahdavi. Adaptive Personalized Federated Learning. arXiv:2003.13461,
//	2020, Algorithm 1.
//
// Notation: w the model that is sent, fᵢ the client's loss, v its local model, α its share of it,
// v̄ = αv + (1 − α)w the mixture. A step, by one batch ξ for both, is
//
//	w ← w − η∇fᵢ(w; ξ),    v ← v − ηα∇fᵢ(v̄; ξ),
//
// where the factor α is that of the chain rule. With adaptive = true the first step of a round also
// has
//
//	α ← α − η⟨v − w, ∇fᵢ(v̄; ξ)⟩, held in [0, 1].
//
// The global model is that of FedAvg for any α. The client keeps v and α, and predicts with
// αv + (1 − α)wᵗ. With α = 0 that is the global model, with α = 1 that of local training alone.
// These hold bit for bit for models that compute in float64; networks round to float32 in other
// places.
//
// Departures: v begins as the model that the client first receives. The mixture with which a client
// predicts is of the latest global model; that of the paper is of its own w in the last round in
// which it trained.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// APFL describes the local rule to the registry.
var APFL = fl.LocalRuleEntry{
	Name:    "apfl",
	Summary: "gradient descent, and beside it a local model that is mixed with the global one",
	Paper:   "deng2020",
	Deviations: "the local model begins as the model that the client first receives; clients " +
		"predict with a mixture of the latest global model",
	New:    newAPFL,
	Fits:   needsGradients,
	Traits: fl.LocalTraits{Packed: true, Personal: "local", Tunes: true},
}

// needsGradients refuses models with parameters that no gradient trains.
func needsGradients(s fl.Setting) error {
	for _, layer := range s.Layout.Layers {
		if layer.Kind == fl.KindBatchNorm {
			return errors.New("trains by gradients alone, which leave the running statistics of " +
				"batch norms as they are; use group norms")
		}
	}
	return nil
}

// apfl keeps v and α in the client's state.
type apfl struct {
	work
	alpha    float64 // α at first
	adaptive bool
}

var _ fl.LocalRule = (*apfl)(nil)

func newAPFL(p *fl.Params) (fl.LocalRule, error) {
	return &apfl{
		alpha: p.Float("alpha", 0.5, fl.Closed(0, 1), "share α of the local model in the "+
			"mixture; at first where it is adaptive"),
		adaptive: p.Bool("adaptive", false, "whether each client changes its α by a gradient step "+
			"in each round"),
		work: newWork(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *apfl) Run(t *fl.Task) (fl.Update, error) {
	n := len(t.Params)
	known := t.State.Vector("share", 2) // whether v has begun, and α
	begun := known[0] == 1
	if t.FineTunes {
		if begun { // Params hold v
			mix(t.Params, t.Params, t.Global, known[1])
		}
		return fl.Update{Params: t.Params}, nil
	}
	if !begun {
		known[0], known[1] = 1, s.alpha
		copy(t.State.Vector("local", n), t.Global)
	}
	w, v, d := t.Params, t.State.Vector("local", n), s.descent(t)
	mixed, own, both := t.Scratch(n), t.Scratch(n), t.Scratch(n)
	for step := range d.Steps {
		rows, alpha := d.Next(), known[1]
		mix(mixed, v, w, alpha)
		clear(own)
		clear(both)
		d.Gradient(t.Worker, own, w, rows)
		d.Gradient(t.Worker, both, mixed, rows)
		if s.adaptive && step == 0 {
			slope := v.Dot(both) - w.Dot(both)
			known[1] = min(max(alpha-d.Rate*slope, 0), 1)
		}
		w.AddScaled(-d.Rate, own)
		v.AddScaled(-d.Rate*alpha, both)
	}
	return fl.Update{Steps: d.Steps, Params: w}, nil
}

// mix makes dst αv + (1 − α)w; it may be v.
func mix(dst, v, w fl.Vector, alpha float64) {
	for lo, hi := range stretches(len(dst)) {
		copy(dst[lo:hi], v[lo:hi])
		dst[lo:hi].Scale(alpha)
		dst[lo:hi].AddScaled(1-alpha, w[lo:hi])
	}
}
