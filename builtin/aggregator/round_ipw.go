// Round-only IPW — corrects participation of the enrolled, not enrolment.
//
//	Who Trains Matters: Federated Learning under Enrollment and Participation Selection
//	Biases. Section 7.1 and Corollary 6.2.
//
// Notation: E the enrolled, ŝᵢ the estimated probability that one of them participates, p
// importance, P = Σ_E pᵢ. The weights are (pᵢ/P)/ŝᵢ: (1/n_E)/ŝᵢ where all count the same.
//
// Its limit has weights in proportion to pᵢeᵢ, so that it is biased by Σ pᵢ(eᵢ/ē − 1)Δᵢ with
// ē = Σ pᵢeᵢ, however well ŝ is known.
// Departures: p is any importance, 1/N in the paper.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// RoundIPW describes the aggregator to the registry.
var RoundIPW = fl.AggregatorEntry{
	Name:    "round-ipw",
	Summary: "weights by the inverse of estimated participation among the enrolled",
	Paper:   "fedipw",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &roundIPW{newInverse(p, usualFloor), newParticipationModel(p)}
		return fl.WeighThen(a, a.weights.rate), nil
	},
}

// roundIPW keeps in State: mass, length 1, the importance of the enrolled, and what its
// participation model keeps.
type roundIPW struct {
	weights       inverse
	participation *participationModel
}

var _ fl.Weigher = (*roundIPW)(nil)

// Weights returns (pᵢ/P)/ŝᵢ of deltas, over their sum where that is asked for.
func (a *roundIPW) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	came, err := a.participation.chances(r)
	if err != nil {
		return fl.Weights{}, err
	}
	share := importance(r)
	if r.Roster.Enrolled != nil {
		mass := r.State.Vector("mass", 1)
		if mass[0] == 0 {
			for i, p := range r.Roster.Importance {
				if r.Roster.Enrolled[i] {
					mass[0] += p
				}
			}
		}
		if mass[0] > 0 { // else no enrolled client has p > 0, and all shares are 0
			share.Scale(1 / mass[0])
		}
	}
	return a.weights.of(r, share, stats.Propensities{Came: came})
}
