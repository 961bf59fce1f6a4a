package kernel

// Secular sets delta[i] = (d[i] − origin) − τ and returns sums over terms of the secular
// equation 1/ρ + Σᵢ z[i]²/delta[i] = 0 of a symmetric rank-one update: of z[i]²/delta[i] and
// of its derivative (z[i]/delta[i])², first where z[i]/delta[i] < 0 and then where it is
// above 0. Element i is added to lane i mod 8, and a fixed tree adds the lanes. The length is
// a multiple of 8.
func Secular(delta, d, z []float64, origin, tau float64) (sums [4]float64) {
	n := len(delta)
	fit(n%8 == 0 && len(d) == n && len(z) == n)
	if n > 0 {
		at := [2]float64{origin, tau}
		secular64(active, sums[:], delta, d, z, at[:])
	}
	return sums
}

// secularGeneric sets delta and sums as Secular does; at is the origin, and τ from there.
func secularGeneric[T float](sums, delta, d, z, at []T) {
	var lanes [4][8]T
	d, z = d[:len(delta)], z[:len(delta)]
	for i := range delta {
		gap := d[i] - at[0] - at[1]
		delta[i] = gap
		ratio := z[i] / gap
		for side, in := range [2]bool{ratio < 0, ratio > 0} {
			part := T(0)
			if in {
				part = ratio
			}
			sum, slope := &lanes[2*side][i%8], &lanes[2*side+1][i%8]
			*sum, *slope = fma(part, z[i], *sum), fma(part, part, *slope)
		}
	}
	for k := range lanes {
		sums[k] = fold(lanes[k][:])
	}
}

// Symv sets dst = A·x for a symmetric matrix A of len(x) rows, a multiple of 8, that begin
// stride apart in a. Of row i it reads the columns below 8·⌈(i+1)/8⌉: the triangle below the
// diagonal, and the whole of the 8×8 blocks on it. These rows are taken eight at a time, by
// Gemv and then, without the block, by GemvT. dst overlaps neither A nor x.
func Symv(dst, a []float64, stride int, x []float64) {
	fit(len(x)%8 == 0 && len(dst) == len(x) && apart(len(x), len(x), stride, a))
	symv(active, dst, a, stride, x)
}

func symv(p path, dst, a []float64, stride int, x []float64) {
	for i := 0; i < len(x); i += 8 {
		rows := a[i*stride:]
		gemv(p, dst[i:i+8], rows, stride, x[:i+8])
		gemvT(p, dst[:i], rows, stride, x[i:i+8])
	}
}
