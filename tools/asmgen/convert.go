package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// conversions emits what goes between float64 and float32, and from bytes to float32. Lengths are
// multiples of 8, of bytes of 16.
func conversions(c *build.Context) {
	for _, wide := range []bool{true, false} {
		m := machine{Context: c, double: true, wide: wide}
		m.narrow()
		m.narrowSum()
		m.moved()
		machine{Context: c, wide: wide}.quotients()
	}
}

// quotients divides bytes.
func (m machine) quotients() {
	m.begin("quotients", "func(dst []T, x []uint8, by T)", "sets dst to x divided by a number.")
	dst, x, by := m.slice("dst"), m.slice("x"), m.spread("by")
	n, index, step := m.length("dst"), m.GP64(), m.bytes()/m.size()
	m.XORQ(index, index)
	m.Label("whole")
	m.CMPQ(index, n)
	m.JGE(op.LabelRef("done"))
	r := m.register()
	m.VPMOVZXBD(op.Mem{Base: x, Index: index, Scale: 1}, r)
	m.VCVTDQ2PS(r, r)
	m.div(r, by, r)
	m.move(r, op.Mem{Base: dst, Index: index, Scale: 4})
	m.ADDQ(op.U8(step), index)
	m.JMP(op.LabelRef("whole"))
	m.Label("done")
	m.end()
}

// narrow rounds a vector to float32.
func (m machine) narrow() {
	m.begin("narrow", "func(dst []float32, x []T)", "rounds x to float32.")
	dst, x := m.slice("dst"), m.slice("x")
	m.eights(m.length("dst"), func(at func(reg.Register) op.Mem, half func(reg.Register) op.Mem) {
		single := m.half()
		m.roundTo(single, at(x))
		m.VMOVUPS(single, half(dst))
	})
	m.end()
}

// narrowSum rounds a sum of two vectors to float32.
func (m machine) narrowSum() {
	m.begin("narrowSum", "func(dst []float32, x []T, alpha T, y []T)",
		"rounds x + alpha·y to float32.")
	dst, x, alpha, y := m.slice("dst"), m.slice("x"), m.spread("alpha"), m.slice("y")
	m.eights(m.length("dst"), func(at func(reg.Register) op.Mem, half func(reg.Register) op.Mem) {
		single, sum := m.half(), m.register()
		m.move(at(x), sum)
		m.fma(at(y), alpha, sum)
		m.roundTo(single, sum)
		m.VMOVUPS(single, half(dst))
	})
	m.end()
}

// moved adds to a vector by how much a copy of it that was rounded to float32 has moved.
func (m machine) moved() {
	m.begin("moved", "func(x []T, now []float32)", "adds now − float32(x) to x.")
	x, now := m.slice("x"), m.slice("now")
	m.eights(m.length("x"), func(at func(reg.Register) op.Mem, half func(reg.Register) op.Mem) {
		single, before, after := m.half(), m.register(), m.register()
		m.roundTo(single, at(x))
		m.VCVTPS2PD(single, before)
		m.VCVTPS2PD(half(now), after)
		m.sub(after, before, after)
		m.add(at(x), after, after)
		m.move(after, at(x))
	})
	m.end()
}

// half returns a fresh register for the float32 of a register of float64.
func (m machine) half() reg.VecVirtual {
	if m.wide {
		return m.YMM()
	}
	return m.XMM()
}

// roundTo rounds a register's worth of float64, in memory or in a register, to float32.
func (m machine) roundTo(single reg.VecVirtual, from op.Op) {
	if m.wide {
		m.VCVTPD2PS(from, single)
	} else {
		m.VCVTPD2PSY(from, single)
	}
}

// eights emits a loop over n elements, a register of float64 at a time. What it calls gets
// the places of those float64 and of as many float32.
func (m machine) eights(n reg.Register, body func(at, half func(reg.Register) op.Mem)) {
	index, step := m.GP64(), m.bytes()/8
	m.XORQ(index, index)
	m.Label("whole")
	m.CMPQ(index, n)
	m.JGE(op.LabelRef("done"))
	body(func(base reg.Register) op.Mem { return op.Mem{Base: base, Index: index, Scale: 8} },
		func(base reg.Register) op.Mem { return op.Mem{Base: base, Index: index, Scale: 4} })
	m.ADDQ(op.U8(step), index)
	m.JMP(op.LabelRef("whole"))
	m.Label("done")
}
