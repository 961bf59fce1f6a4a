// Model soup — the average of those models whose average does best on the server's samples.
//
//	M. Wortsman, G. Ilharco, S. Y. Gadre, R. Roelofs, R. Gontijo-Lopes, A. S. Morcos,
//	H. Namkoong, A. Farhadi, Y. Carmon, S. Kornblith, L. Schmidt. Model soups: averaging weights
//	of multiple fine-tuned models improves accuracy without increasing inference time. ICML 2022,
//	Recipe 1.
//
// Notation: models θ₁, …, θ_K from the most accurate on the server's samples to the least; a(S)
// the accuracy of the mean of some of them there.
//
//	S ← {θ₁};  for k = 2 … K:  if a(S ∪ {θ_k}) ≥ a(S):  S ← S ∪ {θ_k};  θ = mean of S
//
// So the greedy soup is, on these samples, at least as accurate as the best model. The uniform
// soup, the mean of all models, is fedavg with weights = "uniform".
//
// Departures: the models are those of clients, from data that differ, where the paper has one data
// set and several settings of the training. Without classes accuracy is minus the loss.

package aggregator

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ModelSoup describes the aggregator to the registry.
var ModelSoup = fl.AggregatorEntry{
	Name:       "model-soup",
	Summary:    "mean of the models that do not lower its accuracy on the server's samples",
	Paper:      "wortsman2022",
	Deviations: "models are of clients with data of their own",
	New:        func(*fl.Params) (fl.Aggregator, error) { return modelSoup{}, nil },
	Fits:       needsHeld,
}

// modelSoup keeps nothing in State.
type modelSoup struct{}

var _ fl.Aggregator = modelSoup{}

// Aggregate implements fl.Aggregator.
func (modelSoup) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	order, err := ranked(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	slices.Reverse(order)
	n := len(r.Updates[order[0]].Params)
	soup, trial, w := r.Scratch(n), r.Scratch(n), r.Scratch(len(order))
	best, size := 0.0, 0.0
	for i, k := range order {
		if len(r.Updates[k].Params) != n {
			return fl.Outcome{}, errMixed
		}
		copy(trial, soup)
		trial.AddScaled(1/(size+1), r.Updates[k].Params)
		trial.AddScaled(-1/(size+1), soup)
		if merit := meritOf(r.ModelOf(k), trial, r.Validation); i == 0 || merit >= best {
			best, size, w[k] = merit, size+1, 1
			soup, trial = trial, soup
		}
	}
	w.Scale(1 / size)
	r.Notes.Observe("models in the soup", size)
	return fl.Outcome{Params: r.Combine(w), Weights: w}, nil
}
