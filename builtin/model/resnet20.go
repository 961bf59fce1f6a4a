// ResNet20 — 19 convolutions in nine residual blocks, and a dense layer: the form for CIFAR-10.
//
//	K. He, X. Zhang, S. Ren, J. Sun. Deep Residual Learning for Image Recognition. CVPR 2016,
//	Section 4.2: 6n + 2 layers, of which 20 are the fewest; stages of 16, 32 and 64 channels.
//
// Where shapes change, a shortcut takes every second pixel, with channels of zeros around those
// that are there (option A, that of the paper on CIFAR-10), or projects by a convolution of 1×1
// with step 2 and a norm (option B).
//
// Notation: C classes; width is the number of channels of the first stage.
// Departures: groups of channels are normalised, not batches, unless asked for. In option A half of
// the zeros are in front, as implementations in PyTorch have it; the paper does not say where.
// Weights begin as PyTorch draws them by default.

package model

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// ResNet20 describes the model to the registry.
var ResNet20 = fl.ModelEntry{
	Name:       "resnet20",
	Summary:    "residual blocks of 16, 32 and 64 channels, and a dense layer",
	Paper:      "he2016",
	Deviations: "normalises groups of channels unless asked for batches",
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		r := resnet20{residuals: newResiduals(p, 16)}
		r.depth = p.Int("depth", 20, fl.Closed(8, 1202), "layers, 6n + 2")
		r.padded = p.Choice("shortcut", "A", "where shapes change: A, every second pixel and "+
			"channels of zeros; B, a projection", "A", "B") == "A"
		if r.depth%6 != 2 {
			p.Fail("depth", "is %d, which is not 6n + 2", r.depth)
		}
		return &network{layers: r.layers}, nil
	},
	Waives:  residualWaives,
	Fits:    images(8),
	Example: map[string]any{"width": int64(3), "depth": int64(8), "groups": int64(1)},
}

type resnet20 struct {
	residuals
	depth  int
	padded bool
}

func (r *resnet20) layers(_ nn.Shape, scores int) []nn.Layer {
	return append(r.body(), nn.GlobalAvgPool(), nn.Flatten(), nn.Named("linear", nn.Dense(scores)))
}

// body is all before the mean over pixels.
func (r *resnet20) body() []nn.Layer {
	layers, in := r.stem(), r.width
	for k := range 3 {
		for i := range (r.depth - 2) / 6 {
			b := basic{name: fmt.Sprintf("layer%d.%d", k+1, i), in: in, out: r.width << k,
				stride: 1, padded: r.padded, conv: "shortcut.0", normed: "shortcut.1"}
			if k > 0 && i == 0 {
				b.stride = 2
			}
			layers, in = append(layers, r.block(b)...), b.out
		}
	}
	return layers
}
