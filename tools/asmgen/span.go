package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A span is one register's worth of elements at an index that all pointers share.
type span struct {
	machine
	index reg.Register // in bytes
	half  int          // which half of a block
	mask  reg.Register // nil when all elements are there
}

// at returns where the elements of a slice are.
func (s span) at(base reg.Register) op.Mem {
	return op.Mem{Base: base, Index: s.index, Scale: 1, Disp: s.half * s.bytes()}
}

// load reads the elements of a slice; those beyond its end are 0.
func (s span) load(base reg.Register) reg.VecVirtual {
	r := s.register()
	switch {
	case s.mask == nil:
		s.move(s.at(base), r)
	case s.wide:
		either(s.machine, s.VMOVUPS_Z, s.VMOVUPD_Z)(s.at(base), s.mask, r)
	default:
		either(s.machine, s.VMASKMOVPS, s.VMASKMOVPD)(s.at(base), s.mask, r)
	}
	return r
}

// operand returns the elements of a slice, in memory if all are there.
func (s span) operand(base reg.Register) op.Op {
	if s.mask == nil {
		return s.at(base)
	}
	return s.load(base)
}

// store writes the elements of a slice and nothing beyond its end.
func (s span) store(r reg.VecVirtual, base reg.Register) {
	switch {
	case s.mask == nil:
		s.move(r, s.at(base))
	case s.wide:
		either(s.machine, s.VMOVUPS, s.VMOVUPD)(r, s.mask, s.at(base))
	default:
		either(s.machine, s.VMASKMOVPS, s.VMASKMOVPD)(r, s.mask, s.at(base))
	}
}

// spans returns spans side by side, and by how many bytes and elements they step.
func (m machine) spans(registers int) (list []span, step, count op.Constant) {
	index := m.GP64()
	for h := range registers {
		list = append(list, span{machine: m, index: index, half: h})
	}
	step, count = op.U8(registers*m.bytes()), op.U8(registers*m.bytes()/m.size())
	return list, step, count
}

// each emits a loop over n elements, one register at a time, and what is left masked. The
// register n is used up.
func (m machine) each(n reg.Register, body func(s span)) {
	m.loop(n, 1, func(spans []span) { body(spans[0]) })
}

// blocks is each by whole blocks, of one or two registers.
func (m machine) blocks(n reg.Register, body func(halves []span)) { m.loop(n, m.halves(), body) }

func (m machine) loop(n reg.Register, registers int, body func(spans []span)) {
	spans, step, count := m.spans(registers)
	index := spans[0].index
	m.XORQ(index, index)
	m.SUBQ(count, n)
	m.JL(op.LabelRef("rest"))
	m.Label("whole")
	body(spans)
	m.ADDQ(step, index)
	m.SUBQ(count, n)
	m.JGE(op.LabelRef("whole"))
	m.Label("rest")
	m.ADDQ(count, n)
	m.JZ(op.LabelRef("done"))
	m.setMasks(n, m.masks(spans))
	body(spans)
	m.Label("done")
}

// masked is loop with a body that is written once and always masked: for long bodies, where
// that costs little.
func (m machine) masked(n reg.Register, registers int, body func(spans []span)) {
	spans, step, count := m.spans(registers)
	index, masks := spans[0].index, m.masks(spans)
	for _, mask := range masks {
		if m.wide {
			m.KXNORW(mask, mask, mask)
		} else {
			m.VPCMPEQD(mask, mask, mask)
		}
	}
	m.XORQ(index, index)
	m.SUBQ(count, n)
	m.JL(op.LabelRef("rest"))
	m.Label("whole")
	body(spans)
	m.ADDQ(step, index)
	m.SUBQ(count, n)
	m.JGE(op.LabelRef("whole"))
	m.Label("rest")
	m.ADDQ(count, n)
	m.JLE(op.LabelRef("done"))
	m.setMasks(n, masks)
	m.XORQ(n, n)
	m.JMP(op.LabelRef("whole"))
	m.Label("done")
}

// rows repeats a body so many times, at least once.
func (m machine) rows(count reg.Register, body func()) {
	m.Label("row")
	body()
	m.DECQ(count)
	m.JNZ(op.LabelRef("row"))
}

// masks gives each span a mask, and returns them; on AVX-512 there is one span only.
func (m machine) masks(spans []span) (list []reg.Register) {
	for h := range spans {
		if m.wide {
			spans[h].mask = m.K()
		} else {
			spans[h].mask = m.YMM()
		}
		list = append(list, spans[h].mask)
	}
	return list
}

// setMasks sets masks to the first n elements.
func (m machine) setMasks(n reg.Register, masks []reg.Register) {
	if m.wide {
		bits := m.GP64()
		m.MOVQ(n, reg.RCX)
		m.MOVQ(op.I32(-1), bits)
		m.SHLQ(reg.CL, bits)
		m.NOTQ(bits)
		m.KMOVW(bits.As32(), masks[0])
		return
	}
	table, bytes := m.GP64(), m.GP64()
	m.LEAQ(m.ones, table)
	m.MOVQ(n, bytes)
	m.scaleBytes(bytes)
	m.SUBQ(bytes, table)
	for h, mask := range masks {
		m.VMOVDQU(op.Mem{Base: table, Disp: 64 + 32*h}, mask)
	}
}

// fold adds the lanes of a block by the fixed tree: lane j and lane j + half, until one is
// left, and then 0, so that the sum is never −0. The sum is the lowest lane of the answer.
func (m machine) fold(halves []reg.VecVirtual) reg.Register {
	if !m.wide {
		m.add(halves[1], halves[0], halves[0])
	}
	sum, zero := m.reduce(halves[0], m.add), m.XMM()
	m.VXORPS(zero, zero, zero)
	m.add(zero, sum, sum)
	return sum
}

// reduce combines the lanes of a register by the same tree.
func (m machine) reduce(r reg.VecVirtual, combine func(a, b, dst op.Op)) reg.Register {
	low, high := r.AsY(), m.YMM()
	if m.wide {
		m.VEXTRACTF64X4(op.U8(1), r, high)
		combine(high, low, low)
	}
	x, part := r.AsX(), high.AsX()
	m.VEXTRACTF128(op.U8(1), low, part)
	combine(part, x, x)
	m.VMOVHLPS(x, x, part)
	combine(part, x, x)
	if !m.double {
		m.VMOVSHDUP(x, part)
		combine(part, x, x)
	}
	return x
}
