// Package model holds what is trained.
package model

import "math"

// overflown returns x, or +Inf for NaN: at finite parameters a loss is NaN only because
// terms of either sign grew beyond all bounds.
func overflown(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
