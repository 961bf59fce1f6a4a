package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors emits what adds and multiplies vectors.
func vectors(c *build.Context) {
	machines(c, func(m machine) {
		if m.double { // in float32 neither is asked for
			m.quad()
			m.dot()
		}
		m.axpy()
		m.scale()
	})
}

// quad adds four vectors, each with its weight.
func (m machine) quad() {
	m.begin("quad", "func(dst, w []T, xs [][]T, from int)",
		"adds Σ w[k]·xs[k][from:] to dst for four k.")
	dst, w, xs, from := m.slice("dst"), m.slice("w"), m.slice("xs"), m.integer("from")
	m.scaleBytes(from)
	var x [4]reg.Register
	var weight [4]op.Op
	for k := range x {
		const header = 24 // bytes of a slice in xs
		pointer := m.GP64()
		m.MOVQ(op.Mem{Base: xs, Disp: header * k}, pointer)
		m.ADDQ(from, pointer)
		x[k], weight[k] = pointer, m.broadcast(op.Mem{Base: w, Disp: m.size() * k})
	}
	m.each(m.length("dst"), func(s span) {
		v := s.weighted(x, weight)
		s.add(s.operand(dst), v, v)
		s.store(v, dst)
	})
	m.end()
}

// weighted returns (w₀x₀ + w₁x₁) + (w₂x₂ + w₃x₃).
func (s span) weighted(x [4]reg.Register, w [4]op.Op) reg.VecVirtual {
	var pair [2]reg.VecVirtual
	for j := range pair {
		pair[j] = s.register()
		s.mul(s.operand(x[2*j]), w[2*j], pair[j])
		s.fma(s.operand(x[2*j+1]), w[2*j+1], pair[j])
	}
	s.add(pair[1], pair[0], pair[0])
	return pair[0]
}

// axpy adds a multiple of a vector.
func (m machine) axpy() {
	m.begin("axpy", "func(dst []T, alpha T, x []T)", "adds alpha·x to dst.")
	dst, x, alpha := m.slice("dst"), m.slice("x"), m.spread("alpha")
	m.each(m.length("dst"), func(s span) {
		sum := s.load(dst)
		s.fma(s.operand(x), alpha, sum)
		s.store(sum, dst)
	})
	m.end()
}

// scale multiplies a vector by a number.
func (m machine) scale() {
	m.begin("scale", "func(dst []T, alpha T)", "multiplies dst by alpha.")
	dst, alpha := m.slice("dst"), m.spread("alpha")
	m.each(m.length("dst"), func(s span) {
		product := s.register()
		s.mul(s.operand(dst), alpha, product)
		s.store(product, dst)
	})
	m.end()
}

// dot multiplies two vectors.
func (m machine) dot() {
	m.sum("dot", "returns ⟨x, y⟩.", func(s span, x, y reg.Register, sum op.Op) {
		a := s.load(x)
		s.fma(s.operand(y), a, sum)
	})
}

// sum emits a function that adds something over two vectors: four blocks at a time, each into
// its own lanes, then the blocks that are left into the first lanes. The term adds that of
// one span.
func (m machine) sum(name, doc string, term func(s span, x, y reg.Register, sum op.Op)) {
	const banks = 4
	m.begin(name, "func(x, y []T) T", doc)
	x, y, n := m.slice("x"), m.slice("y"), m.length("x")
	sums := m.zeros(banks * m.halves())
	index, count := m.GP64(), op.U8(banks*64/m.size())
	m.XORQ(index, index)
	m.SUBQ(count, n)
	m.JL(op.LabelRef("few"))
	m.Label("banks")
	for j, sum := range sums {
		term(span{machine: m, index: index, half: j}, x, y, sum)
	}
	m.ADDQ(op.I32(banks*64), index)
	m.SUBQ(count, n)
	m.JGE(op.LabelRef("banks"))
	m.Label("few")
	m.ADDQ(count, n)
	m.ADDQ(index, x)
	m.ADDQ(index, y)
	m.blocks(n, func(halves []span) {
		for h, s := range halves {
			term(s, x, y, sums[h])
		}
	})
	m.fourBanks(sums)
	m.endWith(m.fold(sums[:m.halves()]))
}

// fourBanks adds the second to the first block, the fourth to the third, and both.
func (m machine) fourBanks(sums []reg.VecVirtual) {
	h := m.halves()
	for j := range h {
		m.add(sums[h+j], sums[j], sums[j])
		m.add(sums[3*h+j], sums[2*h+j], sums[2*h+j])
		m.add(sums[2*h+j], sums[j], sums[j])
	}
}
