// FedAU — clients count by the mean number of rounds from one participation to the next.
//
//	S. Wang, M. Ji. A Lightweight Method for Tackling Unknown Participation Statistics in
//	Federated Learning. ICLR 2024, Algorithms 1 and 2.
//
// Notation: S the cohort, N clients, Δᵢ = θᵢ − θᵗ⁻¹, ωᵢ the mean length of client i's intervals
// that ended before this round, 1 where none has, K_c the longest interval, η_g the server's rate:
//
//	θᵗ = θᵗ⁻¹ + η_g/N·Σ_S ωᵢΔᵢ.
//
// An interval has the rounds after the one that ended the interval before, up to a round in which i
// participates, or K_c of them. It is recorded after ωᵢ was used, so that ωᵢ does not depend on the
// round in which it counts. For clients that participate independently with probability πᵢ, ωᵢ
// goes to 1/πᵢ where there is no K_c, and to (1 − (1 − πᵢ)^K_c)/πᵢ with one: clients that are away
// for longer count too little. With K_c = 1, or where all participate in every round, it is
// Σ_S Δᵢ/N.
//
// Departures: N is the number of clients that are enrolled. The server counts rounds, which clients
// do in the paper; rounds without participants count, too.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedAU describes the aggregator to the registry.
var FedAU = fl.AggregatorEntry{
	Name:       "fedau",
	Summary:    "deltas times the mean number of rounds between participations of their client",
	Paper:      "wang2024fedau",
	Deviations: "N counts enrolled clients; the server counts rounds",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		a := &fedAU{cutoff: p.Int("cutoff", 50, fl.AtLeast(0),
			"K_c, the longest interval, in rounds; 0: any")}
		return fl.WeighThen(a, newServerRate(p)), nil
	},
}

// fedAU keeps in State, by client: total and ended, the rounds of all intervals that have ended and
// their number, and begun, the round in which the open one begins.
type fedAU struct{ cutoff int }

var _ fl.Weigher = (*fedAU)(nil)

// Weights returns ωᵢ/N of deltas.
func (a *fedAU) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	total, ended := r.State.Vector("total", r.Roster.N), r.State.Vector("ended", r.Roster.N)
	begun := r.State.Vector("begun", r.Roster.N)
	w, n := r.Scratch(len(r.Updates)), float64(r.Roster.Enrolment())
	for k := range r.Updates {
		i := r.Updates[k].Client
		open := r.T - int(begun[i]) // rounds of the interval before this one
		if a.cutoff > 0 {
			cut := open / a.cutoff
			ended[i] += float64(cut)
			total[i] += float64(cut * a.cutoff)
			open -= cut * a.cutoff
		}
		omega := 1.0
		if ended[i] > 0 {
			omega = total[i] / ended[i]
		}
		w[k] = omega / n
		ended[i]++
		total[i] += float64(open + 1)
		begun[i] = float64(r.T + 1)
	}
	r.Notes.Observe("sum of weights", w.Sum())
	return fl.Weights{By: w, Deltas: true}, nil
}
