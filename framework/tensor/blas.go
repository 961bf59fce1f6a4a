package tensor

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// A BLAS is gonum's own in double precision, but for matrix products, which are kernel's. A
// command that wants all of gonum's mat and lapack to gain from it says so once, before it
// starts work:
//
//	blas64.Use(new(tensor.BLAS))
//
// The zero value is ready. Any number of goroutines may use it; a product starts none.
type BLAS struct {
	gonum.Implementation
	spaces sync.Pool // of *space
}

// A space is what one product at a time needs.
type space struct {
	kernel.Workspace
	scaled []float64
}

// Dgemm sets C = β·C + α·op(A)·op(B), where op transposes or not.
func (f *BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	// With α = 0 and β = 1 gonum checks the arguments, with k = 0 it scales C by β.
	f.Implementation.Dgemm(tA, tB, m, n, k, 0, a, lda, b, ldb, 1, c, ldc)
	if beta != 1 {
		f.Implementation.Dgemm(tA, tB, m, n, 0, 0, a, lda, b, ldb, beta, c, ldc)
	}
	if m == 0 || n == 0 || k == 0 || alpha == 0 {
		return
	}
	s, _ := f.spaces.Get().(*space)
	if s == nil {
		s = new(space)
	}
	left := kernel.Matrix[float64]{Data: a, Rows: m, Cols: k, Stride: lda}
	left.Transposed = tA != blas.NoTrans
	right := kernel.Matrix[float64]{Data: b, Rows: k, Cols: n, Stride: ldb}
	right.Transposed = tB != blas.NoTrans
	result := kernel.Matrix[float64]{Data: c, Rows: m, Cols: n, Stride: ldc}
	if alpha != 1 {
		left.Data = s.scale(alpha, a[:reach(left)])
	}
	kernel.Gemm64(&s.Workspace, result, left, right, true)
	f.spaces.Put(s)
}

// reach returns how many elements of Data a matrix spans.
func reach(m kernel.Matrix[float64]) int {
	if m.Transposed {
		m = m.T()
	}
	return (m.Rows-1)*m.Stride + m.Cols
}

// scale returns a copy of x times alpha, good until the next.
func (s *space) scale(alpha float64, x []float64) []float64 {
	s.scaled = s.scaled[:0]
	for _, v := range x {
		s.scaled = append(s.scaled, alpha*v)
	}
	return s.scaled
}
