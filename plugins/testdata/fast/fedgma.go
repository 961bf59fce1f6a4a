package fast

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FedGMA describes the aggregator.
var FedGMA = fl.AggregatorEntry{
	Name:    "fedgma",
	Summary: "a mean step that is masked by how far clients agree in sign",
	Paper:   "I. Tenison et al., TMLR 2023: gradient masked averaging",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedGMA{p.Float("tau", 0.4, fl.Closed(0, 1), "τ, agreement that moves fully")}, nil
	},
}

type fedGMA struct{ tau float64 }

// Aggregate returns θᵗ⁻¹ + m∘Δ, where m is 1 where the agreement is τ or more, and else what it is.
func (a *fedGMA) Aggregate(r *fl.Round) (fl.Outcome, error) {
	d := len(r.Global)
	agree, sure, ones := r.Scratch(d), r.Scratch(d), r.Scratch(d)
	agree.AddSigns(equal(r), r.Models(), r.Global)
	agree.Abs()
	copy(sure, agree)
	sure.AtLeast(a.tau)
	ones.Fill(1)
	tensor.Select(agree, sure, ones, agree)
	delta := step(r)
	delta.Mul(agree)
	return fl.Outcome{Params: moved(r, 1, delta)}, nil
}
