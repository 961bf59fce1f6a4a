// Package model holds what is trained.
package model

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// denseLayout lays out one fully connected layer.
func denseLayout(out, in int, bias bool) fl.Layout {
	layer := fl.Layer{Kind: fl.KindDense, From: []int{-1}, In: fl.Image{C: in, H: 1, W: 1},
		Out: fl.Image{C: out, H: 1, W: 1}, Blocks: []int{0}}
	layout := fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: out, Cols: in}}}
	if bias {
		layer.Blocks = append(layer.Blocks, 1)
		layout.Blocks = append(layout.Blocks,
			fl.Block{Name: fl.Bias, Rows: out, Cols: 1, Offset: out * in})
	}
	layout.Layers = []fl.Layer{layer}
	return layout
}

// crossEntropyLoss is the loss of a model without a penalty.
func crossEntropyLoss(map[string]any) fl.Loss { return fl.Loss{Name: "cross-entropy"} }

// penalised returns a loss with the penalty that l2 is the weight of.
func penalised(name string, params map[string]any) fl.Loss {
	switch l2 := params["l2"].(type) {
	case float64:
		return fl.Loss{Name: name, Penalty: l2}
	case int64: // as files may have it
		return fl.Loss{Name: name, Penalty: float64(l2)}
	}
	return fl.Loss{Name: name}
}

// overflown returns x, or +Inf for NaN: at finite parameters a loss is NaN only because
// terms of either sign grew beyond all bounds.
func overflown(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
