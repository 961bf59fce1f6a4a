//go:build !arm64 && !amd64.v3

package kernel

import (
	"math"
	"unsafe"
)

// fma32 returns x·y + z, rounded once, as the machine's instruction does.
//
// The product of two float32 is exact in float64. The sum is rounded to 53 bits, and
// rounding it again to 24 goes wrong only where it then lies half-way between two float32
// while the true sum does not. Such numbers, and few others, end in 28 zero bits.
func fma32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z)
	if math.Float64bits(s)<<36 == 0 {
		s = fmaOdd(x, y, z)
	}
	return float32(s)
}

// eight32 computes two rows and four columns of a tile from row i and column j on. Sums are
// float32, held as float64, so that a step converts them one way only.
func eight32(t *tile32, sums *[2][4]float32, i, j int) {
	var p0, p1, p2, p3, q0, q1, q2, q3 float64
	a, b := t.begin(i, j)
	for k := range t.depth {
		x, y := *at(a, k*t.stepA), *at(a, t.rowA+k*t.stepA)
		c := (*[4]float32)(unsafe.Pointer(at(b, k*t.stepB)))
		v, w := float64(x), float64(y)
		d0, d1, d2, d3 := float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])
		r0, r1, r2, r3 := v*d0+p0, v*d1+p1, v*d2+p2, v*d3+p3
		s0, s1, s2, s3 := w*d0+q0, w*d1+q1, w*d2+q2, w*d3+q3
		if even28(r0) || even28(r1) || even28(r2) || even28(r3) {
			r0, r1 = float64(fma32(x, c[0], float32(p0))), float64(fma32(x, c[1], float32(p1)))
			r2, r3 = float64(fma32(x, c[2], float32(p2))), float64(fma32(x, c[3], float32(p3)))
		}
		if even28(s0) || even28(s1) || even28(s2) || even28(s3) {
			s0, s1 = float64(fma32(y, c[0], float32(q0))), float64(fma32(y, c[1], float32(q1)))
			s2, s3 = float64(fma32(y, c[2], float32(q2))), float64(fma32(y, c[3], float32(q3)))
		}
		p0, p1, p2, p3 = single(r0), single(r1), single(r2), single(r3)
		q0, q1, q2, q3 = single(s0), single(s1), single(s2), single(s3)
	}
	*sums = [2][4]float32{{float32(p0), float32(p1), float32(p2), float32(p3)},
		{float32(q0), float32(q1), float32(q2), float32(q3)}}
}

// single returns the nearest float32.
func single(s float64) float64 { return float64(float32(s)) }

// even28 reports whether the last 28 bits are zero, as those of a number half-way between two
// float32 are.
func even28(s float64) bool { return math.Float64bits(s)<<36 == 0 }
