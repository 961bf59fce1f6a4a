package kernel

import "math"

// A Grid is what numbers are rounded to: whole numbers of units.
type Grid struct {
	Inverse float64 // 1/unit
	Most    float64 // the largest absolute value of a whole number
	Step    float64 // what a unit becomes
}

// Dither rounds numbers at random, as Level does, by draws of SplitMix64 (Steele, Lea, Flood,
// OOPSLA 2014; variant 13 of Stafford) from its first-th number on. The draws of dst[2k] and dst[2k
// + 1] are the lower and the upper 32 bits of the k-th of these, as numbers of [0, 1): those of
// other elements need not be known. dst may be x.
func Dither(dst, x []float64, g Grid, seed uint64, first int) {
	dither(active, dst, x, g, seed+uint64(first+1)*gamma)
}

// Level returns sign(x)·min(Most, ⌊|x|·Inverse + u⌋)·Step, which never is −0: whole numbers of
// units that are x on average, over draws u that are uniform on [0, 1). NaN becomes Most.
func (g Grid) Level(x, u float64) float64 {
	level := math.FMA(math.Abs(x), g.Inverse, u)
	if !(level < g.Most) {
		level = g.Most
	}
	return math.FMA(math.Copysign(math.Trunc(level), x), g.Step, 0)
}

// Draw returns the k-th number, from 0 on, of SplitMix64 with a seed.
func Draw(seed uint64, k int) uint64 { return mix(seed + uint64(k+1)*gamma) }

// gamma is by how much the counter of SplitMix64 grows.
const gamma = 0x9e3779b97f4a7c15

// mix returns the number of SplitMix64 at a counter.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Large sets bit i of mask, the lowest of the first word first, to whether |x[i]| is not below a
// floor, as that of NaN is. It has a word for each 64 elements that were begun; bits beyond x are
// 0.
func Large(mask []uint64, x []float64, floor float64) { large(active, mask, x, floor) }

func dither(p path, dst, x []float64, g Grid, counter uint64) {
	fit(len(x) == len(dst))
	whole, grid := len(x)&^15, [3]float64{g.Inverse, g.Most, g.Step}
	dither64(p, dst[:whole], x[:whole], grid[:], counter)
	ditherGeneric(dst[whole:], x[whole:], grid[:], counter+uint64(whole/2)*gamma)
}

func large(p path, mask []uint64, x []float64, floor float64) {
	fit(len(mask) == (len(x)+63)/64)
	whole := len(x) / 64
	marks64(p, mask[:whole], x[:64*whole], floor)
	if rest := x[64*whole:]; len(rest) > 0 {
		mask[whole] = word(rest, floor)
	}
}

// ditherGeneric rounds x at random; grid is the inverse, the most and the step.
func ditherGeneric(dst, x, grid []float64, counter uint64) {
	g := Grid{grid[0], grid[1], grid[2]}
	dst = dst[:len(x)]
	draw := uint64(0)
	for i, v := range x {
		if draw >>= 32; i&1 == 0 {
			draw = mix(counter + uint64(i>>1)*gamma)
		}
		dst[i] = g.Level(v, float64(draw&(1<<32-1))*0x1p-32)
	}
}

// marksGeneric sets words of a mask.
func marksGeneric(mask []uint64, x []float64, floor float64) {
	for k := range mask {
		mask[k] = word(x[64*k:64*k+64], floor)
	}
}

// word returns the bits of at most 64 elements.
func word(x []float64, floor float64) (bits uint64) {
	for i, v := range x {
		if !(math.Abs(v) < floor) {
			bits |= 1 << i
		}
	}
	return bits
}
