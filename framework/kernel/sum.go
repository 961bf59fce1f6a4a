package kernel

// WeightedSum adds Σₖ w[k]·xs[k] to dst. Four vectors share one pass over dst, in
// blocks that stay in the first-level cache, so dst is read and written a quarter
// as often as by one addition after another.
func WeightedSum(dst, w []float64, xs [][]float64) {
	const block = 1024
	w = w[:len(xs)]
	for lo := 0; lo < len(dst); lo += block {
		hi := min(lo+block, len(dst))
		d := dst[lo:hi]
		k := 0
		for ; k+4 <= len(xs); k += 4 {
			x0 := xs[k][lo:hi][:len(d)]
			x1 := xs[k+1][lo:hi][:len(d)]
			x2 := xs[k+2][lo:hi][:len(d)]
			x3 := xs[k+3][lo:hi][:len(d)]
			w0, w1, w2, w3 := w[k], w[k+1], w[k+2], w[k+3]
			for i := range d {
				d[i] += (w0*x0[i] + w1*x1[i]) + (w2*x2[i] + w3*x3[i])
			}
		}
		for ; k < len(xs); k++ {
			x := xs[k][lo:hi][:len(d)]
			v := w[k]
			for i := range d {
				d[i] += v * x[i]
			}
		}
	}
}

// Finite reports whether no element is NaN or infinite. Zero times a finite number
// is zero and zero times anything else is NaN, so one sum of such products tells.
func Finite(x []float64) bool {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		y := x[i:][:4]
		s0 += y[0] * 0
		s1 += y[1] * 0
		s2 += y[2] * 0
		s3 += y[3] * 0
	}
	for ; i < len(x); i++ {
		s0 += x[i] * 0
	}
	return s0+s1+s2+s3 == 0
}
