// MIFA — a mean over all clients of what each sent last, whichever participate.
//
//	X. Gu, K. Huang, J. Zhang, L. Huang. Fast Federated Learning in the Presence of Arbitrary
//	Device Unavailability. NeurIPS 2021, Algorithm 1.
//
// Notation: S the cohort, N clients, ηₜ the rate of clients in round t, η_g the server's rate:
//
//	Gᵢ ← (θᵗ⁻¹ − θᵢ)/ηₜ  for i ∈ S,    θᵗ = θᵗ⁻¹ − η_g·ηₜ/N·Σ Gᵢ  over all N clients.
//
// The sum is divided by N, not by the number of clients that were seen. Where all participate in
// every round it is the plain mean of FedAvg, but for rounding. Kept is a model for each client
// that was seen; clients send nothing beside models.
//
// Departures: N is the number of clients that are enrolled. The paper takes all clients to
// participate in the first round; where they do not, wait = true leaves the model as it is until
// all were seen, and wait = false takes Gᵢ = 0 until then. A round in which no client participates
// leaves the model as it is. Gᵢ is kept times the first rate; a rate of 0 renews no Gᵢ. η_g is 1 in
// the paper. In the authors' code, hmgxr128/MIFA_code, a round without participants moves the model
// by what is kept; with waiting, all clients are trained anew at the first model once all were
// seen, the first step is that of the round after, and the rate falls with rounds counted from
// there.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// MIFA describes the aggregator to the registry.
var MIFA = fl.AggregatorEntry{
	Name:    "mifa",
	Summary: "mean over all clients of the latest update of each, kept while it is away",
	Paper:   "gu2021",
	Deviations: "N counts enrolled clients; rounds without participants change nothing; a server " +
		"rate",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &mifa{
			memory: newLatest(),
			wait: p.Bool("wait", false, "the model stays as it is until all enrolled clients "+
				"were seen; false: those that were not count as 0"),
			local: p.Setting().Rate,
			rate:  newServerRate(p),
		}, nil
	},
	Traits: fl.AggregatorTraits{Remembers: true},
}

// mifa keeps in State: the Gᵢ and their sum, and seen, by client, 1 for those that were seen.
type mifa struct {
	memory latest
	wait   bool
	local  *fl.Schedule // ηₜ; nil: the local rule has none, and all are 1
	rate   *serverRate  // η_g
}

var _ fl.Aggregator = (*mifa)(nil)

// Aggregate implements fl.Aggregator.
func (a *mifa) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	fade := fading(a.local, r.T)
	seen := r.State.Vector("seen", r.Roster.N)
	for k := range r.Updates {
		seen[r.Updates[k].Client] = 1
		if fade > 0 {
			a.memory.renew(r, k, 1/fade)
		}
	}
	next, n := r.Scratch(len(r.Global)), float64(r.Roster.Enrolment())
	copy(next, r.Global)
	if missing := n - seen.Sum(); missing > 0 {
		r.Notes.Observe("clients never seen", missing)
		if a.wait {
			return fl.Outcome{Params: next}, nil
		}
	}
	trained := r.Layout.Trained(len(next))
	next[:trained].AddScaled(a.rate.of(r)*fade/n, a.memory.sum(r)[:trained])
	if trained < len(next) { // statistics are the mean of the cohort's
		share := r.Scratch(len(r.Updates))
		share.Fill(1 / float64(len(share)))
		copy(next[trained:], r.CombineDeltas(share)[trained:])
	}
	return fl.Outcome{Params: next}, nil
}

// fading returns ηₜ/η₀ of the clients' rates; 1 where there are none.
func fading(local *fl.Schedule, t int) float64 {
	if local == nil || local.At(0) <= 0 {
		return 1
	}
	return local.At(t) / local.At(0)
}
