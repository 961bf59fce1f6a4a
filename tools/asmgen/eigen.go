package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
)

// eigen emits what eigenvalues take and no other family has, on whole blocks of float64.
func eigen(c *build.Context) {
	machine{Context: c, double: true, wide: true}.secular()
	machine{Context: c, double: true}.secular()
}

// secular sums the terms of a secular equation, at least one block of them.
func (m machine) secular() {
	m.begin("secular", "func(sums, delta, d, z, at []T)",
		"sets delta and sums as Secular does; at is the origin, and τ from there.")
	sums, delta, d, z := m.slice("sums"), m.slice("delta"), m.slice("d"), m.slice("z")
	n, at := m.length("delta"), m.slice("at")
	origin, tau := m.broadcast(op.Mem{Base: at}), m.broadcast(op.Mem{Base: at, Disp: m.size()})
	h, zero := m.halves(), m.zeros(1)[0]
	acc := m.zeros(4 * h) // below, slope below, above, slope above
	blocks, step, _ := m.spans(h)
	m.XORQ(blocks[0].index, blocks[0].index)
	m.SHRQ(op.U8(3), n)
	m.rows(n, func() {
		for k, s := range blocks {
			gap, weight, ratio := s.load(d), s.load(z), m.register()
			m.sub(gap, origin, gap)
			m.sub(gap, tau, gap)
			s.store(gap, delta)
			m.div(weight, gap, ratio)
			for side, part := range []func(a, b, dst op.Op){m.min, m.max} {
				part(ratio, zero, gap)
				m.fma(gap, weight, acc[2*side*h+k])
				m.fma(gap, gap, acc[(2*side+1)*h+k])
			}
		}
		m.ADDQ(step, blocks[0].index)
	})
	m.move(m.foldFour(acc), op.Mem{Base: sums})
	m.end()
}
