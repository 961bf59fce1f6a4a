package main

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// Behind the coefficients of its polynomial, the table of float32 has these numbers.
const (
	one = iota
	minusHalf
	rootP       // of 1 + P·|x|
	a5          // and a4 to a1 after it
	density = 8 // of the normal distribution at 0
	nothing = 9 // added to 1, eˣ below it is nothing
)

// activations returns these numbers: those of the normal distribution function are in geluGeneric.
func activations() []float64 {
	return []float64{1, -0.5, 0.3275911 / math.Sqrt2, 1.061405429 / 2, -1.453152027 / 2,
		1.421413741 / 2, -0.284496736 / 2, 0.254829592 / 2, 1 / (math.Sqrt2 * math.SqrtPi),
		-32}
}

// more returns a register with a number behind the coefficients in all lanes.
func (e exponential) more(k int) reg.VecVirtual { return e.all(coefficients + e.degree + 1 + k) }

// curve emits height/(1 + e^(−steep·x)) + floor. It makes no denormal e^(−steep·x), which takes
// many times as long as another number and is lost beside the 1.
func (e exponential) curve() {
	e.begin("curve", "func(dst, x []T, steep, height, floor T)",
		"sets dst to height/(1 + e^(−steep·x)) + floor.")
	dst, x, n := e.slice("dst"), e.slice("x"), e.length("dst")
	steep, height, floor := e.spread("steep"), e.spread("height"), e.spread("floor")
	zero := e.zeros(1)[0]
	e.sub(zero, steep, steep)
	e.masked(n, 1, func(spans []span) {
		s := spans[0]
		v := s.load(x)
		s.mul(steep, v, v)
		y := e.expFrom(e.more(nothing), v)
		s.add(e.more(one), y, y)
		s.div(height, y, y)
		s.add(floor, y, y)
		s.store(y, dst)
	})
	e.end()
}

// gelu emits x·Φ(x) and its derivative.
func (e exponential) gelu() {
	e.begin("gelu", "func(dst, slope, x []T)", "sets dst to x·Φ(x) and slope to its derivative.")
	dst, slope, x, n := e.slice("dst"), e.slice("slope"), e.slice("x"), e.length("dst")
	mask := e.constant(math.MaxInt32) // the bits of |x|
	e.masked(n, 1, func(spans []span) {
		s := spans[0]
		v := s.load(x)
		square, t, sign := s.register(), s.register(), s.register()
		s.mul(v, v, square)
		s.mul(e.more(minusHalf), square, square)
		bell := e.exp(square)
		s.VANDPS(v, mask, t)
		s.VANDNPS(v, mask, sign)
		sum := e.more(one)
		s.fma(e.more(rootP), t, sum)
		s.div(e.more(one), sum, t)
		y := e.more(a5)
		for k := range 4 {
			either(s.machine, s.VFMADD213PS, s.VFMADD213PD)(e.more(a5+1+k), t, y)
		}
		s.mul(t, y, y)
		s.mul(bell, y, y)
		half := e.all(half)
		s.sub(half, y, y)
		s.VORPS(sign, y, y)
		s.add(half, y, y)
		s.mul(v, bell, bell)
		s.mul(v, y, v)
		s.store(v, dst)
		s.fma(e.more(density), bell, y)
		s.store(y, slope)
	})
	e.end()
}
