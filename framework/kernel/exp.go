package kernel

import "math"

// Exp sets dst to eˣ, to within 1 ulp or the smallest denormal number. dst may be x.
func Exp(dst, x []float64) {
	fit(len(x) == len(dst))
	exp64(active, dst, x)
}

// taylor are the coefficients 1/k! of eˣ.
var taylor = func() (c [14]float64) {
	factorial := 1.0
	for k := range c {
		factorial *= float64(max(k, 1))
		c[k] = 1 / factorial
	}
	return c
}()

// An exponential holds the numbers by which eˣ is computed for one type of elements.
type exponential[T float] struct {
	lowest, highest T // eˣ is 0 below and +Inf above
	ln2High, ln2Low T // ln 2 in two parts
	degree          int
}

// exponentialOf returns the numbers for a type of elements.
func exponentialOf[T float]() exponential[T] {
	if lanes[T]() == 16 {
		high := float64(float32(math.Ln2))
		return exponential[T]{-105, 89, T(high), T(math.Ln2 - high), 7}
	}
	high, low := math.Ln2, 2.3190468138462996e-17
	return exponential[T]{-746, 710, T(high), T(low), 13}
}

// at returns eˣ: with n the integer nearest x/ln 2 and r = x − n·ln 2, it is 2ⁿ times the
// Taylor polynomial of eʳ, whose remainder is below a twentieth of an ulp.
func (e *exponential[T]) at(x T) T {
	if x != x {
		return x
	}
	x = min(max(x, e.lowest), e.highest)
	n := math.RoundToEven(float64(T(x * math.Log2E)))
	x = fma(-T(n), e.ln2Low, fma(-T(n), e.ln2High, x))
	y := T(taylor[e.degree])
	for k := e.degree - 1; k >= 0; k-- {
		y = fma(y, x, T(taylor[k]))
	}
	// In two steps, since 2ⁿ may be no normal number; the first is exact.
	first := math.Floor(n / 2)
	return T(y*T(power(first))) * T(power(n-first))
}

// power returns 2ⁿ for an integer n whose power is a normal number.
func power(n float64) float64 { return math.Float64frombits(uint64(int64(n)+1023) << 52) }

func expGeneric[T float](dst, x []T) {
	e := exponentialOf[T]()
	for i, v := range x {
		dst[i] = e.at(v)
	}
}

// peakGeneric returns the largest number, or −Inf.
func peakGeneric[T float](x []T) T {
	top := T(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// expSumGeneric sets dst to e^(x − shift) and returns its sum: element i is added to lane i,
// and a fixed tree adds the lanes.
func expSumGeneric[T float](dst, x []T, shift T) T {
	var room [16]T
	e, sums := exponentialOf[T](), room[:lanes[T]()]
	for i, v := range x {
		dst[i] = e.at(v - shift)
		sums[i%len(sums)] += dst[i]
	}
	return fold(sums)
}
