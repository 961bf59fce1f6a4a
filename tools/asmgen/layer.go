package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layers emits the elementwise work of neural networks.
func layers(c *build.Context) {
	singles(c, func(m machine) {
		m.bias(false)
		m.bias(true)
		m.reluBack()
		m.columns()
	})
	for _, wide := range []bool{true, false} {
		m := machine{Context: c, wide: wide}
		m.maxPool()
		m.maxPoolBack()
		m.meanPool()
		m.meanPoolBack()
	}
}

// bias adds a row to every row.
func (m machine) bias(relu bool) {
	name, does := "bias", "adds bias to every row of y."
	if relu {
		name, does = "biasReLU", "adds bias to every row of y and sets what is negative to 0."
	}
	m.begin(name, "func(y, bias []T, rows int)", does)
	y, bias, rows := m.slice("y"), m.slice("bias"), m.integer("rows")
	cols := m.length("bias")
	zero := m.zeros(1)[0]
	m.rows(rows, func() {
		n := m.GP64()
		m.MOVQ(cols, n)
		m.each(n, func(s span) {
			sum := s.load(y)
			s.add(s.operand(bias), sum, sum)
			if relu {
				s.max(zero, sum, sum)
			}
			s.store(sum, y)
		})
		m.LEAQ(op.Mem{Base: y, Index: cols, Scale: uint8(m.size())}, y)
	})
	m.end()
}

// reluBack passes gradients where the activation is not 0.
func (m machine) reluBack() {
	const notLessEqual = 22 // true for NaN
	m.begin("reluBack", "func(grad, out []T)", "sets grad to 0 where out ≤ 0.")
	grad, out := m.slice("grad"), m.slice("out")
	zero := m.zeros(1)[0]
	m.each(m.length("grad"), func(s span) {
		g, activation := s.load(grad), s.load(out)
		if s.wide {
			on := s.K()
			s.VCMPPS(op.U8(notLessEqual), zero, activation, on)
			s.VMOVAPS_Z(g, on, g)
		} else {
			s.VCMPPS(op.U8(notLessEqual), zero, activation, activation)
			s.VANDPS(activation, g, g)
		}
		s.store(g, grad)
	})
	m.end()
}

// columns adds four rows at a time.
func (m machine) columns() {
	m.begin("columns", "func(dst, a []T, fours int)", "adds four rows of a at a time to dst.")
	dst, cols, fours := m.slice("dst"), m.length("dst"), m.integer("fours")
	r := m.fourRows(m.slice("a"), cols)
	r.addTo(dst, cols, fours, func() sum {
		return func(s span) reg.VecVirtual {
			low, high := s.load(r.row[0]), s.load(r.row[2])
			s.add(s.operand(r.row[1]), low, low)
			s.add(s.operand(r.row[3]), high, high)
			s.add(high, low, low)
			return low
		}
	})
}
