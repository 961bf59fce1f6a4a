package data

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// A RandomState is NumPy's legacy generator, numpy.random.RandomState: whatever NumPy
// drew from a seed, a RandomState with that seed draws again, call by call. Its stream is
// frozen by NumPy's compatibility policy (NEP 19).
//
// Integers, uniform numbers, shuffles and the number of words that a call consumes are
// NumPy's bit for bit. So are normal numbers but for the logarithm in them, which NumPy
// takes from the C library at hand: some 3 % of them differ in the last bits, by less than
// one part in 10¹⁵.
type RandomState struct {
	words *prng.MT19937
	spare float64 // the second normal number of a pair
	spent bool    // whether there is no spare
}

// NewRandomState returns numpy.random.RandomState(seed).
func NewRandomState(seed uint32) *RandomState {
	words := prng.NewMT19937()
	words.Seed(uint64(seed))
	return &RandomState{words: words, spent: true}
}

// Float64 is random_sample(): uniform on [0, 1), a multiple of 2⁻⁵³.
func (r *RandomState) Float64() float64 {
	hi, lo := r.words.Uint32()>>5, r.words.Uint32()>>6
	return (float64(hi)*(1<<26) + float64(lo)) / (1 << 53)
}

// Uniform is uniform(lo, hi).
func (r *RandomState) Uniform(lo, hi float64) float64 {
	return lo + float64((hi-lo)*r.Float64()) // rounded twice, as in C without fused operations
}

// StandardNormal is standard_normal(): the polar method of Marsaglia, which yields two
// numbers and keeps one for the next call.
func (r *RandomState) StandardNormal() float64 {
	if !r.spent {
		r.spent = true
		return r.spare
	}
	for {
		x := 2*r.Float64() - 1
		y := 2*r.Float64() - 1
		if s := float64(x*x) + float64(y*y); s < 1 && s != 0 {
			f := math.Sqrt(-2 * math.Log(s) / s)
			r.spare, r.spent = f*x, false
			return f * y
		}
	}
}

// Normal is normal(mean, scale).
func (r *RandomState) Normal(mean, scale float64) float64 {
	return mean + float64(scale*r.StandardNormal())
}

// Shuffle is shuffle() of n elements, n ≤ 2³², that swap exchanges by position.
func (r *RandomState) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(r.upTo(uint32(i))))
	}
}

// Permutation is permutation(n): the numbers 0 to n−1, shuffled.
func (r *RandomState) Permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// upTo is random_interval(last), uniform on 0 to last: words are cut to as many bits as
// last has until one is not above it.
func (r *RandomState) upTo(last uint32) uint32 {
	mask := uint32(1)<<bits.Len32(last) - 1
	for {
		if v := r.words.Uint32() & mask; v <= last {
			return v
		}
	}
}
