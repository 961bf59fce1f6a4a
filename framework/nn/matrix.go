package nn

import "github.com/hansa-fl/hansa/framework/kernel"

type matrix = kernel.Matrix[float32]

// rows returns rows lo to hi of a matrix that is not transposed.
func rows(m matrix, lo, hi int) matrix {
	return kernel.RowMajor(m.Data[lo*m.Stride:hi*m.Stride], hi-lo, m.Cols)
}
