// Fisher merging — a mean of models in which each parameter counts by its Fisher information.
//
//	M. Matena, C. Raffel. Merging Models with Fisher-Weighted Averaging. NeurIPS 2022, eq. 3.
//
// Notation: θ_k the model of client k and F_k the diagonal of its Fisher information, see the local
// rule fisher; λ_k the weight of the client.
//
//	θ_j = Σ_k λ_k·F_kj·θ_kj / Σ_k λ_k·F_kj
//
// It maximises Σ λ_k log p of normal posteriors with mean θ_k and variances 1/F_k. With λ_k = n_k a
// linear model with designs whose columns are orthogonal at every client is that of all samples in
// one place, exactly. With equal F_k it is FedAvg.
//
// Departures: λ_k = n_k/Σn where the paper tunes λ; "uniform" is the paper's starting point. F_kj
// below the floor is raised to it, so that a parameter that no client knows anything of is the
// mean; by its default the authors' code does so for the first model alone, the target of what the
// others know, and divides every λ_k by ‖F_k‖. In federated learning there is no target.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FisherMerging describes the aggregator to the registry.
var FisherMerging = fl.AggregatorEntry{
	Name:       "fisher-merging",
	Summary:    "mean of models, each parameter weighted by its Fisher information",
	Paper:      "matena2022",
	Deviations: "clients count by their samples, and no weights are tuned",
	OneLabel:   true,
	New:        newFisherMerging,
	Traits:     fl.AggregatorTraits{Method: "Fisher merging"},
}

// fisherMerging keeps nothing in State.
type fisherMerging struct {
	uniform bool
	floor   float64
}

var _ fl.Aggregator = (*fisherMerging)(nil)

func newFisherMerging(p *fl.Params) (fl.Aggregator, error) {
	return &fisherMerging{
		uniform: p.Choice("weights", "samples", "λₖ = nₖ/Σₛn | 1/K", "samples", "uniform") ==
			"uniform",
		floor: p.Float("floor", 1e-6, fl.AtLeast(0), "Fisher information below is raised to it; "+
			"with 0 a parameter of which all have none is the mean"),
	}, nil
}

// Aggregate implements fl.Aggregator.
func (a *fisherMerging) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	by := sharing("samples")
	if a.uniform {
		by = "uniform"
	}
	w, err := by.of(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	n := len(r.Global)
	sum, mass := r.Scratch(n), r.Scratch(n)
	for k := range r.Updates {
		f := r.Updates[k].Payload["fisher"]
		if f.Rows != 1 || f.Cols != n {
			return fl.Outcome{}, fmt.Errorf("client %d: Fisher information of %d × %d numbers "+
				"for %d parameters", r.Updates[k].Client, f.Rows, f.Cols, n)
		}
		for j, x := range f.Data {
			if !(x >= 0) {
				return fl.Outcome{}, fmt.Errorf("client %d: Fisher information %v",
					r.Updates[k].Client, x)
			}
			share := w[k] * max(x, a.floor)
			mass[j] += share
			sum[j] += share * r.Updates[k].Params[j]
		}
	}
	mean := r.Combine(w)
	for j, m := range mass {
		if m > 0 {
			mean[j] = sum[j] / m
		}
	}
	return fl.Outcome{Params: mean}, nil
}
