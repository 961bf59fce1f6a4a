package compressor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// draws are numbers of 32 bits each, of any index, from one draw of a client: those of SplitMix64
// (Steele, Lea, Flood, OOPSLA 2014; variant 13 of Stafford), of which each gives two. An update
// needs as many as it has numbers, and they need not wait for each other.
type draws uint64

// newDraws returns the draws of a client for one update.
func newDraws(k *fl.Coding) draws { return draws(k.RNG.Uint64()) }

// pair returns two of them, the first one in the lower half.
func (d draws) pair(j int) uint64 {
	z := uint64(d) + uint64(j+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// A grid is what numbers are rounded to: whole numbers of units.
type grid struct {
	inverse float64 // 1/unit
	step    float64 // what a unit becomes
	most    int64   // the largest absolute value of a whole number
}

// round sets out to what is sent of x in units: sign(x)·min(most, ⌊|x|/unit + u⌋)·step, where u is
// uniform on [0, 1), so that it is x/unit on average, to 2⁻³². Pairs of draws are those from first
// on. It never is −0.
func (d draws) round(out, x fl.Vector, g grid, first int) {
	if len(x) == 0 {
		return
	}
	out = out[:len(x)]
	j := 0
	for ; j+1 < len(x); j += 2 {
		word := d.pair(first + j>>1)
		out[j] = float64(levelOf(x[j], g.inverse, lower(word), g.most)) * g.step
		out[j+1] = float64(levelOf(x[j+1], g.inverse, lower(word>>32), g.most)) * g.step
	}
	if j < len(x) {
		out[j] = float64(levelOf(x[j], g.inverse, lower(d.pair(first+j>>1)), g.most)) * g.step
	}
}

// lower returns the lower half of a pair of draws as a number of [0, 1).
func lower(pair uint64) float64 { return float64(int64(pair&(1<<32-1))) * 0x1p-32 }

// levelOf returns sign(x)·min(most, ⌊|x|/unit + u⌋).
func levelOf(x, inverse, u float64, most int64) int64 {
	level := min(int64(math.Abs(x)*inverse+u), most)
	negative := int64(math.Float64bits(x)) >> 63
	return (level ^ negative) - negative
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
	top := uint64(0)
	for _, v := range x {
		top = max(top, magnitude(v)) // of whole numbers it takes a cycle
	}
	return math.Float64frombits(top)
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
