package kernel

// stretch is how many elements a weighted sum finishes before the next: those of its
// destination stay in the second-level cache while all vectors pass.
const stretch = 16 << 10

// WeightedSum adds Σₖ w[k]·xs[k] to dst, which must overlap no xs[k]. Four vectors share one
// pass: dst += (w₀x₀ + w₁x₁) + (w₂x₂ + w₃x₃), where every + that follows a product is one
// fused multiply-add. Those left over are added one by one.
func WeightedSum(dst, w []float64, xs [][]float64) { weightedSum64(active, dst, w, xs) }

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
		d, k := dst[lo:min(lo+stretch, len(dst))], 0
		for ; k+4 <= len(xs); k += 4 {
			quad64(p, d, w[k:], xs[k:], lo)
		}
		for ; k < len(xs); k++ {
			axpy64(p, d, w[k], xs[k][lo:][:len(d)])
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
