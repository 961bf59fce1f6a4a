// FedPer — the last layers stay with the client.
//
//	M. G. Arivazhagan, V. Aggarwal, A. K. Singh, S. Choudhary. Federated Learning with
//	Personalization Layers. arXiv:1912.00818, 2019, Algorithms 1 and 2.
//
// Notation: W_B the base layers, W_P the K_P personalisation layers, which are the last of the
// model. A client trains both at once, from the W_B that it received and the W_P that it has kept,
// and sends W_B. At first W_P is that of θ⁰. With K_P = 0 it is sgd, bit for bit.
//
// Departures: the paper has each client draw its first W_P; here they are those of θ⁰, which all
// clients share.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedPer describes the local rule to the registry.
var FedPer = fl.LocalRuleEntry{
	Name:       "fedper",
	Summary:    "gradient descent on a body that is shared and a head that stays with the client",
	Paper:      "arivazhagan2019",
	Deviations: "the first personalisation layers are those of the shared initial model",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		newLayers(p, 1, "last layers with weights that stay with the client, K_P")
		return newSGD(p)
	},
	Traits: fl.LocalTraits{Packed: true, Stays: staysTop},
}

// staysTop says that the head stays, of so many layers as the parameter says.
func staysTop(params map[string]any, l fl.Layout) []fl.Block { return l.Top(layersOf(params)) }

// newLayers declares how many layers a head has.
func newLayers(p *fl.Params, def int, doc string) int {
	n := p.Int("layers", def, fl.AtLeast(0), doc)
	if depth := p.Setting().Layout.Depth(); depth > 0 && n > depth {
		p.Fail("layers", "%d, but the model has %d with weights", n, depth)
	}
	return n
}

// layersOf returns a resolved number of layers.
func layersOf(params map[string]any) int {
	switch n := params["layers"].(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 1
}
