// FedRep — a shared representation, and a head that stays with the client.
//
//	L. Collins, H. Hassani, A. Mokhtari, S. Shakkottai. Exploiting Shared Representations for
//	Personalized Federated Learning. ICML 2021, Algorithm 1.
//
// Notation: φᵗ⁻¹ the received body, hᵢ the head that the client has kept, that of θ⁰ at first. The
// client makes steps of hᵢ alone, for φᵗ⁻¹, and then steps of φ alone, for its new hᵢ. It sends φ.
// With head_epochs = 0 the head stays that of θ⁰.
//
// Departures: none.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedRep describes the local rule to the registry.
var FedRep = fl.LocalRuleEntry{
	Name:    "fedrep",
	Summary: "gradient descent on a head that stays with the client, then on a shared body",
	Paper:   "collins2021",
	New:     newFedRep,
	Traits: fl.LocalTraits{Packed: true, Stays: staysTop,
		Steps: func(params map[string]any, usual, epoch int) int {
			passes, _ := params["head_epochs"].(int64)
			return usual + int(passes)*epoch
		}},
}

// fedRep keeps nothing in State: the engine keeps the head.
type fedRep struct {
	sgd            // of the body
	headEpochs int // of the head
	layers     int // of the head
}

var _ fl.LocalRule = (*fedRep)(nil)

func newFedRep(p *fl.Params) (fl.LocalRule, error) {
	return &fedRep{
		headEpochs: p.Int("head_epochs", 10, fl.AtLeast(0), "passes over the client's samples "+
			"that train the head, before those that train the body"),
		layers: newLayers(p, 1, "last layers with weights that are the head"),
		sgd:    newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *fedRep) Run(t *fl.Task) (fl.Update, error) {
	layout := t.Model.Layout()
	d := s.descent(t)
	d.Steps, d.Freeze = t.Fit(s.headEpochs*d.Batches.PerEpoch()), layout.Body(s.layers)
	t.Worker.Descend(d)
	steps := d.Steps
	d = s.descent(t)
	d.Steps, d.Freeze = t.Fit(steps+d.Steps)-steps, layout.Top(s.layers)
	t.Worker.Descend(d)
	return fl.Update{Steps: steps + d.Steps, Params: t.Params}, nil
}
