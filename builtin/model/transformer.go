// Transformer — a decoder: blocks of causal attention over embedded tokens, and the scores of the
// next one.
//
//	A. Vaswani et al. Attention Is All You Need. NeurIPS 2017, Section 3: attention of several
//	heads. A. Radford et al. Language Models are Unsupervised Multitask Learners. 2019: the
//	decoder alone, with norms before each part and one more at the end, GELU, learned positions
//	and embeddings that begin with deviations of 0.02. O. Press, L. Wolf. Using the Output
//	Embedding to Improve Language Models. EACL 2017: tied weights.
//
// Notation: L blocks of width d with H heads; x ← x + Attention(LN(x)), x ← x + MLP(LN(x)) with 4d
// hidden units; the context is the length of a row.
// Departures: weights of dense layers begin as PyTorch's do, not with deviations of 0.02; dropout
// is on the embeddings and behind each part, not on the weights of attention; GELU is exact.

package model

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// Transformer describes the model to the registry.
var Transformer = fl.ModelEntry{
	Name:    "transformer",
	Summary: "decoder-only transformer that predicts the next token",
	Paper:   "vaswani2017",
	Deviations: "norms come before each part and positions are learned, as in GPT-2; weights of " +
		"dense layers begin as PyTorch's do, and no weight of attention is dropped",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss, Tokens: true},
	New: func(p *fl.Params) (fl.Model, error) {
		t := &transformer{
			layers: p.Int("layers", 4, fl.Closed(1, 64), "blocks"),
			width:  p.Int("width", 128, fl.Closed(1, 4096), "dimensions of a position"),
			heads:  p.Int("heads", 4, fl.Closed(1, 64), "heads of attention"),
			tied: p.Bool("tied", true, "scores of tokens are products with their embeddings; "+
				"else they have weights of their own"),
		}
		t.dropout = p.Float("dropout", 0, fl.RightOpen(0, 1), "share of the embeddings and of "+
			"what each part adds that is set to zero while it trains")
		if t.width%t.heads != 0 {
			p.Clash("heads", "width", "%d heads do not divide %d", t.heads, t.width)
		}
		return &network{tokens: t.network}, nil
	},
	Example: map[string]any{"layers": int64(1), "width": int64(4), "heads": int64(2)},
}

type transformer struct {
	layers, width, heads int
	tied                 bool
	dropout              float64
}

// embedded is the deviation of embeddings at the start.
const embedded = 0.02

func (t *transformer) network(in fl.Shape) ([]nn.Layer, error) {
	if err := tokenised(in); err != nil {
		return nil, err
	}
	w, drop := t.width, nn.Dropout(t.dropout)
	list := []nn.Layer{nn.Embedding(in.Tokens, w, embedded), nn.Position(embedded), drop}
	for range t.layers {
		list = append(list,
			nn.Residual(nn.LayerNorm(), nn.Positions(3*w), nn.Attention(t.heads), nn.Positions(w),
				drop),
			nn.Residual(nn.LayerNorm(), nn.Positions(4*w), nn.GELU(), nn.Positions(w), drop))
	}
	list = append(list, nn.LayerNorm())
	if in.PerRow() == 1 {
		list = append(list, nn.Last())
	}
	switch {
	case !t.tied:
		return append(list, nn.Positions(in.Classes)), nil
	case in.Classes != in.Tokens:
		return nil, fmt.Errorf("tied weights need as many classes as tokens; there are %d and %d",
			in.Classes, in.Tokens)
	}
	return append(list, nn.Tied()), nil
}

// tokenised refuses data whose rows are no tokens, or have neither one label nor one for each.
func tokenised(in fl.Shape) error {
	switch {
	case in.Tokens == 0:
		return errors.New("rows must hold tokens")
	case in.Classes == 0:
		return errors.New("needs classes, such as the tokens that come next")
	case in.PerRow() != 1 && in.PerRow() != in.Features:
		return fmt.Errorf("rows of %d tokens need one label, or one for each; they have %d",
			in.Features, in.PerRow())
	}
	return nil
}
