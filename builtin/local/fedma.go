// FedMA, the client's half — descent of the layers above those that are matched.
//
//	H. Wang, M. Yurochkin, Y. Sun, D. Papailiopoulos, Y. Khazaeni. Federated Learning with Matched
//	Averaging. ICLR 2020, Algorithm 1.
//
// Notation: W⁽¹⁾ … W⁽ⁿ⁾ the layers that are matched, of L with weights, W_k⁽ⁿ⁺¹⁾ … W_k⁽ᴸ⁾ those
// that the client had at the end of the last round, Π_k which of its neurons of layer n is which
// global one, as the server says.
//
//	columns of W_k⁽ⁿ⁺¹⁾ by Π_k, 0 where a global neuron is none of the client's
//	train W_k⁽ⁿ⁺¹⁾ … W_k⁽ᴸ⁾ for W⁽¹⁾ … W⁽ⁿ⁾ as they are, and send them
//
// With n = 0, in the first of L rounds, it is sgd, bit for bit. It sends how many samples it has of
// each class, too, by which the last layer is averaged. Only the last layers of the last round are
// kept, at the client.
//
// Departures: those of the aggregator fedma-layerwise. A client that missed the round before goes
// on from the model of the round.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// FedMA describes the local rule to the registry.
var FedMA = fl.LocalRuleEntry{
	Name:    "fedma",
	Summary: "gradient descent of the client's own layers above those that are matched",
	Paper:   "wang2020fedma",
	Deviations: "dense layers only; a client that missed the round before goes on from the model " +
		"of the round",
	New:      func(p *fl.Params) (fl.LocalRule, error) { return &fedMA{newSteps(p)}, nil },
	Fits:     fitsFedMA,
	OneLabel: true,
	Traits:   fl.LocalTraits{Packed: true, Method: "FedMA"},
}

// fitsFedMA is why FedMA does not fit a network.
func fitsFedMA(s fl.Setting) error {
	switch {
	case !s.Network:
		return errors.New("FedMA matches neurons, and this model has no layers")
	case s.Layout.Layers == nil:
		return nil // a round tells
	}
	_, err := fuse.Dense(&s.Layout, "FedMA")
	return err
}

// fedMA keeps in the client's state: own, its parameters at the end of the last round.
type fedMA struct{ sgd }

var _ fl.LocalRule = (*fedMA)(nil)

// Run implements fl.LocalRule.
func (s *fedMA) Run(t *fl.Task) (fl.Update, error) {
	layout := t.Model.Layout()
	layers, err := fuse.Dense(&layout, "FedMA")
	if err != nil {
		return fl.Update{}, err
	}
	done := 0.0
	if sent := t.Broadcast["matched"].Data; len(sent) == 1 {
		done = sent[0]
	}
	fixed := int(done) % len(layers)
	mail := t.Mail["neurons"].Data
	if fixed > 0 && len(mail) > 1 && mail[0] == done {
		goOn(t.Params, t.State.Vector("own", len(t.Params)), &layout, layers[fixed:], mail[1:])
	}
	d := s.descent(t)
	d.Freeze = layout.Body(len(layers) - fixed)
	t.Worker.Descend(d)
	if fixed < len(layers)-1 {
		_, next := t.State.Renew("own", len(t.Params))
		copy(next, t.Params)
	}
	counts := t.Payload(1, layout.Block(layers[len(layers)-1], fl.Weight).Rows)
	for _, y := range t.Client.Data.Y {
		counts.Data[y]++
	}
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: fl.Tensors{"classes": counts}}, nil
}

// goOn sets the parameters of layers to a client's own, of the first with columns in terms of
// global neurons, given which of these its neurons are; −1: none.
func goOn(params, own fl.Vector, layout *fl.Layout, layers []int, neurons fl.Vector) {
	for n, i := range layers {
		for _, k := range layout.Layers[i].Blocks {
			b := &layout.Blocks[k]
			to, from := b.Of(params), b.Of(own)
			if n > 0 || b.Name != fl.Weight {
				copy(to.Data, from.Data)
				continue
			}
			clear(to.Data)
			for r := range to.Rows {
				for c, x := range from.Row(r) {
					if g := int(neurons[c]); g >= 0 {
						to.Row(r)[g] = x
					}
				}
			}
		}
	}
}
