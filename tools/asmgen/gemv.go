package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matrixVector emits the products of a matrix and a vector.
func matrixVector(c *build.Context) {
	doubles(c, func(m machine) {
		m.gemv()
		m.gemvT()
	})
}

// A quartet is four rows of a matrix, and then the next four.
type quartet struct {
	machine
	row    [4]reg.Register
	stride reg.Register
}

// fourRows returns the rows of a matrix whose first is given.
func (m machine) fourRows(first, stride reg.Register) *quartet {
	return &quartet{m, [4]reg.Register{first, m.GP64(), m.GP64(), m.GP64()}, stride}
}

// set finds the other three from the first.
func (r *quartet) set() {
	for k := range 3 {
		r.follow(k, k+1)
	}
}

// next makes the first the one after the last.
func (r *quartet) next() { r.follow(3, 0) }

func (r *quartet) follow(from, to int) {
	after := op.Mem{Base: r.row[from], Index: r.stride, Scale: uint8(r.size())}
	r.LEAQ(after, r.row[to])
}

// A sum emits what adds up the same elements of four rows.
type sum func(s span) reg.VecVirtual

// addTo emits a loop that adds cols elements of four rows to dst, so many times, which is not
// 0. What is left of dst beyond whole registers stays in one, since the store of a masked
// register is slow to be seen by the next load.
func (r *quartet) addTo(dst, cols, times reg.Register, four func() sum) {
	end, left := r.split(cols)
	whole := span{machine: r.machine, index: r.GP64()}
	rest := []span{whole}
	r.setMasks(left, r.masks(rest))
	r.MOVQ(end, whole.index)
	kept := rest[0].load(dst)
	r.rows(times, func() {
		r.set()
		add := four()
		r.XORQ(whole.index, whole.index)
		r.CMPQ(end, op.U8(0))
		r.JE(op.LabelRef("rest"))
		r.Label("whole")
		v := add(whole)
		r.add(whole.at(dst), v, v)
		whole.store(v, dst)
		r.ADDQ(op.U8(r.bytes()), whole.index)
		r.CMPQ(whole.index, end)
		r.JLT(op.LabelRef("whole"))
		r.Label("rest")
		r.CMPQ(left, op.U8(0))
		r.JE(op.LabelRef("next"))
		r.add(add(rest[0]), kept, kept)
		r.Label("next")
		r.next()
	})
	rest[0].store(kept, dst)
	r.end()
}

// split returns the bytes of the whole registers among n elements, and how many elements
// are left.
func (m machine) split(n reg.Register) (whole, left reg.Register) {
	whole, left = m.GP64(), m.GP64()
	m.MOVQ(n, left)
	m.ANDQ(op.U8(m.bytes()/m.size()-1), left)
	m.MOVQ(n, whole)
	m.SUBQ(left, whole)
	m.scaleBytes(whole)
	return whole, left
}

// gemv multiplies four rows at a time with x.
func (m machine) gemv() {
	m.begin("gemv", "func(dst, a []T, stride int, x []T)",
		"sets dst to the products of x and rows of a that are stride apart, four at a time.")
	dst, fours, x, cols := m.slice("dst"), m.length("dst"), m.slice("x"), m.length("x")
	r := m.fourRows(m.slice("a"), m.integer("stride"))
	sums := m.registers(4 * m.halves())
	m.SHRQ(op.U8(2), fours)
	m.rows(fours, func() {
		r.set()
		for _, sum := range sums {
			m.clear(sum)
		}
		n := m.GP64()
		m.MOVQ(cols, n)
		m.blocks(n, func(halves []span) {
			for h, s := range halves {
				v := s.load(x)
				for k, row := range r.row {
					s.fma(s.operand(row), v, sums[k*m.halves()+h])
				}
			}
		})
		m.move(m.foldFour(sums), op.Mem{Base: dst})
		m.ADDQ(op.U8(4*m.size()), dst)
		r.next()
	})
	m.end()
}

// foldFour does fold for four blocks of float64, and returns the four sums.
func (m machine) foldFour(sums []reg.VecVirtual) reg.Register {
	var y [4]reg.Register
	for k := range y {
		first := sums[k*m.halves()]
		y[k] = first.AsY()
		high := reg.Register(m.YMM())
		if m.wide {
			m.VEXTRACTF64X4(op.U8(1), first, high)
		} else {
			high = sums[2*k+1]
		}
		m.add(high, y[k], y[k])
	}
	const lowest, highest = 0x20, 0x31
	for k := range 2 {
		high := m.YMM()
		m.VPERM2F128(op.U8(highest), y[k+2], y[k], high)
		m.VPERM2F128(op.U8(lowest), y[k+2], y[k], y[k])
		m.add(high, y[k], y[k])
	}
	zero := m.YMM()
	m.VHADDPD(y[1], y[0], y[0])
	m.VXORPS(zero, zero, zero)
	m.add(zero, y[0], y[0])
	return y[0]
}

// gemvT adds four weighted rows at a time.
func (m machine) gemvT() {
	m.begin("gemvT", "func(dst, a []T, stride int, x []T)",
		"adds to dst rows of a that are stride apart, each times its number of x, in fours.")
	dst, cols, x, times := m.slice("dst"), m.length("dst"), m.slice("x"), m.length("x")
	r := m.fourRows(m.slice("a"), m.integer("stride"))
	m.SHRQ(op.U8(2), times)
	r.addTo(dst, cols, times, func() sum {
		var weight [4]op.Op
		for k := range weight {
			weight[k] = m.broadcast(op.Mem{Base: x, Disp: k * m.size()})
		}
		m.ADDQ(op.U8(4*m.size()), x)
		return func(s span) reg.VecVirtual { return s.weighted(r.row, weight) }
	})
}
