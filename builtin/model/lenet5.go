// LeNet5 — two convolutions of 5×5 with pooling, and three dense layers of 120, 84 and C units.
//
//	Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-Based Learning Applied to Document
//	Recognition. Proceedings of the IEEE 86, 1998, Section II.B.
//
// Notation: C classes.
// Departures: the form in use today: rectifiers instead of hyperbolic tangents, maxima instead of
// trained means of 2×2 pixels, every map of the second convolution sees all of the first, and
// scores under cross-entropy instead of distances. Images of less than 32 pixels to a side are
// padded by two, as the paper does with digits of 28.

package model

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// LeNet5 describes the model to the registry.
var LeNet5 = fl.ModelEntry{
	Name:    "lenet5",
	Summary: "two convolutions of 5×5 with pooling, then dense layers of 120 and 84 units",
	Paper:   "lecun1998",
	Deviations: "rectifiers, maxima of 2×2 pixels, all maps connected, and cross-entropy: the " +
		"form in use today",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		units := p.Ints("units", []int{120, 84}, fl.Closed(1, 1e5),
			"of each dense layer but the last")
		return &network{layers: func(in nn.Shape, scores int) []nn.Layer {
			pad := 0
			if min(in.H, in.W) < 32 {
				pad = 2
			}
			layers := []nn.Layer{
				nn.Named("conv1", nn.Conv(6, 5, 1, pad)), nn.ReLU(), nn.MaxPool(2, 2),
				nn.Named("conv2", nn.Conv(16, 5, 1, 0)), nn.ReLU(), nn.MaxPool(2, 2), nn.Flatten(),
			}
			for k, n := range append(slices.Clone(units), scores) {
				if k > 0 {
					layers = append(layers, nn.ReLU())
				}
				layers = append(layers, nn.Named(fmt.Sprintf("fc%d", k+1), nn.Dense(n)))
			}
			return layers
		}}, nil
	},
	Waives: map[string]string{
		"gradient": "on every line some rectifier or maximum bends; gradients are compared with " +
			"those of PyTorch",
	},
	Fits:    images(12),
	Example: map[string]any{"units": []any{int64(5), int64(4)}},
}
