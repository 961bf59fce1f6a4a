// VGG11 — eight convolutions of 3×3 and one dense layer.
//
//	K. Simonyan, A. Zisserman. Very Deep Convolutional Networks for Large-Scale Image
//	Recognition. ICLR 2015, Table 1, column A.
//
// Notation: C classes; width is the number of channels of the first convolution.
// Departures: one dense layer instead of three, as the paper on CODE has it.

package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// VGG11 describes the model to the registry.
var VGG11 = fl.ModelEntry{
	Name:       "vgg11",
	Summary:    "eight convolutions of 3×3 and one dense layer",
	Paper:      "simonyan2015",
	Deviations: "one dense layer instead of three, as the paper on CODE has it",
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		w := p.Int("width", 64, fl.Closed(1, 1024), "channels of the first convolution")
		return &network{layers: func(_ nn.Shape, scores int) []nn.Layer {
			var layers []nn.Layer
			for _, channels := range []int{w, 0, 2 * w, 0, 4 * w, 4 * w, 0, 8 * w, 8 * w, 0,
				8 * w, 8 * w, 0} {
				if channels == 0 {
					layers = append(layers, nn.MaxPool(2, 2))
				} else {
					layers = append(layers, nn.Conv(channels, 3, 1, 1), nn.ReLU())
				}
			}
			return append(layers, nn.Flatten(), nn.Dense(scores))
		}}, nil
	},
	Fits:    images(32),
	Example: map[string]any{"width": int64(2)},
}
