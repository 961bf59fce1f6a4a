//go:build arm64 || amd64.v3

package kernel

import "unsafe"

// fma32 returns x·y + z, rounded once: for these machines the compiler makes one instruction of it,
// as the language allows. TestFma32RoundsOnce holds it to that. Inlined it is not always one: where
// the product is made in another block of code, it is rounded.
//
//go:noinline
func fma32(x, y, z float32) float32 { return x*y + z }

// eight32 computes two rows and four columns of a tile from row i and column j on, rounding once as
// fma32 does. TestProductsAreWhatIsDocumented holds it to that.
func eight32(t *tile32, sums *[2][4]float32, i, j int) {
	var p0, p1, p2, p3, q0, q1, q2, q3 float32
	a, b := t.begin(i, j)
	for k := range t.depth {
		x, y := *at(a, k*t.stepA), *at(a, t.rowA+k*t.stepA)
		c := (*[4]float32)(unsafe.Pointer(at(b, k*t.stepB)))
		p0, p1, p2, p3 = x*c[0]+p0, x*c[1]+p1, x*c[2]+p2, x*c[3]+p3
		q0, q1, q2, q3 = y*c[0]+q0, y*c[1]+q1, y*c[2]+q2, y*c[3]+q3
	}
	*sums = [2][4]float32{{p0, p1, p2, p3}, {q0, q1, q2, q3}}
}
