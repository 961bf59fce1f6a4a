// Agnostic federated learning (AFL) — the mixture of clients with the largest loss.
//
//	M. Mohri, G. Sivek, A. T. Suresh. Agnostic Federated Learning. ICML 2019, Section 4.1:
//	Stochastic-AFL.
//
// Notation: N clients, S the cohort, K = |S|, Fᵢ the loss of client i at θᵗ⁻¹, Δᵢ its delta, λ a
// mixture of clients, γ the rate of its ascent, Π the projection on the simplex. It looks for
// min_θ max_λ Σ λᵢFᵢ(θ):
//
//	θᵗ = θᵗ⁻¹ + Σ_S λᵢΔᵢ/Σ_S λᵢ,    λ ← Π(λ + γ·N/K·Σ_S Fᵢeᵢ),
//
// both by losses and deltas from θᵗ⁻¹ and the mixture of before. λ is p at first. With γ = 0 it is
// FedAvg with the weights p, made to sum to 1 over the cohort, to the bit. Each client sends its
// loss at the model that it received, 8 bytes.
//
// Departures: clients make several steps in a round, where the paper makes one. Where not all
// participate, the ascent is unbiased for uniform cohorts, and θ goes along a mean over the cohort.
// The model that is measured is the last one, and not the mean of all; N counts enrolled clients.

package aggregator

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// AgnosticFL describes the aggregator to the registry.
var AgnosticFL = fl.AggregatorEntry{
	Name:    "agnostic-fl",
	Summary: "mean of deltas by a mixture that ascends along the clients' losses (AFL)",
	Paper:   "mohri2019",
	Deviations: "clients make several steps; weights are made to sum to 1 over the cohort; the " +
		"last model is measured, not the mean",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &agnosticFL{rate: p.Float("ascent", 0.1, fl.AtLeast(0),
			"γ, rate of the mixture along losses; 0: it stays p")}, nil
	},
	Traits: fl.AggregatorTraits{Losses: true},
}

// agnosticFL keeps in State: mixture, λ; begun, whether there is one.
type agnosticFL struct{ rate float64 } // γ

var _ fl.Aggregator = (*agnosticFL)(nil)

// Aggregate implements fl.Aggregator.
func (a *agnosticFL) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	lambda := r.State.Vector("mixture", r.Roster.N)
	if begun := r.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		copy(lambda, r.Roster.Importance)
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = lambda[r.Updates[k].Client]
	}
	if !toSumOne(w) {
		r.Notes.Add("in some rounds no client of the cohort was in the mixture, and the model " +
			"stayed as it is")
	}
	a.ascend(r, lambda)
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// ascend moves the mixture along losses, on the simplex of enrolled clients.
func (a *agnosticFL) ascend(r *fl.Round, lambda fl.Vector) {
	if a.rate == 0 {
		return
	}
	clients := r.Room(r.Roster.N)
	step := a.rate * float64(r.Roster.Enrolment()) / float64(len(r.Updates))
	for k := range r.Updates {
		lambda[r.Updates[k].Client] += step * r.Losses[k]
	}
	for i := range lambda {
		if r.Roster.Reaches(i) {
			clients = append(clients, i)
		} else {
			lambda[i] = 0
		}
	}
	stats.ProjectSimplex(lambda, clients)
	r.Notes.Observe("largest share in the mixture", slices.Max(lambda))
}
