package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A body is the part of a tile kernel for one number of rows and of vectors per row.
type body struct {
	*tile
	rows, vectors int
	masked        bool // the last vector of a row may lack columns
}

// register returns vector i of the machine.
func (b *body) register(i int) reg.Register {
	if b.masks {
		return zmm(i)
	}
	return ymm(i)
}

// sum returns the register of vector v of row i of C.
func (b *body) sum(i, v int) reg.Register { return b.register(i*b.vectors + v) }

// right returns the register of vector v of a row of B.
func (b *body) right(v int) reg.Register {
	if b.masks {
		return b.register(28 + v)
	}
	return b.register(12 + v)
}

// left returns the register of an element of A.
func (b *body) left(row int) reg.Register {
	if b.masks {
		return b.register(30 + row%2)
	}
	return b.register(14)
}

// emit writes the loop over k and the ways to write C.
func (b *body) emit() {
	name := func(what string) string { return label(what, b.vectors, b.rows) }
	b.Label(name("rows"))
	if b.mixed() {
		b.TESTQ(op.U32(uint32(b.lanes-1)), op.Mem{Base: args, Disp: fieldCols})
		b.JNE(op.LabelRef(name("partial")))
	}
	b.loop(name("loop"))
	if b.mixed() {
		b.JMP(op.LabelRef(name("done")))
		b.masked = true
		b.loop(name("partial"))
		b.Label(name("done"))
	}
	if b.rows > 4 {
		b.LEAQ(op.Mem{Base: c0, Index: rowC, Scale: 4}, a4)
	}
	if b.rows > 8 {
		b.LEAQ(op.Mem{Base: a4, Index: rowC, Scale: 4}, a8)
	}
	b.CMPQ(op.Mem{Base: args, Disp: fieldAdd}, op.U8(0))
	b.JEQ(op.LabelRef(name("store")))
	b.each(b.add)
	b.Label(name("store"))
	if b.masked && !b.masks {
		// Masked stores are slow on some machines.
		b.TESTQ(op.U32(uint32(b.lanes-1)), op.Mem{Base: args, Disp: fieldCols})
		b.JNE(op.LabelRef(name("part")))
		b.each(func(v int, sum reg.Register, m op.Mem) { b.VMOVUPS(sum, m) })
		b.VZEROUPPER()
		b.RET()
		b.Label(name("part"))
	}
	b.each(b.store)
	b.VZEROUPPER()
	b.RET()
}

// mixed reports whether there is a loop for full tiles and one for others.
func (b *body) mixed() bool { return !b.masks && b.vectors == 2 }

// loop writes the loop over k.
func (b *body) loop(label string) {
	b.Label(label)
	b.step()
	b.DECQ(depth)
	b.JNE(op.LabelRef(label))
}

// step multiplies and adds for one k.
func (b *body) step() {
	for v := range b.vectors {
		b.loadMasked(v, op.Mem{Base: b0, Disp: v * b.lanes * b.size}, b.right(v))
	}
	if b.vectors == 2 {
		// Rows of B that lie far apart, the machine does not fetch ahead by itself.
		for at := 0; at < 2*b.lanes*b.size; at += 64 {
			b.PREFETCHT0(op.Mem{Base: b0, Index: stepB, Scale: 8, Disp: at})
		}
	}
	b.ADDQ(stepB, b0)
	for i := range b.rows {
		m := element(i, a0, rowA, rowA3)
		if b.masks && b.vectors == 1 {
			b.multiplyAdd(m, b.right(0), b.sum(i, 0))
			continue
		}
		if b.double {
			b.VBROADCASTSD(m, b.left(i))
		} else {
			b.VBROADCASTSS(m, b.left(i))
		}
		for v := range b.vectors {
			b.multiplyAdd(b.left(i), b.right(v), b.sum(i, v))
		}
	}
	for i, base := range []reg.Register{a0, a4, a8} {
		if 4*i < b.rows {
			b.ADDQ(stepA, base)
		}
	}
}

// element returns the address of row i: of A in the loop, of C after it.
func element(i int, first, row, row3 reg.GPPhysical) op.Mem {
	base := []reg.GPPhysical{first, a4, a8}[i/4]
	switch i % 4 {
	case 0:
		return op.Mem{Base: base}
	case 3:
		return op.Mem{Base: base, Index: row3, Scale: 1}
	}
	return op.Mem{Base: base, Index: row, Scale: uint8(i % 4)}
}

// each calls f with every sum and its place in C.
func (b *body) each(f func(v int, sum reg.Register, m op.Mem)) {
	for i := range b.rows {
		for v := range b.vectors {
			m := element(i, c0, rowC, rowC3)
			m.Disp = v * b.lanes * b.size
			f(v, b.sum(i, v), m)
		}
	}
}

// partial reports whether vector v of a row may lack columns.
func (b *body) partial(v int) bool { return b.masked && v == b.vectors-1 }

// loadMasked loads vector v of a row, with zeros for the columns that do not exist.
func (b *body) loadMasked(v int, m op.Mem, to reg.Register) {
	switch {
	case !b.partial(v):
		b.VMOVUPS(m, to)
	case b.masks && b.double:
		b.VMOVUPD_Z(m, reg.K1, to)
	case b.masks:
		b.VMOVUPS_Z(m, reg.K1, to)
	case b.double:
		b.VMASKMOVPD(m, ymm(15), to)
	default:
		b.VMASKMOVPS(m, ymm(15), to)
	}
}

// multiplyAdd adds x·y to sum; x is a register, or with masks an element in memory.
func (b *body) multiplyAdd(x op.Op, y, sum reg.Register) {
	_, memory := x.(op.Mem)
	switch {
	case memory && b.double:
		b.VFMADD231PD_BCST(x, y, sum)
	case memory:
		b.VFMADD231PS_BCST(x, y, sum)
	case b.double:
		b.VFMADD231PD(x, y, sum)
	default:
		b.VFMADD231PS(x, y, sum)
	}
}

// add adds what C holds to a sum.
func (b *body) add(v int, sum reg.Register, m op.Mem) {
	var from op.Op = m
	if !b.masks && b.partial(v) {
		b.loadMasked(v, m, b.right(v))
		from = b.right(v)
	}
	switch {
	case b.masks && b.partial(v) && b.double:
		b.VADDPD(from, sum, reg.K1, sum)
	case b.masks && b.partial(v):
		b.VADDPS(from, sum, reg.K1, sum)
	case b.double:
		b.VADDPD(from, sum, sum)
	default:
		b.VADDPS(from, sum, sum)
	}
}

// store writes the columns of a sum that exist.
func (b *body) store(v int, sum reg.Register, m op.Mem) {
	switch {
	case !b.partial(v):
		b.VMOVUPS(sum, m)
	case b.masks && b.double:
		b.VMOVUPD(sum, reg.K1, m)
	case b.masks:
		b.VMOVUPS(sum, reg.K1, m)
	case b.double:
		b.VMASKMOVPD(sum, ymm(15), m)
	default:
		b.VMASKMOVPS(sum, ymm(15), m)
	}
}
