// Ditto — a personal model near the global one.
//
//	T. Li, S. Hu, A. Beirami, V. Smith. Ditto: Fair and Robust Federated Learning Through
//	Personalization. ICML 2021, Algorithm 1.
//
// Notation: wᵗ the received model, vᵢ the client's personal model, fᵢ its loss, λ ≥ 0. The client
// trains a copy of wᵗ, which it sends, as FedAvg does. It also descends from the vᵢ that it kept on
//
//	fᵢ(v) + λ/2·‖v − wᵗ‖², by v ← v − η(∇fᵢ(v; ξ) + λ(v − wᵗ)),
//
// and keeps the result. With λ = 0 that is local training alone; the larger λ, the nearer is vᵢ to
// the global model. The global model is that of FedAvg for any λ.
//
// Departures: a client that trains for the first time begins with vᵢ = wᵗ, where the paper begins
// with w⁰. So does a client that has never trained: it predicts with the global model.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// Ditto describes the local rule to the registry.
var Ditto = fl.LocalRuleEntry{
	Name:       "ditto",
	Summary:    "gradient descent, and beside it a personal model with a proximal term",
	Paper:      "li2021ditto",
	Deviations: "the personal model begins as the model that the client first receives",
	New:        newDitto,
	Traits:     fl.LocalTraits{Packed: true, Personal: "personal"},
}

// ditto keeps vᵢ in the client's state.
type ditto struct {
	sgd
	lambda float64 // λ
	epochs int     // of vᵢ; 0: as many steps as the global model
	rate   float64 // of vᵢ; 0: that of the global model
}

var _ fl.LocalRule = (*ditto)(nil)

func newDitto(p *fl.Params) (fl.LocalRule, error) {
	return &ditto{
		lambda: p.Float("lambda", 1, fl.AtLeast(0), "weight λ of the proximal term λ/2·‖v − wᵗ‖²; "+
			"0: the personal model is trained alone"),
		epochs: p.Int("personal_epochs", 0, fl.AtLeast(0), "passes over the client's samples that "+
			"train the personal model; 0: as many steps as the global model"),
		rate: p.Float("personal_lr", 0, fl.AtLeast(0), "learning rate of the personal model; 0: "+
			"that of the global model"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule: the steps of sgd, and then those of the personal model.
func (s *ditto) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	t.Worker.Descend(d)
	steps := d.Steps

	v := t.State.Vector("personal", len(t.Params))
	if begun := t.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		copy(v, t.Global)
	}
	d = s.descent(t)
	d.Params, d.Pull = v, s.lambda // to t.Global
	if s.epochs > 0 {
		d.Steps = t.Fit(s.epochs * d.Batches.PerEpoch())
	}
	if s.rate > 0 {
		d.Rate = s.rate
	}
	t.Worker.Descend(d)
	return fl.Update{Steps: steps, Params: t.Params}, nil
}
