// Exp-average — CODE's weights without its transport.
//
//	Y.-H. Chiang et al. Optimal-Transport-Based One-Shot Federated Learning for Artificial
//	Intelligence of Things. IEEE Internet of Things Journal, 2024, Algorithm 1: what remains of
//	it when every plan is the identity.
//
// Notation: models θ₁, …, θ_K in ascending order of accuracy on the server's samples.
//
//	θ = 2^{1−K}θ₁ + 2^{1−K}θ₂ + 2^{2−K}θ₃ + … + θ_K/2
//
// The best model, or the last in the order, has half of the weight. Beside CODE this shows what
// transport contributes.
//
// Departures: none.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// ExpAverage describes the aggregator to the registry.
var ExpAverage = fl.AggregatorEntry{
	Name:    "exp-average",
	Summary: "CODE without transport: half for the best model, a quarter for the next",
	Waives:  map[string]string{"numbering": "where the order is given, it is that of clients"},
	Paper:   "code",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return expAverage{newOrder(p)}, nil
	},
	Fits: needsHeld,
}

// expAverage keeps nothing in State.
type expAverage struct{ order }

var _ fl.Aggregator = expAverage{}

// Aggregate averages pair by pair, as CODE does.
func (a expAverage) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	order, err := a.of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w := halves(r, order)
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}
