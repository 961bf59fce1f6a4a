// ResNet18 — 17 convolutions in eight residual blocks, and a dense layer.
//
//	K. He, X. Zhang, S. Ren, J. Sun. Deep Residual Learning for Image Recognition. CVPR 2016,
//	Table 1, 18-layer, with projections where shapes change (option B).
//
// Notation: C classes; width is the number of channels of the first convolution.
// Departures: images are small, so that the first convolution is of 3×3 with step 1 and no pooling
// follows it, as is the custom on CIFAR. Groups of channels are normalised, not batches (Y. Wu,
// K. He. Group Normalization. ECCV 2018), unless asked for: models of clients with different data
// are not averaged well with running statistics. Weights begin as PyTorch draws them by default.

package model

import "github.com/hansa-fl/hansa/framework/fl"

// ResNet18 describes the model to the registry.
var ResNet18 = fl.ModelEntry{
	Name:    "resnet18",
	Summary: "eight residual blocks of two convolutions, and a dense layer",
	Paper:   "he2016",
	Deviations: "the first convolution is of 3×3 with step 1, and no pooling follows; normalises " +
		"groups of channels unless asked for batches",
	Traits: fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		r := newResiduals(p, 64)
		return &network{layers: r.imageNet([]int{2, 2, 2, 2})}, nil
	},
	Waives:  deepWaives,
	Fits:    images(16),
	Example: map[string]any{"width": int64(2)},
}
