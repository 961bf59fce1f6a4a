// q-FedAvg — clients count the more the worse the model that they received serves them.
//
//	T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in Federated Learning.
//	ICLR 2020, Algorithm 2.
//
// Notation: S the cohort, Fᵢ the loss of client i at θᵗ⁻¹, q how much fairness counts, L = 1/η for
// the rate η of the clients:
//
//	Δᵢ = L(θᵗ⁻¹ − θᵢ),    hᵢ = q Fᵢ^(q−1)‖Δᵢ‖² + L Fᵢ^q,
//	θᵗ = θᵗ⁻¹ − Σ_S Fᵢ^q Δᵢ / Σ_S hᵢ.
//
// It descends along the objective Σ Fᵢ^(q+1)/(q+1), by steps that hᵢ makes short enough for any q.
// With q = 0 it is the plain mean of FedAvg, to the bit. Fᵢ is the loss of all samples of the
// client at the model that it received, not that of its training: each client sends it, 8 bytes.
//
// Departures: clients send θᵢ and Fᵢ, of which the server computes Fᵢ^q Δᵢ and hᵢ, which clients
// send in the paper. As in the authors' code, 1e-10 is added to a loss, so that one of zero has
// powers. A client that a selection repeats counts as often.

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// QFedAvg describes the aggregator to the registry.
var QFedAvg = fl.AggregatorEntry{
	Name:       "q-fedavg",
	Summary:    "mean of deltas by powers of the clients' losses, in steps that these bound",
	Paper:      "li2020fair",
	Deviations: "the server computes what clients send in the paper; 1e-10 is added to losses",
	New:        newQFedAvg,
	Traits:     fl.AggregatorTraits{Repeats: true, Losses: true},
}

// qFedAvg keeps nothing in State.
type qFedAvg struct {
	q    float64 // q
	rate *fl.Schedule
}

var _ fl.Aggregator = (*qFedAvg)(nil)

func newQFedAvg(p *fl.Params) (fl.Aggregator, error) {
	a := &qFedAvg{q: p.Float("q", 1, fl.AtLeast(0), "q, how much fairness counts; 0: FedAvg; the "+
		"paper tries 0.001 to 15")}
	a.rate = localRate(p, "η of L = 1/η; 0: that of the local rule in each round")
	return a, nil
}

// Aggregate implements fl.Aggregator: the step is a mean of deltas with weights LFᵢ^q/Σhᵢ.
func (a *qFedAvg) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w, sum, rate := r.Scratch(len(r.Updates)), 0.0, a.rate.At(r.T)
	for k := range r.Updates {
		loss := r.Losses[k] + 1e-10
		if !(loss > 0) {
			return fl.Outcome{}, fmt.Errorf("client %d: its loss is %v; q-fedavg needs losses "+
				"that are not negative", r.Updates[k].Client, r.Losses[k])
		}
		count := r.Count(k)
		w[k] = count * math.Pow(loss, a.q)
		sum += w[k] // Σhᵢ/L
		if away := r.Updates[k].Params.Distance(r.Global); a.q > 0 && away > 0 {
			sum += count * a.q * math.Pow(loss, a.q-1) * away * away / rate
		}
	}
	w.Scale(1 / sum)
	r.Notes.Observe("q-fedavg's step", w.Sum())
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
