package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layers emits the elementwise work of neural networks.
func layers(c *build.Context) {
	singles(c, func(m machine) {
		m.bias()
		m.reluBack()
		m.columns()
		m.affine()
		m.moments()
		m.blend()
		m.rowMoments()
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
func (m machine) bias() {
	m.begin("bias", "func(y, bias []T, rows int, floor T)",
		"adds bias to every row of y, and makes it at least floor.")
	y, bias, rows := m.slice("y"), m.slice("bias"), m.integer("rows")
	cols, floor := m.length("bias"), m.spread("floor")
	m.rows(rows, func() {
		n := m.GP64()
		m.MOVQ(cols, n)
		m.each(n, func(s span) {
			sum := s.load(y)
			s.add(s.operand(bias), sum, sum)
			s.max(floor, sum, sum)
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

// affine multiplies every row by a row and adds another, or a matrix. Rows fill registers.
func (m machine) affine() {
	m.begin("affine", "func(dst, x, a, z []T, at []int)",
		"sets rows of dst to a∘x + z; at is as in affineGeneric.")
	dst, x, z, at := m.slice("dst"), m.slice("x"), m.slice("z"), m.slice("at")
	a, cols, rows, step := m.slice("a"), m.length("a"), m.GP64(), m.GP64()
	m.MOVQ(op.Mem{Base: at}, rows)
	m.MOVQ(op.Mem{Base: at, Disp: 8}, step)
	floor := m.broadcast(op.Mem{Base: at, Disp: 16})
	m.scaleBytes(cols)
	m.IMULQ(cols, step)
	s := span{machine: m, index: m.GP64()}
	m.rows(rows, func() {
		m.XORQ(s.index, s.index)
		m.Label("whole")
		sum := s.load(z)
		s.fma(s.at(x), s.load(a), sum)
		s.max(floor, sum, sum)
		s.store(sum, dst)
		m.ADDQ(op.U8(m.bytes()), s.index)
		m.CMPQ(s.index, cols)
		m.JL(op.LabelRef("whole"))
		m.ADDQ(cols, x)
		m.ADDQ(cols, dst)
		m.ADDQ(step, z)
	})
	m.end()
}

// moments adds up rows in double precision, a line of a cache after another. Rows are whole
// lines.
func (m machine) moments() {
	m.begin("moments", "func(sum, dot []float64, x, y []T, rows int)",
		"sets sum to Σ x and dot to Σ x·y, by column.")
	sum, dot, x, y := m.slice("sum"), m.slice("dot"), m.slice("x"), m.slice("y")
	cols, rows := m.length("sum"), m.integer("rows")
	double := m
	double.double = true
	step, n, index := m.length("sum"), m.GP64(), m.GP64()
	parts := 128 / m.bytes()
	m.Label("line")
	sums, dots := double.zeros(parts), double.zeros(parts)
	m.MOVQ(rows, n)
	m.XORQ(index, index)
	m.rows(n, func() {
		for k := range parts {
			a, b := double.register(), double.register()
			m.VCVTPS2PD(op.Mem{Base: x, Index: index, Scale: 4, Disp: k * m.bytes() / 2}, a)
			m.VCVTPS2PD(op.Mem{Base: y, Index: index, Scale: 4, Disp: k * m.bytes() / 2}, b)
			double.add(a, sums[k], sums[k])
			double.fma(a, b, dots[k])
		}
		m.ADDQ(step, index)
	})
	for k := range parts {
		double.move(sums[k], op.Mem{Base: sum, Disp: k * m.bytes()})
		double.move(dots[k], op.Mem{Base: dot, Disp: k * m.bytes()})
	}
	for _, side := range []reg.Register{x, y} {
		m.ADDQ(op.U8(64), side)
	}
	for _, side := range []reg.Register{sum, dot} {
		m.SUBQ(op.I8(-128), side)
	}
	m.SUBQ(op.U8(16), cols)
	m.JNZ(op.LabelRef("line"))
	m.end()
}
