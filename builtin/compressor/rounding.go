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

// round sets out to what is sent of x in units: sign(x)·min(most, ⌊|x|/unit + u⌋)·step, where u is
// uniform on [0, 1), so that it is x/unit on average, to 2⁻³². Inverse is 1/unit. Pairs of
// draws are those from first on. It never is −0.
func (d draws) round(out, x fl.Vector, inverse, step float64, most int64, first int) {
	if len(x) == 0 {
		return
	}
	out, word := out[:len(x)], uint64(0)
	for j, v := range x {
		if j&1 == 0 {
			word = d.pair(first + j>>1)
		}
		u := float64(int64(word&(1<<32-1))) * 0x1p-32
		word >>= 32
		out[j] = float64(levelOf(v, inverse, u, most)) * step
	}
}

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
func largestOf(x fl.Vector) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// parts calls a function with parts of n numbers that begin at multiples of a length; one part where
// that is 0.
func parts(n, length int, f func(lo, hi int)) {
	if length <= 0 {
		length = n
	}
	for lo := 0; lo < n; lo += length {
		f(lo, min(lo+length, n))
	}
}
