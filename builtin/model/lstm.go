// LSTM — layers of long short-term memory over embedded tokens, and the scores of the next one.
//
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from Decentralized
//	Data. AISTATS 2017, Section 3: characters embedded in 8 dimensions, two layers of 256 units.
//	S. Caldas et al. LEAF: A Benchmark for Federated Settings. 2018: the same for its Shakespeare.
//
// Notation: V tokens; a layer of h units has gates i, f, o = σ(Wx + Uh₋ + b), g = tanh(…),
// cells c = f∘c₋ + i∘g and outputs h = o∘tanh c, and begins with h₋ = c₋ = 0.
// Departures: gates have one bias where PyTorch has two. A row that has a label for each of its
// positions is scored at each; one that has a single label, at its last position, as LEAF does.

package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// LSTM describes the model to the registry.
var LSTM = fl.ModelEntry{
	Name:       "lstm",
	Summary:    "layers of long short-term memory that predict the next token",
	Paper:      "mcmahan2017",
	Deviations: "gates have one bias, which is the sum of PyTorch's two",
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss, Tokens: true},
	New: func(p *fl.Params) (fl.Model, error) {
		return &network{tokens: newRecurrences(p, nn.LSTM).network}, nil
	},
	Example: map[string]any{"embedding": int64(3), "units": int64(4)},
}
