// ResNet34 — 33 convolutions in sixteen residual blocks, and a dense layer.
//
//	K. He, X. Zhang, S. Ren, J. Sun. Deep Residual Learning for Image Recognition. CVPR 2016,
//	Table 1, 34-layer, with projections where shapes change (option B).
//
// Notation and departures: those of resnet18.

package model

import "github.com/hansa-fl/hansa/framework/fl"

// ResNet34 describes the model to the registry.
var ResNet34 = fl.ModelEntry{
	Name:       "resnet34",
	Summary:    "sixteen residual blocks of two convolutions, and a dense layer",
	Paper:      "he2016",
	Deviations: ResNet18.Deviations,
	Traits:     fl.ModelTraits{Loss: crossEntropyLoss},
	New: func(p *fl.Params) (fl.Model, error) {
		r := newResiduals(p, 64)
		return &network{layers: r.imageNet([]int{3, 4, 6, 3})}, nil
	},
	Waives:  deepWaives,
	Fits:    images(16),
	Example: map[string]any{"width": int64(2)},
}
