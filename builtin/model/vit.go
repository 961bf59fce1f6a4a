// ViT — a vision transformer: patches of an image as positions, and blocks of attention to all.
//
//	A. Dosovitskiy et al. An Image is Worth 16x16 Words: Transformers for Image Recognition at
//	Scale. ICLR 2021, Section 3.1, equations (1) to (4). H. Touvron et al. Training
//	Data-Efficient Image Transformers & Distillation through Attention. ICML 2021, Table 1:
//	DeiT-Ti, of width 192, 12 blocks and 3 heads, whose positions and class token begin with
//	deviations of 0.02.
//
// Notation: patches of P×P pixels; L blocks of width D with k heads; x ← x + MSA(LN(x)),
// x ← x + MLP(LN(x)) with ratio·D hidden units; scores are a dense layer of LN of the class token.
// Departures: patches are of 4×4, for images of 32×32; LayerNorm adds 1e-5 to variances, where the
// implementation has 1e-6; weights of dense layers and of the patches begin as PyTorch's do by
// default; dropout is on the embeddings and behind each part, not on the weights of attention; no
// stochastic depth.

package model

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// ViT describes the model to the registry.
var ViT = fl.ModelEntry{
	Name:    "vit",
	Summary: "vision transformer over patches of an image",
	Paper:   "dosovitskiy2021",
	Deviations: "patches of 4×4 unless asked for others, width, depth and heads of DeiT-Ti; " +
		"weights begin as PyTorch's do; no stochastic depth, and no weight of attention is dropped",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		v := &vit{
			patch: p.Int("patch", 4, fl.Closed(1, 256), "P, height and width of a patch"),
			width: p.Int("width", 192, fl.Closed(1, 4096), "D, dimensions of a position"),
			depth: p.Int("depth", 12, fl.Closed(1, 64), "L, blocks"),
			heads: p.Int("heads", 3, fl.Closed(1, 64), "k, heads of attention"),
			ratio: p.Int("mlp_ratio", 4, fl.Closed(1, 16), "hidden units of a block's perceptron, "+
				"as a multiple of the width"),
			pool: p.Choice("pool", "token", "what is scored: the class token, or the mean of all "+
				"positions, without such a token", "token", "mean"),
		}
		v.dropout = p.Float("dropout", 0, fl.RightOpen(0, 1), "share of the embeddings and of "+
			"what each part adds that is set to zero while it trains")
		if v.width%v.heads != 0 {
			p.Clash("heads", "width", "%d heads do not divide %d", v.heads, v.width)
		}
		return &network{images: v.network}, nil
	},
	Fits: images(1),
	Example: map[string]any{"patch": int64(4), "width": int64(8), "depth": int64(1),
		"heads": int64(2), "mlp_ratio": int64(2)},
}

type vit struct {
	patch, width, depth, heads, ratio int
	pool                              string
	dropout                           float64
}

// numbersAtOnce is how many numbers of the sums that pass all blocks are kept where there is a
// choice, one sample's at least. Some 26 times as many lie between them.
const numbersAtOnce = 5 << 20

// network returns the layers, and how many samples run through them together where there is a
// choice. Modules are named as in timm, the library of DeiT.
func (v *vit) network(in nn.Shape, scores int) ([]nn.Layer, int, error) {
	if in.H%v.patch != 0 || in.W%v.patch != 0 {
		return nil, 0, fmt.Errorf("patches of %d×%[1]d do not cover images of %d×%d exactly",
			v.patch, in.H, in.W)
	}
	list := []nn.Layer{nn.Named("patch_embed.proj", nn.Conv(v.width, v.patch, v.patch, 0)),
		nn.Sequence()}
	if v.pool == "token" {
		list = append(list, nn.Named("cls_token", nn.Token(embedded)))
	}
	list = append(list, nn.Named("pos_embed", nn.Position(embedded)), nn.Dropout(v.dropout))
	for k := range v.depth {
		list = append(list, v.block(k)...)
	}
	list = append(list, nn.Named("norm", nn.LayerNorm()))
	if v.pool == "mean" {
		list = append(list, nn.GlobalAvgPool())
	}
	numbers := in.H * in.W / (v.patch * v.patch) * v.width * v.depth
	return append(list, nn.Named("head", nn.Dense(scores))),
		min(atOnce, max(1, numbersAtOnce/numbers)), nil
}

// block returns both parts of a block, each of which adds to what passes it. Only attention looks
// at other positions: where the class token is scored, nothing of the others is computed behind the
// last one.
func (v *vit) block(k int) []nn.Layer {
	name, w, drop := fmt.Sprintf("blocks.%d", k), v.width, nn.Dropout(v.dropout)
	positions := func(as string, out int) nn.Layer { return nn.Named(name+as, nn.Positions(out)) }
	attention := []nn.Layer{nn.Named(name+".norm1", nn.LayerNorm()), positions(".attn.qkv", 3*w),
		nn.SelfAttention(v.heads), positions(".attn.proj", w), drop}
	first := nn.Residual(attention...)
	if v.pool == "token" && k == v.depth-1 {
		attention = slices.Insert(attention, 3, nn.First())
		first = nn.ResidualBy([]nn.Layer{nn.First()}, attention...)
	}
	return []nn.Layer{first,
		nn.Residual(nn.Named(name+".norm2", nn.LayerNorm()), positions(".mlp.fc1", v.ratio*w),
			nn.GELU(), positions(".mlp.fc2", w), drop),
	}
}
