package kernel

import (
	"math"
	"unsafe"
)

// A float is an element of the slices that kernels work on.
type float interface{ float32 | float64 }

// lanes returns how many elements a sum adds side by side: as many as fill 64 bytes.
func lanes[T float]() int {
	var x T
	return 64 / int(unsafe.Sizeof(x))
}

// fma returns x·y + z with one rounding.
func fma[T float](x, y, z T) T {
	if unsafe.Sizeof(x) == 4 {
		return T(fma32(float32(x), float32(y), float32(z)))
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

// fold adds the lanes of a sum by a fixed tree: lane j and lane j + half, until one is
// left, and then 0, so that the sum is never −0. It destroys the lanes.
func fold[T float](lanes []T) T {
	for half := len(lanes) / 2; half > 0; half /= 2 {
		for j := range half {
			lanes[j] += lanes[j+half]
		}
	}
	return lanes[0] + 0
}

// fit panics unless the lengths of the arguments fit.
func fit(ok bool) {
	if !ok {
		panic("kernel: lengths do not fit")
	}
}
