package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sinkhorn emits the fused pass of Sinkhorn's algorithm, for AVX-512 and whole registers alone:
// everywhere else it is made of gemv and gemvT, whose order of additions it shares. What bounds
// both is the number of loads, and not their way from the larger caches if that is begun early;
// so four rows are added while the next four are multiplied.
func sinkhorn(c *build.Context) {
	m := machine{Context: c, wide: true, double: true}
	m.begin("sinkhorn", "func(u, ktu, k, v, a []T)",
		"sets u = a ⊘ (k·v), row by row in fours, and adds kᵀ·u to ktu. Rows have whole registers.")
	u, fours, ktu := m.slice("u"), m.length("u"), m.slice("ktu")
	v, a, cols := m.slice("v"), m.slice("a"), m.length("v")
	r, end := m.fourRows(m.slice("k"), cols), m.GP64()
	here, next := span{machine: m, index: m.GP64()}, span{machine: m, index: m.GP64()}
	m.MOVQ(cols, end)
	m.scaleBytes(end)
	m.SHRQ(op.U8(2), fours)
	r.set()
	sums := m.zeros(4)
	multiply := func(s span, x reg.VecVirtual) {
		for k, row := range r.row {
			s.fma(s.at(row), x, sums[k])
		}
	}
	m.XORQ(here.index, here.index)
	here.until("first", end, func() { multiply(here, here.load(v)) })
	m.rows(fours, func() {
		mass := m.YMM()
		m.move(op.Mem{Base: a}, mass)
		m.div(mass, m.foldFour(sums), mass)
		m.move(mass, op.Mem{Base: u})
		var weight [4]op.Op
		for k := range weight {
			weight[k] = m.broadcast(op.Mem{Base: u, Disp: k * m.size()})
		}
		for _, sum := range sums {
			m.clear(sum)
		}
		// After the last rows there are no more: the same once more then, to no effect.
		m.XORQ(here.index, here.index)
		m.LEAQ(op.Mem{Base: end, Index: end, Scale: 1}, next.index)
		m.ADDQ(next.index, next.index)
		m.CMPQ(fours, op.U8(1))
		m.CMOVQEQ(here.index, next.index)
		here.until("add", end, func() {
			multiply(next, here.load(v))
			sum := here.weighted(r.row, weight)
			here.add(here.at(ktu), sum, sum)
			here.store(sum, ktu)
			m.ADDQ(op.U8(m.bytes()), next.index)
		})
		m.ADDQ(op.U8(4*m.size()), a)
		m.ADDQ(op.U8(4*m.size()), u)
		r.next()
		r.set()
	})
	m.end()
}

// until emits a loop over whole registers up to so many bytes.
func (s span) until(label string, end reg.Register, body func()) {
	s.Label(label)
	body()
	s.ADDQ(op.U8(s.bytes()), s.index)
	s.CMPQ(s.index, end)
	s.JLT(op.LabelRef(label))
}
