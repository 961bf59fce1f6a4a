package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exponentials emits eˣ and what softmax needs.
func exponentials(c *build.Context) {
	machines(c, func(m machine) {
		e := m.exponential()
		if m.double { // in float32 only sums are asked for
			e.elements()
		}
		e.peak()
		e.sum()
		if !m.double {
			e.curve()
			e.gelu()
		}
	})
}

// An exponential is a machine and its table of the numbers by which it computes eˣ.
type exponential struct {
	machine
	table  op.Mem
	degree int // of the polynomial
}

// The table begins with these numbers; then come the coefficients of the polynomial.
const (
	lowest = iota // eˣ is 0 below
	highest
	log2e
	ln2High
	ln2Low
	half
	magic // its last bits, after adding n, are those of the exponent of 2ⁿ
	coefficients
)

// exponential declares the table.
func (m machine) exponential() exponential {
	isa := map[bool]string{true: "AVX512", false: "AVX2"}[m.wide]
	e := exponential{machine: m, degree: 7}
	numbers := []float64{-105, 89, math.Log2E, math.Ln2, 0, 0.5, 3<<22 + 127}
	numbers[ln2Low] = math.Ln2 - float64(float32(math.Ln2))
	if m.double {
		e.degree = 13
		numbers = []float64{-746, 710, math.Log2E, math.Ln2, 0, 0.5, 3<<51 + 1023}
		numbers[ln2Low] = 2.3190468138462996e-17
	}
	factorial := 1.0
	for k := range e.degree + 1 {
		factorial *= float64(max(k, 1))
		numbers = append(numbers, 1/factorial)
	}
	if !m.double {
		numbers = append(numbers, activations()...)
	}
	e.table = m.StaticGlobal(fmt.Sprintf("exp%d%s", 8*m.size(), isa))
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	for k, x := range numbers {
		if m.double {
			m.AddDatum(8*k, op.U64(math.Float64bits(x)))
		} else {
			m.AddDatum(4*k, op.U32(math.Float32bits(float32(x))))
		}
	}
	return e
}

// number returns where a number of the table is.
func (e exponential) number(k int) op.Mem { return e.table.Offset(k * e.size()) }

// all returns a register with a number of the table in all lanes.
func (e exponential) all(k int) reg.VecVirtual { return e.broadcast(e.number(k)) }

// exp replaces x by eˣ: with n the integer nearest x/ln 2 and r = x − n·ln 2, it is 2ⁿ times
// the Taylor polynomial of eʳ, whose remainder is below a twentieth of an ulp.
func (e exponential) exp(x reg.VecVirtual) reg.VecVirtual { return e.expFrom(e.all(lowest), x) }

// expFrom is exp of x, or of least where x is less.
func (e exponential) expFrom(least, x reg.VecVirtual) reg.VecVirtual {
	e.max(least, x, x)
	e.min(e.all(highest), x, x)
	n := e.register()
	e.mul(e.all(log2e), x, n)
	e.round(nearest, n, n)
	e.fnma(e.all(ln2High), n, x)
	e.fnma(e.all(ln2Low), n, x)
	y := e.all(coefficients + e.degree)
	for k := e.degree - 1; k >= 0; k-- {
		e.horner(k, x, y)
	}
	e.exponent(n, y)
	return y
}

// How to round to an integer, without raising an exception.
const (
	nearest = 8
	down    = 9
)

func (e exponential) round(how uint8, x, dst reg.VecVirtual) {
	if e.wide {
		either(e.machine, e.VRNDSCALEPS, e.VRNDSCALEPD)(op.U8(how), x, dst)
	} else {
		either(e.machine, e.VROUNDPS, e.VROUNDPD)(op.U8(how), x, dst)
	}
}

// horner sets y = y·x + coefficient k.
func (e exponential) horner(k int, x, y reg.VecVirtual) {
	if e.wide {
		at := e.number(coefficients + k)
		either(e.machine, e.VFMADD213PS_BCST, e.VFMADD213PD_BCST)(at, x, y)
		return
	}
	either(e.machine, e.VFMADD213PS, e.VFMADD213PD)(e.all(coefficients+k), x, y)
}

// exponent multiplies y by 2ⁿ, rounding once. On AVX2 it does so in two steps, since 2ⁿ may
// be no normal number.
func (e exponential) exponent(n, y reg.VecVirtual) {
	if e.wide {
		either(e.machine, e.VSCALEFPS, e.VSCALEFPD)(n, y, y)
		return
	}
	first, magic := e.register(), e.all(magic)
	e.mul(e.all(half), n, first)
	e.round(down, first, first)
	e.sub(n, first, n)
	for _, part := range []reg.VecVirtual{first, n} {
		e.add(magic, part, part)
		if e.double {
			e.VPSLLQ(op.U8(52), part, part)
		} else {
			e.VPSLLD(op.U8(23), part, part)
		}
		e.mul(part, y, y)
	}
}

// elements emits eˣ of a slice.
func (e exponential) elements() {
	e.begin("exp", "func(dst, x []T)", "sets dst to eˣ.")
	dst, x := e.slice("dst"), e.slice("x")
	e.masked(e.length("dst"), 1, func(spans []span) {
		s := spans[0]
		s.store(e.exp(s.load(x)), dst)
	})
	e.end()
}

// peak emits the largest of a slice.
func (e exponential) peak() {
	e.begin("peak", "func(x []T) T", "returns the largest number, or −Inf.")
	x, n := e.slice("x"), e.length("x")
	best := e.infinity()
	e.masked(n, 1, func(spans []span) {
		s := spans[0]
		v := s.load(x)
		if s.wide {
			either(s.machine, s.VMAXPS, s.VMAXPD)(best, v, s.mask, best)
			return
		}
		either(s.machine, s.VBLENDVPS, s.VBLENDVPD)(s.mask, v, best, v)
		s.max(v, best, best)
	})
	e.endWith(e.reduce(best, e.max))
}

// infinity returns −Inf in all lanes.
func (e exponential) infinity() reg.VecVirtual {
	if !e.double {
		return e.constant(math.Float32bits(float32(math.Inf(-1))))
	}
	word, low, all := e.GP64(), e.XMM(), e.register()
	e.MOVQ(op.U64(math.Float64bits(math.Inf(-1))), word)
	e.VMOVQ(word, low)
	e.VPBROADCASTQ(low, all)
	return all
}

// sum emits e^(x − shift) of a slice, and adds them up.
func (e exponential) sum() {
	e.begin("expSum", "func(dst, x []T, shift T) T",
		"sets dst to e^(x − shift) and returns its sum.")
	dst, x, n, shift := e.slice("dst"), e.slice("x"), e.length("dst"), e.spread("shift")
	sums := e.zeros(e.halves())
	e.masked(n, e.halves(), func(halves []span) {
		for h, s := range halves {
			v := s.load(x)
			s.sub(v, shift, v)
			y := e.exp(v)
			if s.wide {
				either(s.machine, s.VMOVAPS_Z, s.VMOVAPD_Z)(y, s.mask, y)
			} else {
				s.VANDPS(s.mask, y, y)
			}
			s.add(y, sums[h], sums[h])
			s.store(y, dst)
		}
	})
	e.endWith(e.fold(sums))
}
