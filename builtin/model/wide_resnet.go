// WideResNet — residual blocks that are wide instead of deep, normalised before they convolve.
//
//	S. Zagoruyko, N. Komodakis. Wide Residual Networks. BMVC 2016, Table 1: WRN-n-k, of n layers
//	and k times as many channels as a ResNet for CIFAR-10; N = (n − 4)/6 blocks in each of three
//	stages.
//
// Notation: n depth, k widen, C classes.
// Departures: groups of channels are normalised, not batches, unless asked for; no dropout within
// blocks, as in the paper's networks without. Weights begin as PyTorch draws them by default.

package model

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// WideResNet describes the model to the registry.
var WideResNet = fl.ModelEntry{
	Name:       "wide-resnet",
	Summary:    "wide residual blocks that normalise first, and a dense layer",
	Paper:      "zagoruyko2016",
	Deviations: "normalises groups of channels unless asked for batches",
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		r := wideResNet{residuals: newResiduals(p, 16)}
		r.depth = p.Int("depth", 16, fl.Closed(10, 1204), "n, layers, 6N + 4")
		r.widen = p.Int("widen", 4, fl.Closed(1, 64), "k, times as many channels in blocks")
		if r.depth%6 != 4 {
			p.Fail("depth", "is %d, which is not 6N + 4", r.depth)
		}
		return &network{layers: r.layers}, nil
	},
	Waives: residualWaives,
	Fits:   images(8),
	Example: map[string]any{"width": int64(4), "depth": int64(10), "widen": int64(1),
		"groups": int64(1)},
}

type wideResNet struct {
	residuals
	depth, widen int
}

func (r *wideResNet) layers(_ nn.Shape, scores int) []nn.Layer {
	layers, in := []nn.Layer{conv("conv1", r.width, 3, 1)}, r.width
	for k := range 3 {
		out := r.width * r.widen << k
		for i := range (r.depth - 4) / 6 {
			stride := 1
			if k > 0 && i == 0 {
				stride = 2
			}
			name := fmt.Sprintf("block%d.layer.%d", k+1, i)
			layers, in = append(layers, r.wide(name, in, out, stride)...), out
		}
	}
	return append(layers, r.normed("bn1", in), nn.ReLU(), nn.GlobalAvgPool(), nn.Flatten(),
		nn.Named("fc", nn.Dense(scores)))
}

// wide returns the layers of a block. Where shapes change, the shortcut begins behind the first
// norm and its ReLU, and projects by a convolution of 1×1.
func (r *wideResNet) wide(name string, in, out, stride int) []nn.Layer {
	first := []nn.Layer{r.normed(name+".bn1", in), nn.ReLU()}
	main := []nn.Layer{conv(name+".conv1", out, 3, stride), r.normed(name+".bn2", out), nn.ReLU(),
		conv(name+".conv2", out, 3, 1)}
	if in == out && stride == 1 {
		return []nn.Layer{nn.Residual(append(first, main...)...)}
	}
	projected := []nn.Layer{conv(name+".convShortcut", out, 1, stride)}
	return append(first, nn.ResidualBy(projected, main...))
}
