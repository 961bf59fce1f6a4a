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

// overflown returns x, or +Inf for NaN: at finite parameters a loss is NaN only because
// terms of either sign grew beyond all bounds.
func overflown(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
