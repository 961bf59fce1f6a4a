package kernel

// A Matrix is a matrix in a slice that the caller owns. Element (i, j) is Data[i*Stride+j], or
// Data[j*Stride+i] if Transposed. A matrix that is only read may have a Stride below its width:
// then its rows overlap.
type Matrix[T float] struct {
	Data       []T
	Rows, Cols int // as they are seen: after the transposition
	Stride     int // from one row in Data to the next
	Transposed bool
}

// RowMajor returns the matrix whose rows lie one behind the other in data.
func RowMajor[T float](data []T, rows, cols int) Matrix[T] {
	return Matrix[T]{Data: data, Rows: rows, Cols: cols, Stride: cols}
}

// T returns the transposed matrix, on the same data.
func (m Matrix[T]) T() Matrix[T] {
	m.Rows, m.Cols, m.Transposed = m.Cols, m.Rows, !m.Transposed
	return m
}

// stored returns the shape in which the elements lie in Data.
func (m *Matrix[T]) stored() (rows, cols int) {
	if m.Transposed {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// check panics if the elements do not lie in Data.
func (m *Matrix[T]) check() {
	rows, cols := m.stored()
	if rows < 0 || cols < 0 || m.Stride < 0 {
		panic("kernel: a matrix with a negative shape")
	}
	if rows > 0 && cols > 0 {
		_ = m.Data[(rows-1)*m.Stride+cols-1]
	}
}

// A Workspace holds the packed operands of matrix products. The zero value is ready; it
// grows to what the largest product needs and is then used again, so that a product
// allocates nothing. One goroutine uses it at a time.
type Workspace struct {
	single panels[float32]
	double panels[float64]
}

// Gemm32 sets c = a·b, or adds a·b to c if add is true. The memory of c must not overlap
// that of a or b, and its rows must not overlap each other.
//
// The bits depend on the operands only, not on the machine or the path. The columns of a,
// which k counts, are cut into the fewest blocks of at most 256 that are equally long but
// for the last; with more than one block, their length is rounded up to a multiple of 8.
// Within a block every element of c is one chain of fused multiply-adds in ascending k that
// begins with zero. The chains are added to c one after another.
//
// Inlined into another package, it would allocate: there the compiler does not see that
// the assembly keeps nothing.
//
//go:noinline
func Gemm32(w *Workspace, c, a, b Matrix[float32], add bool) {
	s := sweep[float32]{c: c, a: a, b: b, space: &w.single}
	s.run(active, add)
}

// Gemm64 is Gemm32 in double precision.
//
//go:noinline
func Gemm64(w *Workspace, c, a, b Matrix[float64], add bool) {
	s := sweep[float64]{c: c, a: a, b: b, space: &w.double}
	s.run(active, add)
}

// Transpose32 sets dst to the transpose of src. None of the two is Transposed itself, and they
// must not overlap.
func Transpose32(dst, src Matrix[float32]) {
	fit(dst.Rows == src.Cols && dst.Cols == src.Rows && !dst.Transposed && !src.Transposed)
	dst.check()
	src.check()
	flip(active, dst, src)
}
