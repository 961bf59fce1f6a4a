package data

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Standardize moves and scales every column of x to mean 0 and population standard
// deviation 1, and the columns of others by what x needed. A column that is constant up
// to rounding is only moved. This is scikit-learn's StandardScaler, fitted to x.
func Standardize(x fl.Matrix, others ...fl.Matrix) {
	if x.Rows == 0 {
		return
	}
	mean, scale := moments(x)
	for _, m := range append([]fl.Matrix{x}, others...) {
		for i := range m.Rows {
			row := m.Row(i)
			for k := range row {
				row[k] = (row[k] - mean[k]) / scale[k]
			}
		}
	}
}

// moments returns the mean of every column of x and what to divide it by.
func moments(x fl.Matrix) (mean, scale fl.Vector) {
	n := float64(x.Rows)
	mean, scale = make(fl.Vector, x.Cols), make(fl.Vector, x.Cols)
	for i := range x.Rows {
		mean.AddScaled(1, x.Row(i))
	}
	mean.Scale(1 / n)
	// The corrected two-pass algorithm (Chan, Golub, LeVeque 1983): drift takes up what
	// rounding left in the mean.
	drift, squares := make(fl.Vector, x.Cols), scale
	for i := range x.Rows {
		for k, v := range x.Row(i) {
			v -= mean[k]
			drift[k] += v
			squares[k] += v * v
		}
	}
	for k := range scale {
		variance := max(0, squares[k]-drift[k]*drift[k]/n) / n
		scale[k] = math.Sqrt(variance)
		if constant(variance, mean[k], n) {
			scale[k] = 1
		}
	}
	return mean, scale
}

// constant reports whether a variance is within the error bound of that algorithm, hence
// indistinguishable from none (scikit-learn, _is_constant_feature).
func constant(variance, mean, n float64) bool {
	const eps = 0x1p-52
	return variance <= n*eps*variance+math.Pow(n*mean*eps, 2)
}
