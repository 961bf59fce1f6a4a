// MLP — a multilayer perceptron: dense layers with rectifiers between them.
//
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from Decentralized
//	Data. AISTATS 2017, Section 3: two hidden layers of 200 units.
//
// Notation: d features, C classes; widths w₁, …, w_L of the hidden layers.
// Departures: none. Images are flattened in the order row, column, channel.

package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// MLP describes the model to the registry.
var MLP = fl.ModelEntry{
	Name:    "mlp",
	Summary: "multilayer perceptron: dense layers with rectifiers between them",
	Paper:   "mcmahan2017",
	Traits:  fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		widths := p.Ints("widths", []int{200, 200}, fl.Closed(1, 1e5), "units of each hidden layer")
		return &network{layers: func(_ nn.Shape, scores int) []nn.Layer {
			layers := []nn.Layer{nn.Flatten()}
			for _, w := range widths {
				layers = append(layers, nn.Dense(w), nn.ReLU())
			}
			return append(layers, nn.Dense(scores))
		}}, nil
	},
	Example: map[string]any{"widths": []any{int64(4), int64(3)}},
}
