package kernel

import "gonum.org/v1/gonum/floats"

// long is the length from which gonum's vector assembly beats four rows a pass.
const long = 64

// Gemv sets dst = A·x for a row-major matrix A of len(dst) rows and len(x) columns.
//
// Four rows share one pass over x: four independent sums hide the latency of the
// addition, which is what bounds a plain dot product of a short row.
func Gemv(dst, a, x []float64) {
	n := len(x)
	a = a[:len(dst)*n]
	if n >= long {
		for i := range dst {
			dst[i] = floats.Dot(a[i*n:(i+1)*n], x)
		}
		return
	}
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		r0 := a[i*n:][:len(x)]
		r1 := a[(i+1)*n:][:len(x)]
		r2 := a[(i+2)*n:][:len(x)]
		r3 := a[(i+3)*n:][:len(x)]
		var s0, s1, s2, s3 float64
		for k, v := range x {
			s0 += r0[k] * v
			s1 += r1[k] * v
			s2 += r2[k] * v
			s3 += r3[k] * v
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = s0, s1, s2, s3
	}
	for ; i < len(dst); i++ {
		r := a[i*n:][:len(x)]
		var s float64
		for k, v := range x {
			s += r[k] * v
		}
		dst[i] = s
	}
}

// GemvT adds Aᵀ·x to dst for a row-major matrix A of len(x) rows and len(dst) columns.
func GemvT(dst, a, x []float64) {
	n := len(dst)
	a = a[:len(x)*n]
	if n >= long {
		for i, v := range x {
			floats.AddScaled(dst, v, a[i*n:(i+1)*n])
		}
		return
	}
	i := 0
	for ; i+4 <= len(x); i += 4 {
		r0 := a[i*n:][:len(dst)]
		r1 := a[(i+1)*n:][:len(dst)]
		r2 := a[(i+2)*n:][:len(dst)]
		r3 := a[(i+3)*n:][:len(dst)]
		x0, x1, x2, x3 := x[i], x[i+1], x[i+2], x[i+3]
		for k := range dst {
			dst[k] += (r0[k]*x0 + r1[k]*x1) + (r2[k]*x2 + r3[k]*x3)
		}
	}
	for ; i < len(x); i++ {
		r := a[i*n:][:len(dst)]
		v := x[i]
		for k := range dst {
			dst[k] += r[k] * v
		}
	}
}
