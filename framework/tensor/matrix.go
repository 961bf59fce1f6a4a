package tensor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// A Matrix is dense and row-major: element (i, j) is Data[i*Cols+j].
type Matrix struct {
	Rows, Cols int
	Data       []float64 // length Rows*Cols
}

// NewMatrix returns a zero matrix; it allocates.
func NewMatrix(rows, cols int) Matrix {
	if rows > 0 && cols > math.MaxInt/rows {
		Fit(math.MaxInt, 8)
	}
	Fit(rows*cols, 8)
	return Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Row returns row i, which shares memory with m.
func (m Matrix) Row(i int) Vector { return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols] }

// Slice returns rows lo to hi, which share memory with m.
func (m Matrix) Slice(lo, hi int) Matrix {
	return Matrix{Rows: hi - lo, Cols: m.Cols, Data: m.Data[lo*m.Cols : hi*m.Cols]}
}

// MulVec sets dst = m·x.
func (m Matrix) MulVec(dst, x Vector) {
	m.mustFit(len(dst), len(x))
	kernel.Gemv(dst, m.Data, x)
}

// AddMulTVec sets dst ← dst + mᵀ·x.
func (m Matrix) AddMulTVec(dst, x Vector) {
	m.mustFit(len(x), len(dst))
	kernel.GemvT(dst, m.Data, x)
}

func (m Matrix) mustFit(rows, cols int) {
	if rows != m.Rows || cols != m.Cols {
		panic("tensor: shapes do not fit")
	}
}
