package kernel

// quadGeneric adds Σ w[k]·xs[k][from:] to dst for four k.
func quadGeneric[T float](dst, w []T, xs [][]T, from int) {
	x0, x1 := xs[0][from:][:len(dst)], xs[1][from:][:len(dst)]
	x2, x3 := xs[2][from:][:len(dst)], xs[3][from:][:len(dst)]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for i, d := range dst {
		dst[i] = d + (fma(x1[i], w1, T(x0[i]*w0)) + fma(x3[i], w3, T(x2[i]*w2)))
	}
}

// axpyGeneric adds alpha·x to dst.
func axpyGeneric[T float](dst []T, alpha T, x []T) {
	x = x[:len(dst)]
	for i, d := range dst {
		dst[i] = fma(x[i], alpha, d)
	}
}

// scaleGeneric multiplies dst by alpha.
func scaleGeneric[T float](dst []T, alpha T) {
	for i := range dst {
		dst[i] *= alpha
	}
}

// dotGeneric returns ⟨x, y⟩.
func dotGeneric[T float](x, y []T) T {
	const banks = 4
	var room [64]T
	n := lanes[T]()
	sums := room[:banks*n]
	y = y[:len(x)]
	i := 0
	for ; i+len(sums) <= len(x); i += len(sums) {
		for j := range sums {
			sums[j] = fma(x[i+j], y[i+j], sums[j])
		}
	}
	for j := 0; i+j < len(x); j++ {
		sums[j%n] = fma(x[i+j], y[i+j], sums[j%n])
	}
	for j := range n {
		sums[j] = (sums[j] + sums[n+j]) + (sums[2*n+j] + sums[3*n+j])
	}
	return fold(sums[:n])
}
