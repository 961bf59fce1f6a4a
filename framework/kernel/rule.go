package kernel

import (
	"math"
	"unsafe"
)

// Exchange puts the smaller of x[i] and y[i] into x and the larger into y, for every i. Equal
// numbers, as +0 and −0 are, stay where they are, and so does what is beside a NaN. It is the
// comparator of a sorting network that sorts columns, many side by side.
func Exchange(x, y []float64) {
	fit(len(x) == len(y))
	exchange64(active, x, y)
}

// Aligned returns x without up to seven elements at its beginning, so that the rest begins at a
// whole 64 bytes: loads of whole cache lines are faster.
func Aligned(x []float64) []float64 {
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(x))) % 64 / 8)
	return x[min((8-past)%8, len(x)):]
}

// SquaredDistance returns ‖x − y‖², added as Dot adds.
func SquaredDistance(x, y []float64) float64 {
	fit(len(x) == len(y))
	return gap64(active, x, y)
}

// exchangeGeneric exchanges x[i] and y[i] where y[i] < x[i]. It does so by their bits and
// without a branch: for random numbers, half of them would be predicted wrongly.
func exchangeGeneric(x, y []float64) {
	y = y[:len(x)]
	for i, a := range x {
		b, less := y[i], uint64(0)
		if b < a {
			less = 1
		}
		low, high := math.Float64bits(a), math.Float64bits(b)
		change := (low ^ high) & -less
		x[i], y[i] = math.Float64frombits(low^change), math.Float64frombits(high^change)
	}
}

// gapGeneric returns ‖x − y‖².
func gapGeneric[T float](x, y []T) T {
	const banks = 4
	var room [64]T
	n := lanes[T]()
	sums := room[:banks*n]
	y = y[:len(x)]
	i := 0
	for ; i+len(sums) <= len(x); i += len(sums) {
		for j := range sums {
			gap := x[i+j] - y[i+j]
			sums[j] = fma(gap, gap, sums[j])
		}
	}
	for j := 0; i+j < len(x); j++ {
		gap := x[i+j] - y[i+j]
		sums[j%n] = fma(gap, gap, sums[j%n])
	}
	for j := range n {
		sums[j] = (sums[j] + sums[n+j]) + (sums[2*n+j] + sums[3*n+j])
	}
	return fold(sums[:n])
}
