// FedAvg — a weighted mean of what the cohort uploads, under its several names.
//
//	B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas. Communication-
//	Efficient Learning of Deep Networks from Decentralized Data. AISTATS 2017, Alg. 1.
//	X. Li, K. Huang, W. Yang, S. Wang, Z. Zhang. On the Convergence of FedAvg on Non-IID
//	Data. ICLR 2020, Scheme II: (N/K) pₖ.
//	D. G. Horvitz, D. J. Thompson. A Generalization of Sampling Without Replacement From
//	a Finite Universe. JASA 1952. — J. Hájek. Comment on a paper by D. Basu. 1971.
//
// Notation: p importance, nᵢ samples, πᵢ inclusion probability, K = |Sᵗ|, N clients,
// Δᵢ = θᵢ − θᵗ⁻¹.
//
// Which weights? "samples" is FedAvg as published, "uniform" a plain mean; both aim at an objective
// that availability changes, not at p. "importance" aims at p under full participation.
// "self-normalised" is p over the cohort, biased. "scaled" is unbiased for uniform cohorts, "ht"
// for any law with πᵢ > 0; their weights do not sum to one, so they belong on deltas. "hajek" is
// "ht" made to sum to one. Where all weights are 0 before that, because no client of the cohort
// counts (p = 0), the model stays as it is. "stated" is unbiased for the clients available in a
// round, given what the selection knew when it drew: for selections that ask clients.
//
// A client that was selected mᵢ times in a round counts mᵢ times: "uniform" is mᵢ/K, Scheme I of
// Li et al., and πᵢ is E mᵢ (M. H. Hansen, W. N. Hurwitz. On the Theory of Sampling from Finite
// Populations. Annals of Mathematical Statistics, 1943).

package aggregator

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedAvg describes the aggregator to the registry.
var FedAvg = fl.AggregatorEntry{
	Name:    "fedavg",
	Summary: "weighted mean of the cohort's models or deltas",
	Paper:   "mcmahan2017",
	New:     newFedAvg,
	Traits:  fl.AggregatorTraits{Repeats: true},
}

// fedAvg keeps nothing in State.
type fedAvg struct {
	weights string
	deltas  bool // Σ wᵢ Δᵢ on top of θᵗ⁻¹ instead of Σ wᵢ θᵢ
}

var _ fl.Weigher = (*fedAvg)(nil)

func newFedAvg(p *fl.Params) (fl.Aggregator, error) {
	a := newMean(p)
	a.deltas = p.Choice("of", "delta", "average deltas Δᵢ on top of θᵗ⁻¹, or parameters θᵢ",
		"delta", "params") == "delta"
	return fl.Weigh(a), nil
}

// newMean declares the weights of a mean of deltas.
func newMean(p *fl.Params) *fedAvg {
	return meanOf(p, p.Choice("weights", "samples",
		"wᵢ = nᵢ/Σₛn | pᵢ | 1/K | (N/K)pᵢ | pᵢ/Σₛp | pᵢ/πᵢ | pᵢ/πᵢ over its sum | pᵢ/πᵢ by the "+
			"πᵢ that the selection states of each round; a cohort whose weights are all 0 leaves "+
			"the model as it is",
		"samples", "importance", "uniform", "scaled", "self-normalised", "ht", "hajek", "stated"))
}

// meanOf returns a mean of deltas by weights that exist in the setting.
func meanOf(p *fl.Params, weights string) *fedAvg {
	a := &fedAvg{deltas: true, weights: weights}
	if s := p.Setting(); s.Known() && !s.Law && (a.weights == "ht" || a.weights == "hajek") {
		p.Fail("weights", "%s needs inclusion probabilities; law = \"unknown\" hides them",
			a.weights)
	}
	if s := p.Setting(); s.Known() && !s.Expected && a.weights == "stated" {
		p.Fail("weights", "stated: this selection does not state how often it counts clients")
	}
	return a
}

// Weights returns wᵢ, of deltas or of parameters.
func (a *fedAvg) Weights(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNoUpdates
	}
	if r.T == 0 && (a.weights == "ht" || a.weights == "hajek") && r.Law.ThinInclusion(r.Roster) {
		return fl.Weights{}, fmt.Errorf("%s needs inclusion probabilities, but they are estimated "+
			"from %d simulated rounds, too few for %d clients", a.weights, r.Law.Draws, r.Roster.N)
	}
	w := r.Scratch(len(r.Updates))
	p, k := r.Roster.Importance, r.Counted()
	for j := range r.Updates {
		i := r.Updates[j].Client
		switch a.weights {
		case "samples":
			w[j] = float64(r.Updates[j].Samples)
		case "importance", "self-normalised":
			w[j] = p[i]
		case "uniform":
			w[j] = 1 / k
		case "scaled":
			w[j] = float64(r.Roster.N) / k * p[i]
		case "ht", "hajek":
			w[j] = p[i] / r.Law.Counts()[i]
		case "stated":
			w[j] = p[i] / r.Expected[j]
		}
		w[j] *= r.Count(j)
	}
	if a.weights == "samples" || a.weights == "self-normalised" || a.weights == "hajek" {
		if !toSumOne(w) {
			r.Notes.Add(uncounted)
			return fl.Weights{By: w, Deltas: true}, nil
		}
	}
	if !a.deltas && math.Abs(w.Sum()-1) > 1e-9 {
		r.Notes.Add("its weights do not sum to one: on parameters every round scales the model " +
			"itself, which deltas would not")
	}
	return fl.Weights{By: w, Deltas: a.deltas}, nil
}

// uncounted is the remark of a round in which all weights are 0 before they are made to sum to 1.
// It is the same for all rules: clients that do not count in the objective move nothing.
const uncounted = "a cohort of clients with p = 0 left the model as it is"

// toSumOne scales w to sum 1, and reports whether it could: weights that are all 0 stay so.
func toSumOne(w fl.Vector) bool {
	sum := w.Sum()
	if sum > 0 {
		w.Scale(1 / sum)
	}
	return sum > 0
}
