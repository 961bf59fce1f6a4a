// McMahanCNN — two convolutions of 5×5 with pooling, and two dense layers.
//
//	B. McMahan et al. Communication-Efficient Learning of Deep Networks from Decentralized Data.
//	AISTATS 2017, Section 3: 5×5×32, pool 2×2, 5×5×64, pool 2×2, 512 units, C; 1,663,370
//	parameters on MNIST.
//
// Notation: C classes.
// Departures: none. The number of parameters says that convolutions are padded and keep the size
// of an image.

package model

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// McMahanCNN describes the model to the registry.
var McMahanCNN = fl.ModelEntry{
	Name:    "mcmahan-cnn",
	Summary: "two padded convolutions of 5×5 with pooling, then two dense layers",
	Paper:   "mcmahan2017",
	Traits:  fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		first := p.Int("channels", 32, fl.Closed(1, 4096), "of the first convolution; the second "+
			"has twice as many")
		units := p.Int("units", 512, fl.Closed(1, 1e5), "of the first dense layer")
		return &network{layers: func(_ nn.Shape, scores int) []nn.Layer {
			return []nn.Layer{
				nn.Named("conv1", nn.Conv(first, 5, 1, 2)), nn.ReLU(), nn.MaxPool(2, 2),
				nn.Named("conv2", nn.Conv(2*first, 5, 1, 2)), nn.ReLU(), nn.MaxPool(2, 2),
				nn.Flatten(), nn.Named("fc1", nn.Dense(units)), nn.ReLU(),
				nn.Named("fc2", nn.Dense(scores)),
			}
		}}, nil
	},
	Fits:    images(4),
	Example: map[string]any{"channels": int64(2), "units": int64(5)},
}
