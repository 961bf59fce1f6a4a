// FedLaAvg, the server's half — a mean over all clients of what each did last.
//
//	Y. Yan, C. Niu, Y. Ding, Z. Zheng, S. Tang, Q. Li, F. Wu, C. Lyu, Y. Feng, G. Chen. Federated
//	Optimization Under Intermittent Client Availability. INFORMS Journal on Computing, 2024
//	(arXiv:2002.07399: Distributed Non-Convex Optimization with Sublinear Speedup under
//	Intermittent Client Availability), Federated Latest Averaging.
//
// Notation: S the cohort, p importance, ηₜ the rate of clients in round t, gᵢ the sum of gradients
// of client i in its last participation, 0 before the first, so that its update was −ηgᵢ:
//
//	v ← v + Σ_S pᵢ(gᵢ − gᵢ of before),    θᵗ = θᵗ⁻¹ − ηₜv.
//
// v is Σ pᵢgᵢ over all clients, as in MIFA with zeros for clients that were never seen. What
// differs: clients keep gᵢ and send how it changed, so that the server keeps one vector, v,
// whatever N is; they count by p; and of the clients that are available the server takes those that
// took part the longest time ago, which is the selection longest-absent. Where all participate in
// every round it is Σ pᵢΔᵢ, weights = "importance" of FedAvg, but for rounding.
//
// Departures: pᵢ weighs what clients send, and in the paper it scales their losses by Npᵢ, which is
// the same for one local step. A round in which no client participates leaves the model as it is.
// Agrees with the authors' code, mikudehuane/FedLaAvg, train/server.py and train/client.py, of
// which the first rounds may leave the model as it is while clients are seen.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedLaAvg describes the aggregator to the registry.
var FedLaAvg = fl.AggregatorEntry{
	Name:    "fedlaavg",
	Summary: "mean over all clients of the latest update of each, which clients keep",
	Paper:   "yan2024",
	Deviations: "p weighs updates instead of losses; rounds without participants change nothing; " +
		"a server rate",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.WeighThen(byImportance{}, &fedLaAvg{p.Setting().Rate, newServerRate(p)}), nil
	},
	Traits: fl.AggregatorTraits{Method: "FedLaAvg", Remembers: true},
}

// byImportance weighs deltas by p.
type byImportance struct{}

// Weights returns pᵢ of deltas.
func (byImportance) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = r.Roster.Importance[r.Updates[k].Client]
	}
	return fl.Weights{By: w, Deltas: true}, nil
}

// fedLaAvg keeps in State: latest, −η₀v.
type fedLaAvg struct {
	local *fl.Schedule // ηₜ; nil: the local rule has none, and all are 1
	rate  *serverRate  // η_g, 1 in the paper
}

var _ fl.ServerOptimizer = (*fedLaAvg)(nil)

// Step implements fl.ServerOptimizer: moved is θᵗ⁻¹ − η₀·Σ_S pᵢ(gᵢ − gᵢ of before).
func (a *fedLaAvg) Step(r *fl.Round, moved fl.Vector) (fl.Outcome, error) {
	latest := r.State.Vector("latest", len(moved))
	moved.Sub(r.Global)
	latest.Add(moved)
	copy(moved, r.Global)
	moved.AddScaled(a.rate.of(r)*fading(a.local, r.T), latest)
	return fl.Outcome{Params: moved}, nil
}
