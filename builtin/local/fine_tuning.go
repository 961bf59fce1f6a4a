// Fine-tuning — every client tunes the global model before it predicts.
//
//	Y. Jiang, J. Konečný, K. Rush, S. Kannan. Improving Federated Learning Personalization via
//	Model Agnostic Meta Learning. arXiv:1909.12488, 2019, Section 3: FedAvg, then personalisation.
//
// Notation: θᵗ the global model. Clients train as in FedAvg. What client i predicts with is what
// some more steps on its own training samples make of θᵗ; nothing of it is sent or kept. With
// tune_epochs = 0 that is θᵗ.
//
// Departures: none. Metrics fine-tune where they measure with model = "fine-tuned" or "deployed".

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FineTuning describes the local rule to the registry.
var FineTuning = fl.LocalRuleEntry{
	Name:    "fine-tuning",
	Summary: "gradient descent; clients predict with the global model after more of it",
	Paper:   "jiang2019",
	New:     newFineTuning,
	Traits:  fl.LocalTraits{Packed: true, Tunes: true},
}

// fineTuning keeps nothing in State.
type fineTuning struct {
	sgd
	epochs int     // of fine-tuning
	rate   float64 // of fine-tuning; 0: that of training
}

var _ fl.LocalRule = (*fineTuning)(nil)

func newFineTuning(p *fl.Params) (fl.LocalRule, error) {
	return &fineTuning{
		epochs: p.Int("tune_epochs", 1, fl.AtLeast(0), "passes over the client's samples that "+
			"tune the global model before the client predicts"),
		rate: p.Float("tune_lr", 0, fl.AtLeast(0), "learning rate of fine-tuning; 0: that of "+
			"training"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *fineTuning) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	if t.FineTunes {
		d.Steps = s.epochs * d.Batches.PerEpoch()
		if s.rate > 0 {
			d.Rate = s.rate
		}
	}
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}
