// LG-FedAvg — the first layers stay with the client.
//
//	P. P. Liang, T. Liu, L. Ziyin, N. B. Allen, R. P. Auerbach, D. Brent, R. Salakhutdinov, L.-P.
//	Morency. Think Locally, Act Globally: Federated Learning with Local and Global
//	Representations. arXiv:2001.01523, 2020, Algorithm 1.
//
// Notation: θₗ the client's local representation, the first layers; θ_g the global model, the last
// ones, which work on that representation. A client trains both at once, from the θ_g that it
// received and the θₗ that it has kept, and sends θ_g. At first θₗ is that of θ⁰.
//
// Departures: the paper's auxiliary losses on the representation are left out, as in its
// experiments on images; these begin with rounds of FedAvg, which are left out, too.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// LGFedAvg describes the local rule to the registry.
var LGFedAvg = fl.LocalRuleEntry{
	Name:       "lg-fedavg",
	Summary:    "gradient descent on a body that stays with the client and a head that is shared",
	Paper:      "liang2020",
	Deviations: "no auxiliary losses, and no rounds of FedAvg before the first",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		newLayers(p, 1, "last layers with weights that are shared; others stay with the client")
		return newSGD(p)
	},
	Traits: fl.LocalTraits{Packed: true,
		Stays: func(params map[string]any, l fl.Layout) []fl.Block {
			return l.Body(layersOf(params))
		}},
}
