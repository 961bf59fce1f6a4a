// AdamW — Adam whose weight decay does not pass through the means.
//
//	I. Loshchilov, F. Hutter. Decoupled Weight Decay Regularization. ICLR 2019,
//	Algorithm 2.
//
// Notation: as in Adam.
// Departures: as in PyTorch, the decay is multiplied by the rate: θ ← (1 − ηλ)θ.

package optimizer

import "github.com/hansa-fl/hansa/framework/fl"

// AdamW describes the optimizer to the registry.
var AdamW = fl.OptimizerEntry{
	Name:       "adamw",
	Summary:    "adam, with weight decay beside it",
	Paper:      "loshchilov2019",
	Deviations: "as in PyTorch, the decay is multiplied by the rate: θ ← (1 − ηλ)θ",
	Waives: map[string]string{
		"zero-gradient": "weight decay shrinks the parameters whatever the gradient",
	},
	New: func(p *fl.Params) (fl.Optimizer, error) {
		o := &adamW{moments: newMoments(p)}
		o.decay = p.Float("weight_decay", 0.01, fl.AtLeast(0), "λ: shrinks θ by ηλ of itself")
		return o, nil
	},
}

type adamW struct {
	moments
	decay float64 // λ, ≥ 0
}

var _ fl.Optimizer = (*adamW)(nil)

// Rule implements fl.Optimizer.
func (o *adamW) Rule() fl.Rule {
	r := o.rule()
	r.Shrink = o.decay
	return r
}

// Step implements fl.Optimizer.
func (o *adamW) Step(s *fl.Step) {
	s.Params.Scale(1 - s.Rate*o.decay)
	o.step(s)
}
