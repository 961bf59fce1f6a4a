package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// MajorityVote describes the aggregator.
var MajorityVote = fl.AggregatorEntry{
	Name:    "majority-vote",
	Summary: "a step of one size in every coordinate, in the direction of most clients",
	Paper:   "J. Bernstein, J. Zhao, K. Azizzadenesheli, A. Anandkumar, ICLR 2019: signSGD",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &votes{size: p.Float("server_lr", 0.01, fl.Above(0), "η, size of a step")}, nil
	},
}

// RobustLearningRate describes the aggregator.
var RobustLearningRate = fl.AggregatorEntry{
	Name:    "robust-learning-rate",
	Summary: "the mean step, turned round where too few clients agree in sign",
	Paper:   "M. S. Ozdayi, M. Kantarcioglu, Y. R. Gel, AAAI 2021: RLR",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &votes{threshold: p.Float("threshold", 4, fl.Above(0), "θ, votes that agree")}, nil
	},
}

type votes struct{ size, threshold float64 }

// Aggregate returns θᵗ⁻¹ + η·sign(votes), or with a threshold θᵗ⁻¹ ± Δ.
func (a *votes) Aggregate(r *fl.Round) (fl.Outcome, error) {
	vote, one := r.Scratch(len(r.Global)), r.Scratch(len(r.Updates))
	one.Fill(1)
	vote.AddSigns(one, r.Models(), r.Global)
	if a.threshold == 0 {
		vote.Sign()
		return fl.Outcome{Params: moved(r, a.size, vote)}, nil
	}
	vote.Abs()
	vote.AtLeast(a.threshold)
	vote.Scale(2)
	vote.AddConst(-1)
	delta := step(r)
	delta.Mul(vote)
	return fl.Outcome{Params: moved(r, 1, delta)}, nil
}
