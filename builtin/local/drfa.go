// DRFA, the client's half — steps, and a snapshot of the model at one of them.
//
//	Y. Deng, M. M. Kamani, M. Mahdavi. Distributionally Robust Federated Averaging. NeurIPS 2020,
//	Algorithm 1.
//
// Notation: τ steps, t′ the one that the server drew for all clients of the round, of 1 … τ. The
// client sends its model after τ steps and the snapshot, its model after t′ of them. The steps are
// those of sgd, bit for bit.
//
// Departures: the server draws u of (0, 1], and t′ = ⌈uτ⌉: that has the law of the paper where all
// clients make as many steps, and a meaning where they do not. In the first round t′ = τ.

package local

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DRFA describes the local rule to the registry.
var DRFA = fl.LocalRuleEntry{
	Name:       "drfa",
	Summary:    "gradient descent that also sends the model of a random step",
	Paper:      "deng2020drfa",
	Deviations: "clients with different numbers of steps take snapshots at the same share of them",
	New:        func(p *fl.Params) (fl.LocalRule, error) { return &drfa{newWork(p)}, nil },
	Traits: fl.LocalTraits{Packed: true, Method: "DRFA",
		Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// drfa keeps nothing in State.
type drfa struct{ work }

var _ fl.LocalRule = (*drfa)(nil)

// Run implements fl.LocalRule.
func (s *drfa) Run(t *fl.Task) (fl.Update, error) {
	d, moment := s.descent(t), 1.0
	if sent := t.Broadcast["moment"].Data; len(sent) == 1 {
		moment = sent[0]
	}
	snapshot := t.Payload(1, len(t.Params))
	d.Snapshot = snapshot.Data
	d.At = min(max(1, int(math.Ceil(moment*float64(d.Steps)))), d.Steps)
	t.Worker.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params,
		Payload: fl.Tensors{"snapshot": snapshot}}, nil
}
