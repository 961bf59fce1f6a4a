// MobileNetV2 — 17 inverted residual blocks, whose convolutions of 3×3 are depthwise.
//
//	M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen. MobileNetV2: Inverted Residuals and
//	Linear Bottlenecks. CVPR 2018, Table 2.
//
// A block widens its channels six times by a convolution of 1×1, the first block not at all,
// convolves each alone by 3×3, and makes few of them by another of 1×1, with no rectifier behind
// it; where its shape stays, it adds its input. The rectifier is min(max(x, 0), 6).
//
// Notation: C classes; α, multiplier, scales all channels, to multiples of 8 that are no less than
// 0.9 of what they should be, but for those of the last convolution where α is below 1.
// Departures: images are small, so that the first convolution and the first block of 24 channels
// have step 1, as is the custom on CIFAR. Groups of channels are normalised, not batches, unless
// asked for. There is no dropout before the dense layer. Weights begin as PyTorch draws them by
// default. How channels are rounded, and the names of modules, are those of the implementation in
// torchvision.

package model

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// MobileNet describes the model to the registry.
var MobileNet = fl.ModelEntry{
	Name:    "mobilenet-v2",
	Summary: "17 inverted residual blocks with depthwise convolutions, and a dense layer",
	Paper:   "sandler2018",
	Deviations: "the first convolution and the first block of 24 channels have step 1; " +
		"normalises groups of channels unless asked for batches; no dropout",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		m := mobile{alpha: p.Float("multiplier", 1, fl.Closed(0.01, 4), "α, which scales channels")}
		m.norms = newNorms(p)
		return &network{layers: m.layers}, nil
	},
	Waives:  deepWaives,
	Fits:    images(16),
	Example: map[string]any{"multiplier": 0.1, "groups": int64(1)},
}

type mobile struct {
	norms
	alpha float64
}

// inverted are the rows of Table 2: how many times as wide blocks are inside, their channels, how
// many there are, and the step of the first.
var inverted = []struct{ times, channels, count, stride int }{
	{1, 16, 1, 1}, {6, 24, 2, 1}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
	{6, 320, 1, 1},
}

func (m *mobile) layers(_ nn.Shape, scores int) []nn.Layer {
	in := eighths(32 * m.alpha)
	layers := m.rectified("features.0", nn.ConvBare(in, 3, 1, 1), in)
	k := 1
	for _, row := range inverted {
		out := eighths(float64(row.channels) * m.alpha)
		for i := range row.count {
			stride := 1
			if i == 0 {
				stride = row.stride
			}
			block := m.block(fmt.Sprintf("features.%d.conv", k), in, row.times, out, stride)
			if stride == 1 && in == out {
				block = []nn.Layer{nn.Residual(block...)}
			}
			layers, in = append(layers, block...), out
			k++
		}
	}
	last := eighths(1280 * max(1, m.alpha))
	layers = append(layers, m.rectified(fmt.Sprintf("features.%d", k), nn.ConvBare(last, 1, 1, 0),
		last)...)
	return append(layers, nn.GlobalAvgPool(), nn.Flatten(), nn.Named("classifier.1",
		nn.Dense(scores)))
}

// block returns the layers of a block but for the sum.
func (m *mobile) block(name string, in, times, out, stride int) (layers []nn.Layer) {
	wide, k := in*times, 0
	if times > 1 {
		layers = m.rectified(name+".0", nn.ConvBare(wide, 1, 1, 0), wide)
		k = 1
	}
	layers = append(layers, m.rectified(fmt.Sprintf("%s.%d", name, k), nn.Depthwise(3, stride, 1),
		wide)...)
	return append(layers, conv(fmt.Sprintf("%s.%d", name, k+1), out, 1, 1),
		m.normed(fmt.Sprintf("%s.%d", name, k+2), out))
}

// rectified is a convolution to so many channels with a norm and a rectifier after it.
func (m *mobile) rectified(name string, by nn.Layer, channels int) []nn.Layer {
	return []nn.Layer{nn.Named(name+".0", by), m.normed(name+".1", channels), nn.ReLU6()}
}

// eighths returns the multiple of 8 nearest to a number of channels, at least 8, that is no less
// than 0.9 of it.
func eighths(channels float64) int {
	n := max(8, int(channels+4)/8*8)
	if float64(n) < 0.9*channels {
		n += 8
	}
	return n
}
