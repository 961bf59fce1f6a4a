package tensor

// Gather sets dst[i] to x[indices[i]]. It panics where x has no such element. dst overlaps not x.
func Gather(dst, x Vector, indices []int) {
	if len(dst) != len(indices) {
		panic("tensor: lengths do not fit")
	}
	for i, at := range indices {
		dst[i] = x[at]
	}
}

// Scatter sets dst[indices[i]] to x[i] and leaves the rest of dst: of an index that is there twice
// the last counts. It panics where dst has no such element. dst overlaps not x.
func Scatter(dst, x Vector, indices []int) {
	if len(x) != len(indices) {
		panic("tensor: lengths do not fit")
	}
	for i, at := range indices {
		dst[at] = x[i]
	}
}
