package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gates emits the elementwise way back through recurrent layers.
func gates(c *build.Context) {
	singles(c, func(m machine) {
		m.lstmBack()
		m.gruBack()
	})
}

// full is each for n elements that fill registers, at least one.
func (m machine) full(n reg.Register, body func(s span)) {
	spans, step, count := m.spans(1)
	m.XORQ(spans[0].index, spans[0].index)
	m.Label("whole")
	body(spans[0])
	m.ADDQ(step, spans[0].index)
	m.SUBQ(count, n)
	m.JNZ(op.LabelRef("whole"))
}

// parts returns where count parts of n elements each begin that lie side by side.
func (m machine) parts(first, n reg.Register, count int) []reg.Register {
	list := []reg.Register{first}
	for k := 1; k < count; k++ {
		next := m.GP64()
		m.LEAQ(op.Mem{Base: list[k-1], Index: n, Scale: uint8(m.size())}, next)
		list = append(list, next)
	}
	return list
}

// spare returns x(1 − x), and bend returns 1 − x²: the derivatives of sigmoid and tanh at their
// values x.
func (s span) spare(x, one reg.VecVirtual) reg.VecVirtual {
	r := s.register()
	s.sub(one, x, r)
	s.mul(x, r, r)
	return r
}

func (s span) bend(x, one reg.VecVirtual) reg.VecVirtual {
	r := s.register()
	s.mul(x, x, r)
	s.sub(one, r, r)
	return r
}

// lstmBack emits lstmBackGeneric.
func (m machine) lstmBack() {
	m.begin("lstmBack", "func(gates, cell, d, tanh, before []T)",
		"turns gates into their gradients, and cell into that at the cells before.")
	n := m.length("cell")
	gate := m.parts(m.slice("gates"), n, 4)
	cell, d, tanh, before := m.slice("cell"), m.slice("d"), m.slice("tanh"), m.slice("before")
	one := m.constant(math.Float32bits(1))
	m.full(n, func(s span) {
		slope, o, c := s.load(d), s.load(gate[3]), s.load(tanh)
		dc := s.register()
		s.mul(slope, o, dc)
		s.mul(s.bend(c, one), dc, dc)
		s.add(s.at(cell), dc, dc)
		s.mul(slope, c, c)
		s.mul(s.spare(o, one), c, c)
		f, b := s.load(gate[1]), s.register()
		s.mul(s.at(before), dc, b)
		s.mul(s.spare(f, one), b, b)
		s.mul(dc, f, f)
		i, g := s.load(gate[0]), s.load(gate[2])
		in := s.spare(i, one)
		s.mul(dc, i, i)
		s.mul(s.bend(g, one), i, i)
		s.mul(dc, g, g)
		s.mul(g, in, in)
		s.store(in, gate[0])
		s.store(b, gate[1])
		s.store(i, gate[2])
		s.store(c, gate[3])
		s.store(f, cell)
	})
	m.end()
}

// gruBack emits gruBackGeneric.
func (m machine) gruBack() {
	m.begin("gruBack", "func(gates, inner, held, before, d []T)",
		"turns gates and inner into their gradients, and sets held.")
	n := m.length("held")
	gate := m.parts(m.slice("gates"), n, 3)
	inner, held, before, d := m.slice("inner"), m.slice("held"), m.slice("before"), m.slice("d")
	one := m.constant(math.Float32bits(1))
	m.full(n, func(s span) {
		slope, u, state := s.load(d), s.load(gate[1]), s.load(gate[2])
		dn, du := s.register(), s.load(before)
		s.sub(one, u, dn)
		s.mul(slope, dn, dn)
		s.mul(s.bend(state, one), dn, dn)
		s.sub(du, state, du)
		s.mul(slope, du, du)
		s.mul(s.spare(u, one), du, du)
		s.mul(slope, u, u)
		r, q := s.load(gate[0]), s.register()
		s.mul(s.at(inner), dn, q)
		s.mul(s.spare(r, one), q, q)
		s.mul(dn, r, r)
		s.store(q, gate[0])
		s.store(du, gate[1])
		s.store(dn, gate[2])
		s.store(r, inner)
		s.store(u, held)
	})
	m.end()
}
