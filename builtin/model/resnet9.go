// ResNet9 — eight convolutions, four of them in two residual blocks, and a dense layer.
//
//	K. He, X. Zhang, S. Ren, J. Sun. Deep Residual Learning for Image Recognition. CVPR 2016;
//	in the small form known from the DAWNBench entry of D. Page (2018): 64, 128, residual
//	128, 256, 512, residual 512.
//
// Notation: C classes; width is the number of channels of the first convolution.
// Departures: groups of channels are normalised, not batches (Y. Wu, K. He. Group
// Normalization. ECCV 2018), unless asked for: models of clients with different data are
// not averaged well with running statistics.

package model

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// ResNet9 describes the model to the registry.
var ResNet9 = fl.ModelEntry{
	Name:       "resnet9",
	Summary:    "eight convolutions, four of them in residual blocks, and a dense layer",
	Paper:      "he2016",
	Deviations: "normalises groups of channels unless asked for batches",
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		r := &resnet9{
			width: p.Int("width", 64, fl.Closed(1, 1024), "channels of the first convolution"),
			norm: p.Choice("norm", "group", "what is normalised: groups of channels, batches, or "+
				"nothing", "group", "batch", "none"),
		}
		r.groups = p.Int("groups", 32, fl.Closed(1, 1024), "at most so many groups of channels")
		return &network{layers: r.layers}, nil
	},
	Waives: map[string]string{
		"batch": "batch norms, where asked for, make a sample's loss depend on its batch",
		"gradient": "batch norms train by the statistics of the batch, and are measured by " +
			"running ones",
	},
	Fits:    images(16),
	Example: map[string]any{"width": int64(2)},
}

type resnet9 struct {
	width, groups int
	norm          string
}

// conv is a 3×3 convolution to so many channels, normalised and rectified.
func (r *resnet9) conv(channels int) []nn.Layer {
	layers := []nn.Layer{nn.Conv(channels, 3, 1, 1)}
	switch r.norm {
	case "group":
		layers = append(layers, nn.GroupNorm(divisor(channels, r.groups)))
	case "batch":
		layers = append(layers, nn.BatchNorm())
	}
	return append(layers, nn.ReLU())
}

// divisor returns the largest divisor of n that is at most most.
func divisor(n, most int) int {
	for k := min(n, most); ; k-- {
		if n%k == 0 {
			return k
		}
	}
}

func (r *resnet9) layers(_ nn.Shape, scores int) []nn.Layer {
	w, half := r.width, nn.MaxPool(2, 2)
	residual := func(channels int) nn.Layer {
		return nn.Residual(slices.Concat(r.conv(channels), r.conv(channels))...)
	}
	return slices.Concat(
		r.conv(w), r.conv(2*w), []nn.Layer{half, residual(2 * w)},
		r.conv(4*w), []nn.Layer{half}, r.conv(8*w), []nn.Layer{half, residual(8 * w)},
		[]nn.Layer{nn.GlobalAvgPool(), nn.Flatten(), nn.Dense(scores)})
}
