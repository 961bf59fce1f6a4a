package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// optimizers emits the steps of optimisers, each in one pass over the parameters.
func optimizers(c *build.Context) {
	singles(c, func(m machine) {
		m.momentum(false)
		m.momentum(true)
		m.adam()
		m.pull()
	})
}

// numbers spreads the numbers of a slice.
func (m machine) numbers(slice string, n int) (list []reg.VecVirtual) {
	from := m.slice(slice)
	for k := range n {
		list = append(list, m.broadcast(op.Mem{Base: from, Disp: k * m.size()}))
	}
	return list
}

// momentum emits a step of gradient descent.
func (m machine) momentum(nesterov bool) {
	name := "momentum"
	if nesterov {
		name = "nesterov"
	}
	m.begin(name, "func(w, grad, velocity, c []T)",
		"does a step; c is minus the rate, the momentum, the decay.")
	w, grad, velocity := m.slice("w"), m.slice("grad"), m.slice("velocity")
	c := m.numbers("c", 3)
	m.each(m.length("w"), func(s span) {
		x, g, v := s.load(w), s.load(grad), s.register()
		s.fma(c[2], x, g)
		s.move(g, v)
		s.fma(s.operand(velocity), c[1], v)
		s.store(v, velocity)
		step := v
		if nesterov {
			s.fma(c[1], v, g)
			step = g
		}
		s.fma(c[0], step, x)
		s.store(x, w)
	})
	m.end()
}

// adam emits a step of Adam or AdamW.
func (m machine) adam() {
	m.begin("adam", "func(w, grad, mean, square, c []T)", "does a step; c is as in adamGeneric.")
	w, grad, mean, square := m.slice("w"), m.slice("grad"), m.slice("mean"), m.slice("square")
	c := m.numbers("c", 8)
	m.each(m.length("w"), func(s span) {
		x, g, first, second := s.load(w), s.load(grad), s.load(mean), s.load(square)
		s.fma(c[0], x, g)
		r := s.register()
		s.sub(g, first, r)
		s.fma(c[1], r, first)
		s.mul(second, c[2], second)
		s.mul(g, g, g)
		s.fma(c[3], g, second)
		s.sqrt(second, r)
		s.move(c[5], g)
		s.fma(c[4], r, g)
		s.div(first, g, r)
		s.mul(c[6], x, x)
		s.fma(c[7], r, x)
		// All loads come before all stores: the slices often lie a multiple of 4 KB apart,
		// and a load that looks like a store just made would wait for it.
		s.store(first, mean)
		s.store(second, square)
		s.store(x, w)
	})
	m.end()
}

// pull adds a multiple of how far parameters are from an anchor.
func (m machine) pull() {
	m.begin("pull", "func(dst, w, anchor []T, alpha T)",
		"adds alpha·(w − anchor) to dst, which may be w.")
	dst, w, anchor, alpha := m.slice("dst"), m.slice("w"), m.slice("anchor"), m.spread("alpha")
	m.each(m.length("dst"), func(s span) {
		x, sum := s.load(w), s.load(dst)
		s.sub(x, s.operand(anchor), x)
		s.fma(alpha, x, sum)
		s.store(sum, dst)
	})
	m.end()
}
