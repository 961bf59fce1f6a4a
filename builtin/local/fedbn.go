// FedBN — the layers that normalise stay with the client.
//
//	X. Li, M. Jiang, X. Zhang, M. Kamp, Q. Dou. FedBN: Federated Learning on Non-IID Features via
//	Local Batch Normalization. ICLR 2021, Algorithm 1.
//
// A client trains the whole model, from the received one with its own normalisation in place, and
// sends all but that: scales, offsets and, of batch norms, running means and variances. At first
// they are those of θ⁰. Without such layers it is sgd, bit for bit.
//
// Departures: group norms stay like batch norms; the paper has batch norms only.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// FedBN describes the local rule to the registry.
var FedBN = fl.LocalRuleEntry{
	Name:       "fedbn",
	Summary:    "gradient descent on a model whose normalisation stays with the client",
	Paper:      "li2021fedbn",
	Deviations: "group norms stay like batch norms",
	New:        newSGD,
	Traits: fl.LocalTraits{Packed: true, Stays: func(_ map[string]any, l fl.Layout) []fl.Block {
		return l.Norms()
	}},
}
