package nn

import "github.com/hansa-fl/hansa/framework/kernel"

type matrix = kernel.Matrix[float32]

// rows returns rows lo to hi of a matrix that is not transposed.
func rows(m matrix, lo, hi int) matrix {
	return kernel.RowMajor(m.Data[lo*m.Stride:hi*m.Stride], hi-lo, m.Cols)
}

// columns returns columns lo to hi of a matrix that is not transposed.
func columns(m matrix, lo, hi int) matrix {
	m.Data, m.Cols = m.Data[lo:], hi-lo
	return m
}
