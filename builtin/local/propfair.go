// PropFair — local steps on the logarithm of what a client gains, not on its loss.
//
//	G. Zhang, S. Malekmohammadi, X. Chen, Y. Yu. Proportional Fairness in Federated Learning.
//	TMLR 2023; the rule of a batch is that of the official code, huawei-noah/Federated-Learning,
//	FairFL/algs/algorithms.py.
//
// Notation: f the loss of a batch, M > 0 a loss that is taken for no gain at all, M − f the gain,
// ε the least gain that counts by its logarithm. Each step goes along the gradient of
//
//	φ(f) = −M·log(1 − f/M)  where M − f ≥ ε,    φ′(f) = M/(M − f),
//
// and elsewhere along φ′ = 1, or M/ε with Huber's continuation: a batch that is served worse counts
// more. Where losses are those of all samples and a step is a round, rounds end where
// Σ pᵢ∇Fᵢ/(M − Fᵢ) = 0: by no change of the model do gains change by a positive sum of shares,
// which is proportional fairness. With M → ∞ it is sgd, bit for bit, or for networks nearly.
//
// Departures: φ is M times that of the code, so that the rate has the size of that of sgd: lr here
// is lr/M there. f has the penalty of the model, and where a network normalises batches it is the
// loss by its running statistics. A step evaluates the batch once more than one of sgd.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// PropFair describes the local rule to the registry.
var PropFair = fl.LocalRuleEntry{
	Name:       "propfair",
	Summary:    "gradient descent on the logarithm of M less the loss, for proportional fairness",
	Paper:      "zhang2023propfair",
	Deviations: "the objective is M times the published one; losses have the model's penalty",
	New:        newPropFair,
	Traits:     fl.LocalTraits{Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// propFair keeps nothing in State.
type propFair struct {
	work
	most    float64 // M
	epsilon float64 // ε
	beyond  float64 // φ′ where M − f < ε
}

var _ fl.LocalRule = (*propFair)(nil)

func newPropFair(p *fl.Params) (fl.LocalRule, error) {
	s := &propFair{
		work: newWork(p),
		most: p.Float("maximum", 2, fl.Above(0), "M, the loss that is taken for no gain; it "+
			"should be above usual losses"),
		epsilon: p.Float("epsilon", 0.2, fl.Above(0), "ε, the least gain M − f that counts by its "+
			"logarithm"),
		beyond: 1,
	}
	refuseMixup(p, &s.work, "makes targets of labels, and slopes depend on the loss of labels")
	huber := p.Choice("beyond", "constant", "how batches count whose gain is below ε: as for sgd, "+
		"or as at ε", "constant", "huber") == "huber"
	if s.epsilon > s.most {
		p.Clash("epsilon", "maximum", "%v is above M = %v, which no gain is", s.epsilon, s.most)
	}
	if huber {
		s.beyond = s.most / s.epsilon
	}
	return s, nil
}

// slope returns φ′ at the loss of a batch.
func (s *propFair) slope(loss float64) float64 {
	if s.most-loss >= s.epsilon {
		return s.most / (s.most - loss)
	}
	return s.beyond
}

// Run implements fl.LocalRule. For plain steps a slope of the objective is one of the rate.
func (s *propFair) Run(t *fl.Task) (fl.Update, error) {
	whole := *s.descent(t)
	var batch fl.Dataset
	for range whole.Steps {
		rows := whole.Next()
		d := t.Descent()
		d.Data, d.Optimizer, d.Steps = whole.Data, whole.Optimizer, 1
		if rows != nil {
			gather(t, &batch, whole.Data, rows, s.batch)
			d.Data = &batch
		}
		d.Rate = whole.Rate * s.slope(t.Worker.Loss(t.Params, d.Data))
		t.Worker.Descend(d)
	}
	return fl.Update{Steps: whole.Steps, Params: t.Params}, nil
}

// gather makes a batch of some rows of d, at most so many, in memory that it gets from the task
// once. It has what a loss depends on.
func gather(t *fl.Task, batch, d *fl.Dataset, rows []int, most int) {
	n, cols, labels := len(rows), d.X.Cols, d.Shape.PerRow()
	if batch.X.Data == nil {
		batch.Shape, batch.X.Data = d.Shape, t.Scratch(most*cols)
		if d.Y != nil {
			batch.Y = t.Ints(most * labels)
		}
		if d.Target != nil {
			batch.Target = t.Scratch(most)
		}
	}
	batch.X = fl.Matrix{Rows: n, Cols: cols, Data: batch.X.Data[:n*cols]}
	for k, r := range rows {
		copy(batch.X.Row(k), d.X.Row(r))
	}
	if d.Y != nil {
		batch.Y = batch.Y[:n*labels]
		for k, r := range rows {
			copy(batch.Y[k*labels:(k+1)*labels], d.Y[r*labels:])
		}
	}
	if d.Target != nil {
		batch.Target = batch.Target[:n]
		for k, r := range rows {
			batch.Target[k] = d.Target[r]
		}
	}
}
