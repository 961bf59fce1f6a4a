// Validated SGD — local gradient descent at several learning rates, to choose from by validation.
//
// Notation: η₁ … η_R the rates, b batch, θ the received model, n the client's samples.
//
// The client holds out a share of its training samples, descends from θ on the others at every
// rate, with the same batches, and sums the loss of each result over the samples that it held out.
// Then it descends from θ on all n samples at every rate. It sends the R models and the R losses:
// the aggregator validated-average adds up the losses of all clients and takes the models at the
// rate with the least. One rate holds for all clients, since a mean of models that were trained at
// rates of different sizes is mostly that of the largest. No test sample is seen. Local work is
// that of 2R descents, and R models are sent.

package local

import (
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ValidatedSGD describes the local rule to the registry.
var ValidatedSGD = fl.LocalRuleEntry{
	Name:       "validated-sgd",
	Summary:    "gradient descent at several rates, with the loss of each on samples held out",
	Paper:      "mcmahan2017",
	Deviations: "sends a model for every learning rate; the server takes those of one of them",
	New:        newValidatedSGD,
	Traits:     fl.LocalTraits{Packed: true, Statistics: "models by learning rate"},
}

// validatedSGD keeps nothing in State.
type validatedSGD struct {
	rates  []float64 // ascending: of equal losses the smallest rate counts
	share  float64   // of the samples that are held out
	epochs int
	batch  int // b; 0: all samples
	by     fl.Optimizer
}

var _ fl.LocalRule = (*validatedSGD)(nil)

func newValidatedSGD(p *fl.Params) (fl.LocalRule, error) {
	s := &validatedSGD{
		rates: p.FloatsOr("rates", []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100}, fl.Above(0),
			"learning rates η to choose from"),
		share: p.Float("held_out", 0.2, fl.Open(0, 1), "share of the client's samples that is "+
			"held out to judge rates, at least one; a client with one sample judges none"),
		epochs: p.Int("epochs", 10, fl.AtLeast(1), "passes over the client's samples"),
		batch: p.Int("batch", 64, fl.AtLeast(0),
			"samples per step, drawn without replacement; 0: all of them"),
		by: p.Optimizer("optimizer", "sgd",
			"what makes a step of a gradient; begins anew in every descent"),
	}
	if s.rates != nil && len(s.rates) == 0 {
		p.Fail("rates", "needs at least one learning rate")
	}
	slices.Sort(s.rates)
	return s, nil
}

// Run implements fl.LocalRule.
func (s *validatedSGD) Run(t *fl.Task) (fl.Update, error) {
	losses := t.Validate(s.rates, s.share, func(t *fl.Task, rate float64) { s.descend(t, rate) })
	steps := 0
	models := fl.NewMatrix(len(s.rates), len(t.Global))
	a, b := t.RNG.Uint64(), t.RNG.Uint64()
	for k, rate := range s.rates {
		trial := t.On(nil, rand.New(rand.NewPCG(a, b)))
		steps = s.descend(trial, rate)
		if !trial.Params.Finite() { // its loss is so large that it is never taken
			copy(trial.Params, t.Global)
		}
		copy(models.Row(k), trial.Params)
	}
	row := func(v fl.Vector) fl.Matrix { return fl.Matrix{Rows: 1, Cols: len(v), Data: v} }
	return fl.Update{Steps: steps, Payload: fl.Tensors{
		"models": models, "losses": row(losses), "rates": row(slices.Clone(s.rates))}}, nil
}

// descend trains t.Params from θ, and returns the number of steps.
func (s *validatedSGD) descend(t *fl.Task, rate float64) int {
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = s.by, rate, t.Batches(s.batch)
	d.Steps = t.Fit(s.epochs * d.Batches.PerEpoch())
	t.Worker.Descend(d)
	return d.Steps
}
