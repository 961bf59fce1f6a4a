// CNN — two convolutions of 5×5 with pooling, and three dense layers.
//
//	The network of the experiments on images aligned by optimal transport: 5×5×64, pool,
//	5×5×128, pool, 256, 128, C; after B. McMahan et al. Communication-Efficient Learning of
//	Deep Networks from Decentralized Data. AISTATS 2017, Section 3.
//
// Notation: C classes.
// Departures: the paper states no padding; there is none here.

package model

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// CNN describes the model to the registry.
var CNN = fl.ModelEntry{
	Name:    "cnn",
	Summary: "two convolutions of 5×5 with pooling, then three dense layers",
	Paper:   "mcmahan2017",
	Deviations: "channels and dense layers (256, 128 and one for each class) are those of " +
		"the paper on aligning images",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		first := p.Int("channels", 64, fl.Closed(1, 4096), "of the first convolution; the second "+
			"has twice as many")
		return &network{layers: func(_ nn.Shape, scores int) []nn.Layer {
			return []nn.Layer{
				nn.Conv(first, 5, 1, 0), nn.ReLU(), nn.MaxPool(2, 2),
				nn.Conv(2*first, 5, 1, 0), nn.ReLU(), nn.MaxPool(2, 2),
				nn.Flatten(), nn.Dense(256), nn.ReLU(), nn.Dense(128), nn.ReLU(), nn.Dense(scores),
			}
		}}, nil
	},
	Fits:    images(16),
	Example: map[string]any{"channels": int64(2)},
}

// images refuses data that are no images of at least the given height and width.
func images(least int) func(fl.Setting) error {
	return func(s fl.Setting) error {
		i := s.Shape.Image
		switch {
		case i == fl.Image{}:
			return errNoImages
		case i.H < least || i.W < least:
			return fmt.Errorf("needs images of at least %d×%[1]d pixels; these have %d×%d",
				least, i.H, i.W)
		}
		return nil
	}
}

var errNoImages = errors.New("needs images; the rows of these data are none")
