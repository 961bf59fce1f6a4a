// signSGD with majority vote — every coordinate makes one step in the direction of most updates.
//
//	J. Bernstein, Y.-X. Wang, K. Azizzadenesheli, A. Anandkumar. signSGD: Compressed Optimisation
//	for Non-Convex Problems. ICML 2018, Algorithm 3 (distributed training by majority vote).
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the n updates, η the step, sign(0) = 0, for each coordinate:
//
//	θᵗ = θᵗ⁻¹ + η·sign(Σ sign(Δₖ)).
//
// Where all honest clients agree in sign, so does the vote with any minority of faulty ones (J.
// Bernstein, J. Zhao, K. Azizzadenesheli, A. Anandkumar. signSGD with Majority Vote is
// Communication Efficient and Fault Tolerant. ICLR 2019).
//
// Running statistics of batch norms make no steps: each is the median of the clients', to which
// steps by majority lead, and which a minority cannot move beyond the others'.
//
// Signs alone are sent with compressor = { name = "sign", step = η }: one bit for each number.
//
// Departures: updates are those of any local work, not gradients. Clients are sent the model, in
// full, not the vote, of one bit for each number.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// SignMajority describes the aggregator to the registry.
var SignMajority = fl.AggregatorEntry{
	Name:       "sign-majority",
	Summary:    "one step for each coordinate, in the direction of most updates",
	Paper:      "bernstein2018",
	Deviations: "updates of local work, not gradients; clients are sent models, not votes",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &signMajority{step: p.Float("step", 0.001, fl.Above(0), "η, length of the step of "+
			"every coordinate")}, nil
	},
}

// signMajority keeps nothing in State.
type signMajority struct {
	step  float64     // η
	parts [][]float64 // room
}

var _ fl.Aggregator = (*signMajority)(nil)

// Aggregate implements fl.Aggregator.
func (a *signMajority) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	ones, votes := r.Scratch(len(r.Updates)), r.Scratch(len(r.Global))
	ones.Fill(1)
	const stretch = 512 // coordinates at a time, of which models stay in the cache
	for from := 0; from < len(votes); from += stretch {
		to := min(from+stretch, len(votes))
		a.parts = a.parts[:0]
		for k := range r.Updates {
			a.parts = append(a.parts, r.Updates[k].Params[from:to])
		}
		votes[from:to].AddSigns(ones, a.parts, r.Global[from:to])
	}
	votes.Sign()
	votes.Scale(a.step)
	votes.Add(r.Global)
	if n := r.Layout.Trained(len(votes)); n < len(votes) {
		a.parts = a.parts[:0]
		for k := range r.Updates {
			a.parts = append(a.parts, r.Updates[k].Params[n:])
		}
		tensor.Median(votes[n:], a.parts)
	}
	return fl.Outcome{Params: votes}, nil
}
