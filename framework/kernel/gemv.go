package kernel

// Gemv sets dst = A·x for a row-major matrix A of len(dst) rows and len(x) columns. In each
// row, element i of A·x is added to lane i mod 8 by a fused multiply-add, and a fixed tree
// adds the lanes. A sum of zero is +0. dst overlaps neither A nor x.
//
// Four rows share one pass over x: four independent sums hide the latency of the
// addition, which is what bounds a plain dot product of a short row.
func Gemv(dst, a, x []float64) { gemv(active, dst, a, x) }

// GemvT adds Aᵀ·x to dst for a row-major matrix A of len(x) rows and len(dst) columns. Rows
// are added in fours as WeightedSum adds vectors. dst overlaps neither A nor x.
func GemvT(dst, a, x []float64) { gemvT(active, dst, a, x) }

func gemv(p path, dst, a, x []float64) {
	m, n := len(dst), len(x)
	fit(len(a) == m*n)
	switch {
	case p == generic:
		gemvGeneric(dst, a, n, x)
	case m >= 4:
		gemv64(p, dst[:m&^3], a, n, x)
		if m%4 > 0 { // once more the last four, which gives the same bits
			gemv64(p, dst[m-4:], a[(m-4)*n:], n, x)
		}
	default:
		for i := range dst {
			var same [4]float64
			gemv64(p, same[:], a[i*n:], 0, x)
			dst[i] = same[0]
		}
	}
}

func gemvT(p path, dst, a, x []float64) {
	m, n := len(x), len(dst)
	fit(len(a) == m*n)
	fours := m &^ 3
	if fours > 0 {
		gemvT64(p, dst, a, x[:fours])
	}
	for i := fours; i < m; i++ {
		axpy64(p, dst, x[i], a[i*n:(i+1)*n])
	}
}

func gemvGeneric[T float](dst, a []T, stride int, x []T) {
	for i := range dst {
		var room [16]T
		row, sums := a[i*stride:][:len(x)], room[:lanes[T]()]
		for k, v := range x {
			sums[k%len(sums)] = fma(row[k], v, sums[k%len(sums)])
		}
		dst[i] = fold(sums)
	}
}

func gemvTGeneric[T float](dst, a, x []T) {
	n := len(dst)
	for i := 0; i < len(x); i += 4 {
		r0, r1 := a[i*n:][:n], a[(i+1)*n:][:n]
		r2, r3 := a[(i+2)*n:][:n], a[(i+3)*n:][:n]
		w0, w1, w2, w3 := x[i], x[i+1], x[i+2], x[i+3]
		for k, d := range dst {
			dst[k] = d + (fma(r1[k], w1, T(r0[k]*w0)) + fma(r3[k], w3, T(r2[k]*w2)))
		}
	}
}
