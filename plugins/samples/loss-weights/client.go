package lossweights

import "github.com/hansa-fl/hansa/framework/fl"

// Client describes the local rule: the client's half of Algorithm 2. It may have the name of
// the aggregator, as an experiment says of which kind it means.
var Client = fl.LocalRuleEntry{
	Name:    "loss-weights",
	Summary: "gradient descent that sends the loss at the received model, too",
	Paper:   "T. Li, M. Sanjabi, A. Beirami, V. Smith, ICLR 2020, Algorithm 2",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		return &client{
			epochs: p.Int("epochs", 1, fl.AtLeast(1), "E, passes over the client's samples"),
			batch:  p.Int("batch", 0, fl.AtLeast(0), "samples of a step; 0: all of them"),
			rate:   p.Float("lr", 0.1, fl.AtLeast(0), "η, rate of the steps"),
			by:     p.Optimizer("optimizer", "sgd", "what makes a step of a gradient"),
		}, nil
	},
}

type client struct {
	epochs, batch int
	rate          float64
	by            fl.Optimizer
}

// Run computes Fₖ(θᵗ⁻¹), then trains for E epochs (Alg. 2, lines 5 and 6). The loss travels in
// the payload, by name, and is counted as communication.
func (c *client) Run(t *fl.Task) (fl.Update, error) {
	loss := fl.NewMatrix(1, 1)
	loss.Data[0] = t.Worker.Loss(t.Global, &t.Client.Data)

	d := t.Descent() // of t.Params, a copy of θᵗ⁻¹, on the client's data
	d.Optimizer, d.Rate = c.by, c.rate
	d.Batches = t.Batches(c.batch)
	d.Steps = t.Fit(c.epochs * d.Batches.PerEpoch()) // fewer where there is no time for all
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{lossName: loss}}, nil
}
