// Debias-FedAvg — clients count by the inverse of how often they took part.
//
//	Z. Sun, Z. Zhang, Z. Xu, G. Joshi, P. Sharma, E. Wei. Debiasing Federated Learning with
//	Correlated Client Participation. ICLR 2025 (arXiv:2410.01209), Debiasing FedAvg.
//
// Notation: S the cohort, N clients, Δᵢ = θᵢ − θᵗ⁻¹, nᵢ the number of rounds up to this one, which
// counts, in which client i took part, t + 1 the number of rounds, η_g the server's rate:
//
//	π̂ᵢ = nᵢ/(t + 1),    θᵗ = θᵗ⁻¹ + η_g/N·Σ_S Δᵢ/π̂ᵢ.
//
// Rounds are counted from the first one on, not from the first in which the client took part. π̂ᵢ
// goes to the stationary inclusion probability of any ergodic law of participation, such as
// minimum-separation, whatever the correlation of rounds: in the mean over rounds all clients
// count the same in the end. A client that is seen first in round t counts (t + 1)/N, so that rates
// should fall. Where all participate in every round it is Σ_S Δᵢ/N.
//
// Departures: N is the number of clients that are enrolled; rounds without participants count, too.
// The server counts and divides Δᵢ: to divide a client's gradients is the same for one local step.
// This was written from the abstract and the public reviews of the paper; no code of the authors is
// known.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// DebiasFedAvg describes the aggregator to the registry.
var DebiasFedAvg = fl.AggregatorEntry{
	Name:    "debias-fedavg",
	Summary: "deltas over the share of all rounds so far in which their client took part",
	Paper:   "sun2025",
	Deviations: "N counts enrolled clients; the server counts rounds and divides deltas; no code " +
		"of the authors is known",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(debiasFedAvg{}, newServerRate(p)), nil
	},
}

// debiasFedAvg keeps in State: took, nᵢ by client.
type debiasFedAvg struct{}

var _ fl.Weigher = debiasFedAvg{}

// Weights returns 1/(Nπ̂ᵢ) of deltas.
func (debiasFedAvg) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	took := r.State.Vector("took", r.Roster.N)
	w, n := r.Scratch(len(r.Updates)), float64(r.Roster.Enrolment())
	for k := range r.Updates {
		i := r.Updates[k].Client
		took[i]++
		w[k] = float64(r.T+1) / took[i] / n
	}
	r.Notes.Observe("sum of weights", w.Sum())
	return fl.Weights{By: w, Deltas: true}, nil
}
