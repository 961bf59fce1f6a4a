package fl

import (
	"fmt"
	"math"
)

// An Outcome is what becomes of a round. Its memory may be that of the round or of State: it is
// copied before the next round.
type Outcome struct {
	Params Vector // θᵗ; as long as θᵗ⁻¹, unless clients are adopted

	// Adopted says that Params are not parameters of Round.Model, but those of the model of a
	// client of the cohort; of several, one after another, for an ensemble: its scores are the
	// logarithms of the mean of their chances, or, where there are no classes, their mean. It is
	// the model from then on. An ensemble cannot be trained. Nil: nothing is adopted.
	Adopted []int

	// Broadcast is what clients are sent along with Params; every float in it is counted as
	// communication. Nil: nothing.
	Broadcast Tensors

	// Mail is what single clients are sent, by client. It waits at the server until its client
	// participates next, and is sent along with the model then, once: every float in it is counted
	// as communication in that round. Mail for a client takes the place of mail that still waits
	// for it, which is never sent; an empty one withdraws it. A client that is not enrolled can
	// have none. Nil: no client is sent more than it would be.
	Mail map[int]Tensors

	// Weights are those of the updates in Params, where Params are a weighted sum or are made of
	// one; nil: they are none.
	Weights Vector
}

// Weights are how much each update counts in a weighted sum of models.
type Weights struct {
	By     Vector // one for each update, in their order
	Deltas bool   // θᵗ⁻¹ + Σₖ By[k]·(θₖ − θᵗ⁻¹) is the sum, not Σₖ By[k]·θₖ
}

// A WeightedSum is the Aggregator that Weigh and WeighThen return. The engine knows it, and has
// models summed as clients finish.
type WeightedSum struct {
	Weigher   Weigher
	Optimizer ServerOptimizer // nil: the sum is θᵗ
}

var _ Aggregator = (*WeightedSum)(nil)

// Weigh returns an aggregator whose θᵗ is the weighted sum.
func Weigh(w Weigher) Aggregator { return &WeightedSum{Weigher: w} }

// WeighThen returns an aggregator whose θᵗ is what o makes of the weighted sum.
func WeighThen(w Weigher, o ServerOptimizer) Aggregator { return &WeightedSum{w, o} }

// Weights returns the weights of a round, or an error where there is not one for each update.
func (s *WeightedSum) Weights(r *Round) (Weights, error) {
	w, err := s.Weigher.Weights(r)
	if err == nil && len(w.By) != len(r.Updates) {
		err = fmt.Errorf("%d weights for %d updates", len(w.By), len(r.Updates))
	}
	return w, err
}

// Finish returns what becomes of a round, given its weights and sum = Σₖ w.By[k]·θₖ, which it
// overwrites.
func (s *WeightedSum) Finish(r *Round, w Weights, sum Vector) (out Outcome, err error) {
	if total := w.By.Sum(); w.Deltas {
		r.complete(sum, total)
	} else if total > 0 && math.Abs(total-1) > 1e-9 {
		sum[r.Layout.Trained(len(sum)):].Scale(1 / total) // no sum of statistics is one
	}
	out.Params = sum
	if s.Optimizer != nil {
		out, err = r.step(s.Optimizer, sum)
	}
	out.Weights = w.By
	return out, err
}

// step returns what o makes of a sum. Running statistics are not trained, and no step of an
// optimizer means anything for them: they are those of the sum.
func (r *Round) step(o ServerOptimizer, sum Vector) (Outcome, error) {
	trained := r.Layout.Trained(len(sum))
	if trained == len(sum) {
		return o.Step(r, sum)
	}
	followed := r.Scratch(len(sum) - trained)
	copy(followed, sum[trained:])
	out, err := o.Step(r, sum)
	if err != nil || len(out.Params) != len(sum) {
		return out, err
	}
	copy(sum[:trained], out.Params)
	copy(sum[trained:], followed)
	out.Params = sum
	return out, nil
}

// Aggregate implements Aggregator, for a round whose updates hold models. Its parts do not see
// these.
func (s *WeightedSum) Aggregate(r *Round) (Outcome, error) {
	models := r.Models()
	updates := r.hide()
	defer func() { r.Updates = updates }()
	w, err := s.Weights(r)
	if err != nil {
		return Outcome{}, err
	}
	sum := r.Scratch(len(r.Global))
	sum.AddWeighted(w.By, models)
	return s.Finish(r, w, sum)
}

// hide leaves of the updates of a round what a Weigher sees of them, and returns them.
func (r *Round) hide() (updates []Update) {
	updates = r.Updates
	r.bare = r.bare[:0]
	for k := range updates {
		r.bare = append(r.bare, Update{Client: updates[k].Client, Samples: updates[k].Samples})
	}
	r.Updates = r.bare
	return updates
}
