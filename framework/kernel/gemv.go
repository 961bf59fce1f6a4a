package kernel

// Gemv sets dst = A·x for a row-major matrix A of len(dst) rows and len(x) columns. In each
// row, element i of A·x is added to lane i mod 8 by a fused multiply-add, and a fixed tree
// adds the lanes. A sum of zero is +0. dst overlaps neither A nor x.
//
// Four rows share one pass over x: four independent sums hide the latency of the
// addition, which is what bounds a plain dot product of a short row.
func Gemv(dst, a, x []float64) {
	fit(len(a) == len(dst)*len(x))
	gemv(active, dst, a, len(x), x)
}

// GemvT adds Aᵀ·x to dst for a row-major matrix A of len(x) rows and len(dst) columns. Rows
// are added in fours as WeightedSum adds vectors. dst overlaps neither A nor x.
func GemvT(dst, a, x []float64) {
	fit(len(a) == len(dst)*len(x))
	gemvT(active, dst, a, len(dst), x)
}

// GemvStrided is Gemv for a matrix whose rows begin stride apart in a.
func GemvStrided(dst, a []float64, stride int, x []float64) {
	fit(apart(len(dst), len(x), stride, a))
	gemv(active, dst, a, stride, x)
}

// GemvTStrided is GemvT for a matrix whose rows begin stride apart in a.
func GemvTStrided(dst, a []float64, stride int, x []float64) {
	fit(apart(len(x), len(dst), stride, a))
	gemvT(active, dst, a, stride, x)
}

// apart reports whether a holds rows that begin stride apart.
func apart(rows, cols, stride int, a []float64) bool {
	return stride >= cols && (rows == 0 || len(a) >= (rows-1)*stride+cols)
}

func gemv(p path, dst, a []float64, stride int, x []float64) {
	m := len(dst)
	switch {
	case p == generic:
		gemvGeneric(dst, a, stride, x)
	case m >= 4:
		gemv64(p, dst[:m&^3], a, stride, x)
		if m%4 > 0 { // once more the last four, which gives the same bits
			gemv64(p, dst[m-4:], a[(m-4)*stride:], stride, x)
		}
	default:
		for i := range dst {
			var same [4]float64
			gemv64(p, same[:], a[i*stride:], 0, x)
			dst[i] = same[0]
		}
	}
}

func gemvT(p path, dst, a []float64, stride int, x []float64) {
	fours := len(x) &^ 3
	if fours > 0 {
		gemvT64(p, dst, a, stride, x[:fours])
	}
	for i, w := range x[fours:] {
		axpy64(p, dst, w, a[(fours+i)*stride:][:len(dst)])
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

func gemvTGeneric[T float](dst, a []T, stride int, x []T) {
	n := len(dst)
	for i := 0; i < len(x); i += 4 {
		r0, r1 := a[i*stride:][:n], a[(i+1)*stride:][:n]
		r2, r3 := a[(i+2)*stride:][:n], a[(i+3)*stride:][:n]
		w0, w1, w2, w3 := x[i], x[i+1], x[i+2], x[i+3]
		for k, d := range dst {
			dst[k] = d + (fma(r1[k], w1, T(r0[k]*w0)) + fma(r3[k], w3, T(r2[k]*w2)))
		}
	}
}
