// Scaffnew, the server's half — a plain mean of models, and the coin that all clients share.
//
//	K. Mishchenko, G. Malinovsky, S. Stich, P. Richtárik. ProxSkip: Yes! Local Gradient Steps
//	Provably Lead to Communication Acceleration! Finally! ICML 2022, Algorithm 2 (Scaffnew).
//
// Notation: x̂ᵢ the models of all N clients:
//
//	x̄ = 1/N·Σ x̂ᵢ.
//
// Beside x̄ the server sends one number u, uniform in [0, 1): how many steps the next round has.
//
// Departures: where not all enrolled clients participate the mean is that of those that do. The
// sum of the clients' control variates is 0 no more then, nor is the limit the optimum: a footnote
// says so.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// Scaffnew describes the aggregator to the registry.
var Scaffnew = fl.AggregatorEntry{
	Name:       "scaffnew",
	Summary:    "plain mean of models; draws how many steps all clients make next",
	Paper:      "mishchenko2022",
	Deviations: "a round without some of the clients averages the others",
	New: func(*fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(naive{}, &scaffnew{fl.Tensors{}}), nil
	},
	Traits: fl.AggregatorTraits{Method: "Scaffnew"},
}

// scaffnew keeps nothing in State.
type scaffnew struct {
	sent fl.Tensors // the broadcast of a round, whose memory is that of the round
}

var _ fl.ServerOptimizer = (*scaffnew)(nil)

// Step implements fl.ServerOptimizer.
func (a *scaffnew) Step(r *fl.Round, mean fl.Vector) (fl.Outcome, error) {
	if len(r.Updates) < r.Roster.Enrolment() {
		r.Notes.Add("Scaffnew asks for all enrolled clients in every round: with fewer its limit " +
			"is not the optimum")
	}
	coin := r.Scratch(1)
	coin[0] = r.RNG.Float64()
	a.sent["coin"] = fl.Matrix{Rows: 1, Cols: 1, Data: coin}
	return fl.Outcome{Params: mean, Broadcast: a.sent}, nil
}
