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

// AddSigns adds weight·sign(x[i] − c[i]) to sum[i]. Where the two are equal or one is NaN it adds
// weight·0.
func AddSigns(sum []float64, weight float64, x, c []float64) {
	fit(len(x) == len(sum) && len(c) == len(sum))
	signs64(active, sum, weight, x, c)
}

// signsGeneric is AddSigns, without a branch.
func signsGeneric(sum []float64, weight float64, x, c []float64) {
	x, c = x[:len(sum)], c[:len(sum)]
	for i, a := range x {
		above, below := 0, 0
		if a > c[i] {
			above = 1
		}
		if a < c[i] {
			below = 1
		}
		sum[i] += float64(weight * float64(above-below))
	}
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

// gapGeneric returns ‖x − y‖². Four lanes at a time pass over all whole blocks, so that what they
// add is kept in registers.
func gapGeneric(x, y []float64) float64 {
	const banks, lanes = 4, 8
	const block = banks * lanes
	var sums [block]float64
	whole := len(x) / block * block
	for j := 0; j < block; j += 4 {
		var a, b, c, d float64
		for i := j; i < whole; i += block {
			u, v := x[i:i+4:i+4], y[i:i+4:i+4]
			p, q, r, s := u[0]-v[0], u[1]-v[1], u[2]-v[2], u[3]-v[3]
			a, b = math.FMA(p, p, a), math.FMA(q, q, b)
			c, d = math.FMA(r, r, c), math.FMA(s, s, d)
		}
		sums[j], sums[j+1], sums[j+2], sums[j+3] = a, b, c, d
	}
	for j := 0; whole+j < len(x); j++ {
		gap := x[whole+j] - y[whole+j]
		sums[j%lanes] = math.FMA(gap, gap, sums[j%lanes])
	}
	for j := range lanes {
		sums[j] = (sums[j] + sums[lanes+j]) + (sums[2*lanes+j] + sums[3*lanes+j])
	}
	return fold(sums[:lanes])
}
