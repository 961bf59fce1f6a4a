package kernel

// stretch is how many elements a weighted sum finishes before the next: those of its
// destination stay in the second-level cache while all vectors pass.
const stretch = 16 << 10

// shortStretch is stretch for several sums: that of a hundred vectors stays in the second-level
// cache.
const shortStretch = 256

// WeightedSum adds Σₖ w[k]·xs[k] to dst, which must overlap no xs[k]. Four vectors share one
// pass: dst += (w₀x₀ + w₁x₁) + (w₂x₂ + w₃x₃), where every + that follows a product is one
// fused multiply-add. Those left over are added one by one.
func WeightedSum(dst, w []float64, xs [][]float64) { weightedSum64(active, dst, w, xs) }

// WeightedSums is WeightedSum for each of dsts, to the bit, with weights one after another: it adds
// Σₖ w[i·n+k]·xs[k] to dsts[i] for n vectors xs. All sums pass over a stretch of these before the
// next, so that they are read from memory once. No vector may overlap another one.
func WeightedSums(dsts [][]float64, w []float64, xs [][]float64) {
	weightedSums64(active, dsts, w, xs)
}

// Axpy adds α·x to dst, by one fused multiply-add each. x may be dst.
func Axpy(dst []float64, alpha float64, x []float64) {
	fit(len(x) == len(dst))
	axpy64(active, dst, alpha, x)
}

// Axpy32 is Axpy for float32.
func Axpy32(dst []float32, alpha float32, x []float32) {
	fit(len(x) == len(dst))
	axpy32(active, dst, alpha, x)
}

// Scale multiplies dst by α.
func Scale(dst []float64, alpha float64) { scale64(active, dst, alpha) }

// Scale32 is Scale for float32.
func Scale32(dst []float32, alpha float32) { scale32(active, dst, alpha) }

// Dot returns ⟨x, y⟩. Element i of every whole 256 bytes is added to lane i by a fused
// multiply-add, the elements after them to the first 64 bytes of lanes, and a fixed tree
// adds the lanes. A sum of zero is +0.
func Dot(x, y []float64) float64 {
	fit(len(x) == len(y))
	return dot64(active, x, y)
}

// Finite reports whether no element is NaN or infinite. The sum of all squares tells where it
// is finite itself; where it is not, it may be that squares are too large.
func Finite(x []float64) bool {
	if square := Dot(x, x); square-square == 0 {
		return true
	}
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func weightedSum64(p path, dst, w []float64, xs [][]float64) {
	checkSum(dst, w, xs)
	for lo := 0; lo < len(dst); lo += stretch {
		weightedPart64(p, dst[lo:min(lo+stretch, len(dst))], w, xs, lo)
	}
}

// weightedPart64 adds Σₖ w[k]·xs[k] to a part of a vector, which begins at lo.
func weightedPart64(p path, part, w []float64, xs [][]float64, lo int) {
	k := 0
	for ; k+4 <= len(xs); k += 4 {
		quad64(p, part, w[k:], xs[k:], lo)
	}
	for ; k < len(xs); k++ {
		axpy64(p, part, w[k], xs[k][lo:][:len(part)])
	}
}

func weightedSums64(p path, dsts [][]float64, w []float64, xs [][]float64) {
	fit(len(w) == len(dsts)*len(xs))
	for i, dst := range dsts {
		checkSum(dst, w[i*len(xs):(i+1)*len(xs)], xs)
	}
	for lo := 0; len(dsts) > 0 && lo < len(dsts[0]); lo += shortStretch {
		for i, dst := range dsts {
			part := dst[lo:min(lo+shortStretch, len(dst))]
			weightedPart64(p, part, w[i*len(xs):(i+1)*len(xs)], xs, lo)
		}
	}
}

// checkSum panics unless there is a weight for each vector, and all are as long as dst.
func checkSum(dst, w []float64, xs [][]float64) {
	fit(len(w) == len(xs))
	for _, x := range xs {
		fit(len(x) == len(dst))
	}
}
