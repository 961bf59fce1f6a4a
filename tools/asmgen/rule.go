package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rules emits what rules of aggregation are made of and no other family has, for float64.
func rules(c *build.Context) {
	doubles(c, func(m machine) {
		m.exchange()
		m.gap()
	})
}

// exchange orders pairs of numbers. On a tie the instructions return their second operand,
// and beside a NaN: so these pairs stay.
func (m machine) exchange() {
	m.begin("exchange", "func(x, y []T)", "exchanges x[i] and y[i] where y[i] < x[i].")
	x, y := m.slice("x"), m.slice("y")
	m.each(m.length("x"), func(s span) {
		a, b, low := s.load(x), s.load(y), s.register()
		s.min(b, a, low)
		s.max(a, b, b)
		s.store(low, x)
		s.store(b, y)
	})
	m.end()
}

// gap measures how far two vectors are apart.
func (m machine) gap() {
	m.sum("gap", "returns ‖x − y‖².", func(s span, x, y reg.Register, sum op.Op) {
		a := s.load(x)
		s.sub(a, s.operand(y), a)
		s.fma(a, a, sum)
	})
}
