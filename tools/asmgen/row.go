package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blend adds multiples of two vectors, and a number.
func (m machine) blend() {
	m.begin("blend", "func(dst, x, y, by []T)", "sets dst to a·x + (b·y + c); by holds a, b, c.")
	dst, x, y, by := m.slice("dst"), m.slice("x"), m.slice("y"), m.slice("by")
	a, b := m.broadcast(op.Mem{Base: by}), m.broadcast(op.Mem{Base: by, Disp: m.size()})
	c := m.broadcast(op.Mem{Base: by, Disp: 2 * m.size()})
	m.each(m.length("dst"), func(s span) {
		sum := s.register()
		s.move(c, sum)
		s.fma(s.operand(y), b, sum)
		s.fma(s.operand(x), a, sum)
		s.store(sum, dst)
	})
	m.end()
}

// rowMoments adds up every row in double precision. Rows are whole lines of a cache, of which each
// has a lane for every element.
func (m machine) rowMoments() {
	m.begin("rowMoments", "func(sum, dot []float64, x, y []T, cols int)",
		"sets sum to Σ x and dot to Σ x·y, by row.")
	sum, dot, x, y := m.slice("sum"), m.slice("dot"), m.slice("x"), m.slice("y")
	rows, cols, index := m.length("sum"), m.integer("cols"), m.GP64()
	double := m
	double.double = true
	parts := 128 / m.bytes()
	m.scaleBytes(cols)
	m.rows(rows, func() {
		sums, dots := double.zeros(parts), double.zeros(parts)
		m.XORQ(index, index)
		m.Label("whole")
		for k := range parts {
			a, b := double.register(), double.register()
			m.VCVTPS2PD(op.Mem{Base: x, Index: index, Scale: 1, Disp: k * m.bytes() / 2}, a)
			m.VCVTPS2PD(op.Mem{Base: y, Index: index, Scale: 1, Disp: k * m.bytes() / 2}, b)
			double.add(a, sums[k], sums[k])
			double.fma(a, b, dots[k])
		}
		m.ADDQ(op.U8(64), index)
		m.CMPQ(index, cols)
		m.JL(op.LabelRef("whole"))
		m.ADDQ(cols, x)
		m.ADDQ(cols, y)
		double.foldTo(sum, sums)
		double.foldTo(dot, dots)
	})
	m.end()
}

// foldTo adds the second of two blocks to the first, writes the sum of its lanes and moves on.
func (m machine) foldTo(to reg.Register, lanes []reg.VecVirtual) {
	half := len(lanes) / 2
	for k := range half {
		m.add(lanes[half+k], lanes[k], lanes[k])
	}
	m.VMOVSD(m.fold(lanes[:half]), op.Mem{Base: to})
	m.ADDQ(op.U8(8), to)
}
