package kernel

// stripe is of how many rows the lower half of a product is computed at a time.
const stripe = 128

// Lower64 is Gemm64 for a square product that is known to be symmetric: it sets, or adds to, what
// lies on and below the diagonal of c, for little more than half of the operations. What lies
// above means nothing afterwards, until Mirror64 fills it.
func Lower64(w *Workspace, c, a, b Matrix[float64], add bool) {
	fit(c.Rows == c.Cols && !c.Transposed && a.Rows == c.Rows && b.Cols == c.Cols)
	for lo := 0; lo < c.Rows; lo += stripe {
		hi := min(lo+stripe, c.Rows)
		part := c
		part.Data, part.Rows, part.Cols = c.Data[lo*c.Stride:], hi-lo, hi
		left, right := a.rows(lo, hi), b.T().rows(0, hi).T()
		Gemm64(w, part, left, right, add)
	}
}

// rows returns rows lo to hi, of which there is one at least.
func (m Matrix[T]) rows(lo, hi int) Matrix[T] {
	first := lo
	if !m.Transposed {
		first *= m.Stride
	}
	m.Data, m.Rows = m.Data[min(first, len(m.Data)):], hi-lo
	return m
}

// Mirror64 copies what lies below the diagonal of a square matrix to above it.
func Mirror64(c Matrix[float64]) {
	const tile = 16 // rows and columns whose cache lines stay
	fit(c.Rows == c.Cols)
	for lo := 0; lo < c.Rows; lo += tile {
		for left := 0; left <= lo; left += tile {
			for i := lo; i < min(lo+tile, c.Rows); i++ {
				for j := left; j < min(left+tile, i); j++ {
					c.Data[j*c.Stride+i] = c.Data[i*c.Stride+j]
				}
			}
		}
	}
}
