// SiloBN — the statistics of batch norms stay with the client.
//
//	M. Andreux, J. Ogier du Terrail, C. Beguier, E. W. Tramel. Siloed Federated Learning for
//	Multi-Centric Histopathology Datasets. MICCAI Workshop DART 2020, Section 3.
//
// A client trains the whole model, from the received one with its own running means and variances
// in place, and sends all but those: trained scales and offsets are shared, unlike in FedBN. At
// first they are those of θ⁰. Without batch norms it is sgd, bit for bit.
//
// Departures: none for clients that train. The paper's statistics of a client that never did, by
// passing its data through the network, are not there: it has those of θ⁰.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// SiloBN describes the local rule to the registry.
var SiloBN = fl.LocalRuleEntry{
	Name:       "silobn",
	Summary:    "gradient descent on a model whose batch statistics stay with the client",
	Paper:      "andreux2020",
	Deviations: "clients that never train have the statistics of θ⁰",
	New:        newSGD,
	Traits: fl.LocalTraits{Stays: func(_ map[string]any, l fl.Layout) (stay []fl.Block) {
		for _, b := range l.Norms() {
			if b.Name == fl.RunningMean || b.Name == fl.RunningVariance {
				stay = append(stay, b)
			}
		}
		return stay
	}},
}
