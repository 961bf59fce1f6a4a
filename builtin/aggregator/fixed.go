// Fixed — every client has a weight that the experiment writes down.
//
//	FedIPW: what residual errors of the weights cost, Theorem 6.1 and its sharpness.
//
// Notation: wᵢ the weight of client i, Δᵢ = θᵢ − θᵗ⁻¹, η_g the server's rate.
//
//	θᵗ = θᵗ⁻¹ + η_g Σ_{i∈Sᵗ} wᵢΔᵢ
//
// With all clients available this is gradient descent on Σ wᵢfᵢ: weights wᵢ = ρᵢpᵢ show the effect
// of an estimate of πᵢ that is wrong by a factor ρᵢ, without the noise of participation.
//
// Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Fixed describes the aggregator to the registry.
var Fixed = fl.AggregatorEntry{
	Name:    "fixed",
	Summary: "sum of deltas with one weight per client, as listed",
	Waives:  map[string]string{"numbering": "weights are listed by the numbers of clients"},
	Paper:   "fedipw",
	New:     newFixed,
	Example: map[string]any{"weights": []any{0.3, 0.2, 0.2, 0.1, 0.1, 0.1}},
}

// fixed keeps nothing in State.
type fixed struct {
	weights fl.Vector // w, ≥ 0
	rate    float64   // η_g > 0
}

var _ fl.Weigher = (*fixed)(nil)

func newFixed(p *fl.Params) (fl.Aggregator, error) {
	a := &fixed{
		weights: p.Floats("weights", fl.AtLeast(0), "w, of client 0, 1, …; they need not sum to 1"),
		rate:    p.Float("server_rate", 1, fl.Above(0), "η_g, by which the sum is multiplied"),
	}
	if s := p.Setting(); s.Known() && len(a.weights) != s.Clients {
		p.Fail("weights", "%d weights for %d clients", len(a.weights), s.Clients)
	}
	return fl.Weigh(a), nil
}

// Weights returns η_g·wᵢ of deltas.
func (a *fixed) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = a.rate * a.weights[r.Updates[k].Client]
	}
	return fl.Weights{By: w, Deltas: true}, nil
}
