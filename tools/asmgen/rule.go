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
		m.network()
		m.between()
		m.signs()
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

// network orders rows of columns, pair by pair, eight columns at a time: the rows of these fit
// into the first-level cache, from which they are read and to which they are written.
func (m machine) network() {
	m.begin("network", "func(room []T, width int, pairs []int32)",
		"exchanges the rows that begin at bytes pairs[2k] and pairs[2k+1].")
	room, width := m.slice("room"), m.integer("width")
	pairs, end := m.slice("pairs"), m.length("pairs")
	m.LEAQ(op.Mem{Base: pairs, Index: end, Scale: 4}, end)
	m.SHRQ(op.U8(3), width) // groups of eight columns
	next, i, j := m.GP64(), m.GP64(), m.GP64()
	m.Label("columns")
	m.MOVQ(pairs, next)
	m.Label("pair")
	m.MOVLQSX(op.Mem{Base: next}, i)
	m.MOVLQSX(op.Mem{Base: next, Disp: 4}, j)
	for h := range m.halves() {
		x := op.Mem{Base: room, Index: i, Scale: 1, Disp: h * m.bytes()}
		y := op.Mem{Base: room, Index: j, Scale: 1, Disp: h * m.bytes()}
		a, b, low := m.register(), m.register(), m.register()
		m.move(x, a)
		m.move(y, b)
		m.min(b, a, low)
		m.max(a, b, b)
		m.move(low, x)
		m.move(b, y)
	}
	m.ADDQ(op.U8(8), next)
	m.CMPQ(next, end)
	m.JNE(op.LabelRef("pair"))
	m.ADDQ(op.U8(64), room)
	m.DECQ(width)
	m.JNZ(op.LabelRef("columns"))
	m.end()
}

// between adds those numbers that are among the nearest to a center.
func (m machine) between() {
	m.begin("between", "func(sum, below, x, above, c []T)", "adds those of x that are among "+
		"the nearest to c.")
	sum, below, x := m.slice("sum"), m.slice("below"), m.slice("x")
	above, c := m.slice("above"), m.slice("c")
	m.each(m.length("sum"), func(s span) {
		number, center, near, far := s.load(x), s.load(c), s.register(), s.register()
		total := s.load(sum)
		s.sub(center, s.operand(below), near)
		s.sub(number, center, far)
		s.addWhere(near, far, number, total, func() {
			from := s.load(above)
			s.sub(center, number, near)
			s.sub(from, center, far)
		})
		s.store(total, sum)
	})
	m.end()
}

// addWhere adds x to sum where a > b, and after next not a > b.
func (s span) addWhere(a, b, x, sum reg.VecVirtual, next func()) {
	const greater, notGreater = 30, 26 // ordered, and unordered, quiet
	if s.wide {
		first, second := s.K(), s.K()
		s.VCMPPD(op.U8(greater), b, a, first)
		next()
		s.VCMPPD(op.U8(notGreater), b, a, first, second)
		s.VADDPD(x, sum, second, sum)
		return
	}
	first, second := s.register(), s.register()
	s.VCMPPD(op.U8(greater), b, a, first)
	next()
	s.VCMPPD(op.U8(notGreater), b, a, second)
	s.VANDPD(first, second, second)
	s.VANDPD(x, second, second)
	s.add(second, sum, sum)
}

// signs adds weights with the signs of differences.
func (m machine) signs() {
	m.begin("signs", "func(sum []T, weight T, x, c []T)",
		"adds weight·sign(x[i] − c[i]) to sum[i], and of a NaN weight·0.")
	sum, x, c, weight := m.slice("sum"), m.slice("x"), m.slice("c"), m.spread("weight")
	bits, one := m.GP64(), m.XMM()
	m.MOVQ(op.U64(0x3ff0000000000000), bits)
	m.VMOVQ(bits, one)
	ones := m.broadcast(one)
	m.each(m.length("sum"), func(s span) {
		a, b, total := s.load(x), s.load(c), s.load(sum)
		above, below := s.where(a, b, ones), s.where(b, a, ones)
		s.sub(above, below, above)
		s.fma(above, weight, total)
		s.store(total, sum)
	})
	m.end()
}

// where returns x where a > b, and +0 elsewhere.
func (s span) where(a, b, x reg.VecVirtual) reg.VecVirtual {
	const greater = 30 // ordered, quiet
	r := s.register()
	if s.wide {
		mask := s.K()
		s.VCMPPD(op.U8(greater), b, a, mask)
		s.VMOVAPD_Z(x, mask, r)
		return r
	}
	s.VCMPPD(op.U8(greater), b, a, r)
	s.VANDPD(x, r, r)
	return r
}

// gap measures how far two vectors are apart.
func (m machine) gap() {
	m.sum("gap", "returns ‖x − y‖².", func(s span, x, y reg.Register, sum op.Op) {
		a := s.load(x)
		s.sub(a, s.operand(y), a)
		s.fma(a, a, sum)
	})
}
