// GRU — layers of gated recurrent units over embedded tokens, and the scores of the next one.
//
//	K. Cho, B. van Merriënboer, C. Gulcehre, D. Bahdanau, F. Bougares, H. Schwenk, Y. Bengio.
//	Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation.
//	EMNLP 2014, Section 2.3, equations (5) to (8).
//
// Notation: V tokens; a layer of h units has gates r, z = σ(Wx + Uh₋ + b), a new state
// n = tanh(Wx + b + r∘(Uh₋ + b′)) and outputs h = (1 − z)∘n + z∘h₋, and begins with h₋ = 0.
// Departures: r multiplies the product Uh₋ + b′, not h₋, as in PyTorch; gates have one bias where
// PyTorch has two. A row that has a label for each of its positions is scored at each; one that has
// a single label, at its last position. Layers are those of lstm in number and size.

package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// GRU describes the model to the registry.
var GRU = fl.ModelEntry{
	Name:    "gru",
	Summary: "layers of gated recurrent units that predict the next token",
	Paper:   "cho2014",
	Deviations: "the reset gate multiplies the product of the state, as in PyTorch; gates have " +
		"one bias, which is the sum of PyTorch's two",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss, Tokens: true},
	New: func(p *fl.Params) (fl.Model, error) {
		return &network{tokens: newRecurrences(p, nn.GRU).network}, nil
	},
	Example: map[string]any{"embedding": int64(3), "units": int64(4)},
}

// recurrences are recurrent layers of a kind over embedded tokens.
type recurrences struct {
	embedding, units, layers int
	dropout                  float64
	layer                    func(units int) nn.Layer
}

func newRecurrences(p *fl.Params, layer func(units int) nn.Layer) *recurrences {
	r := &recurrences{
		embedding: p.Int("embedding", 8, fl.Closed(1, 4096), "dimensions of an embedded token"),
		units:     p.Int("units", 256, fl.Closed(1, 8192), "units of each layer"),
		layers:    p.Int("layers", 2, fl.Closed(1, 8), "layers"),
		layer:     layer,
	}
	r.dropout = p.Float("dropout", 0, fl.RightOpen(0, 1), "share of the outputs of each layer "+
		"that are set to zero while it trains")
	return r
}

func (r *recurrences) network(in fl.Shape) ([]nn.Layer, error) {
	if err := tokenised(in); err != nil {
		return nil, err
	}
	list := []nn.Layer{nn.Embedding(in.Tokens, r.embedding, 1)}
	for range r.layers {
		list = append(list, r.layer(r.units), nn.Dropout(r.dropout))
	}
	if in.PerRow() == 1 {
		return append(list, nn.Last(), nn.Dense(in.Classes)), nil
	}
	return append(list, nn.Positions(in.Classes)), nil
}
