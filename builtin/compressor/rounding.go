package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// draws are numbers of 32 bits each, of any index, from one draw of a client: it is a seed of
// SplitMix64, each number of which gives two. An update needs as many as it has numbers, and they
// need not wait for each other: several are made at once, the same on all machines.
type draws uint64

// newDraws returns the draws of a client for one update.
func newDraws(k *fl.Coding) draws { return draws(k.RNG.Uint64()) }

// round sets out to what is sent of x, by pairs of draws from first on.
func (d draws) round(out, x fl.Vector, g kernel.Grid, first int) {
	kernel.Dither(out, x, g, uint64(d), first)
}

// grid returns the grid of whole numbers of units up to the most, of which each becomes a step.
func grid(unit, most, step float64) kernel.Grid {
	return kernel.Grid{Inverse: inverse(unit), Most: most, Step: step}
}

// inverse returns 1/unit, and 0 for a unit of 0: all numbers are 0 then.
func inverse(unit float64) float64 {
	if unit == 0 {
		return 0
	}
	return 1 / unit
}

// largestOf returns max |x|.
func largestOf(x fl.Vector) float64 {
	top := 0
	for _, v := range x {
		top = max(top, magnitude(bitsOf(v))) // of whole numbers it takes a cycle
	}
	return math.Float64frombits(uint64(top))
}

// parts calls a function with parts of n numbers that begin at multiples of a length; one part
// where that is 0.
func parts(n, length int, f func(lo, hi int)) {
	if length <= 0 {
		length = n
	}
	for lo := 0; lo < n; lo += length {
		f(lo, min(lo+length, n))
	}
}
