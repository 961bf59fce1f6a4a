// FedVARP — a mean of deltas less what each client sent last, plus the mean of that over all.
//
//	D. Jhunjhunwala, P. Sharma, A. Nagarkatti, G. Joshi. FedVARP: Tackling the Variance Due to
//	Partial Client Participation in Federated Learning. UAI 2022, Algorithm 2.
//
// Notation: S the cohort, N clients, Δᵢ = θᵢ − θᵗ⁻¹, yᵢ the Δᵢ of the last round before this one in
// which client i participated, 0 before the first, η_g the server's rate:
//
//	v = 1/|S|·Σ_S (Δᵢ − yᵢ) + 1/N·Σ yⱼ  over all N clients,    θᵗ = θᵗ⁻¹ + η_g v,
//	yᵢ ← Δᵢ  for i ∈ S, after v.
//
// Where all clients are as likely to be in S, v is in the mean over cohorts that of all Δᵢ: for
// other laws it is biased, as FedAvg is. Where all participate in every round it is the plain mean
// of FedAvg, but for rounding. Kept is a model for each client that was seen; clients send nothing
// beside models.
//
// Departures: N is the number of clients that are enrolled. yᵢ is Δᵢ as sent, whatever the rate of
// the clients was.

package aggregator

import "github.com/hansa-fl/hansa/framework/fl"

// FedVARP describes the aggregator to the registry.
var FedVARP = fl.AggregatorEntry{
	Name:       "fedvarp",
	Summary:    "mean of deltas, with less variance by what all clients sent last",
	Paper:      "jhunjhunwala2022",
	Deviations: "N counts enrolled clients",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedVARP{memory: newLatest(), rate: newServerRate(p)}, nil
	},
	Traits: fl.AggregatorTraits{Remembers: true},
}

// fedVARP keeps in State: the yᵢ and their sum.
type fedVARP struct {
	memory latest
	rate   *serverRate // η_g
}

var _ fl.Aggregator = (*fedVARP)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedVARP) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	rate, share := a.rate.of(r), 1/float64(len(r.Updates))
	w := r.Scratch(len(r.Updates))
	w.Fill(rate * share)
	next := r.CombineDeltas(w)
	trained := next[:r.Layout.Trained(len(next))] // statistics are the mean of the cohort's
	trained.AddScaled(rate/float64(r.Roster.Enrolment()), a.memory.sum(r)[:len(trained)])
	for k := range r.Updates {
		trained.AddScaled(-rate*share, a.memory.of(r, r.Updates[k].Client)[:len(trained)])
		a.memory.renew(r, k, 1)
	}
	return fl.Outcome{Params: next}, nil
}
