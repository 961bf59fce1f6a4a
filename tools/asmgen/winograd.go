package main

import (
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// winograd emits the transforms of convolutions by polynomials at six points.
func winograd(c *build.Context) {
	for _, wide := range []bool{true, false} {
		newTransform(machine{Context: c, wide: wide}).emit()
	}
}

// Where the numbers of a transform lie in its argument at, as in transformGeneric.
const (
	lineCount = 8 * iota
	lineWidth
	lineFrom
	lineNextFrom
	lineTo
	lineNextTo
	lineTerms
	lineKind
)

// A side is where one register's worth of vectors lies that are a step apart.
type side struct {
	machine
	base, step, three, five reg.Register
}

// side loads the address of a slice parameter and a step.
func (m machine) side(slice string, at reg.Register, field int) side {
	s := side{m, m.slice(slice), m.GP64(), m.GP64(), m.GP64()}
	m.MOVQ(op.Mem{Base: at, Disp: field}, s.step)
	m.scaleBytes(s.step)
	m.LEAQ(op.Mem{Base: s.step, Index: s.step, Scale: 2}, s.three)
	m.LEAQ(op.Mem{Base: s.step, Index: s.step, Scale: 4}, s.five)
	return s
}

// vector returns where vector k lies.
func (s side) vector(k int) op.Mem {
	switch k {
	case 0:
		return op.Mem{Base: s.base}
	case 3:
		return op.Mem{Base: s.base, Index: s.three, Scale: 1}
	case 5:
		return op.Mem{Base: s.base, Index: s.five, Scale: 1}
	}
	return op.Mem{Base: s.base, Index: s.step, Scale: uint8(k)}
}

// load reads vector k.
func (s side) load(k int) reg.VecVirtual {
	r := s.register()
	s.move(s.vector(k), r)
	return r
}

// A transform turns vectors into others, by numbers of a table.
type transform struct {
	machine
	from, to side
	at       reg.Register // the geometry
	table    reg.Register
	kept     []reg.VecVirtual // numbers that there are registers for
}

// The table holds the powers of one point, those of the other, and the numbers of Q.
const (
	powers    = 4
	quotients = 2 * powers
	shares    = 3 // of a pair of points in Q
	numbers   = quotients + 10
)

// newTransform begins the function.
func newTransform(m machine) *transform {
	m.begin("transform", "func(dst, src, c []T, at []int)", "does a transform of vectors.")
	t := &transform{machine: m, at: m.slice("at"), table: m.slice("c")}
	t.from = m.side("src", t.at, lineFrom)
	t.to = m.side("dst", t.at, lineTo)
	for k := range numbers {
		if m.wide {
			t.kept = append(t.kept, t.spreadNumber(k))
		}
	}
	return t
}

// spreadNumber reads number k of the table.
func (t *transform) spreadNumber(k int) reg.VecVirtual {
	return t.broadcast(op.Mem{Base: t.table, Disp: k * t.size()})
}

// number returns a register with number k of the table in all lanes.
func (t *transform) number(k int) reg.VecVirtual {
	if t.wide {
		return t.kept[k]
	}
	return t.spreadNumber(k)
}

// times returns number k times x.
func (t *transform) times(k int, x reg.VecVirtual) reg.VecVirtual {
	r := t.register()
	t.mul(t.number(k), x, r)
	return r
}

// plus returns x plus number k times y.
func (t *transform) plus(x reg.VecVirtual, k int, y reg.VecVirtual) reg.VecVirtual {
	r := t.register()
	t.VMOVAPS(x, r)
	t.fma(t.number(k), y, r)
	return r
}

// put writes vector k.
func (t *transform) put(k int, x reg.VecVirtual) { t.move(x, t.to.vector(k)) }

// putBoth writes e + o and e − o.
func (t *transform) putBoth(k int, e, o reg.VecVirtual) {
	sum := t.register()
	t.add(o, e, sum)
	t.put(k, sum)
	t.sub(e, o, e)
	t.put(k+1, e)
}

// lines emits a loop over lines, register by register. A vector fills at least one register;
// the last may overlap the one before.
func (t *transform) lines(body func()) {
	left, n := t.GP64(), t.GP64()
	one := op.U8(t.bytes() / t.size())
	t.MOVQ(op.Mem{Base: t.at, Disp: lineCount}, left)
	t.Label("line")
	t.MOVQ(op.Mem{Base: t.at, Disp: lineWidth}, n)
	t.Label("whole")
	body()
	t.advance(op.U8(t.bytes()))
	t.SUBQ(one, n)
	t.CMPQ(n, one)
	t.JGE(op.LabelRef("whole"))
	t.CMPQ(n, op.U8(0))
	t.JE(op.LabelRef("next"))
	for _, s := range []side{t.from, t.to} {
		t.LEAQ(op.Mem{Base: s.base, Index: n, Scale: 4, Disp: -t.bytes()}, s.base)
	}
	t.MOVQ(op.I32(t.bytes()/t.size()), n)
	t.JMP(op.LabelRef("whole"))
	t.Label("next")
	t.skip(t.from, lineNextFrom, n)
	t.skip(t.to, lineNextTo, n)
	t.DECQ(left)
	t.JNZ(op.LabelRef("line"))
	t.end()
}

// advance moves both sides on by so many bytes.
func (t *transform) advance(bytes op.Constant) {
	t.ADDQ(bytes, t.from.base)
	t.ADDQ(bytes, t.to.base)
}

// skip moves a side from the end of a line to the beginning of the next.
func (t *transform) skip(s side, field int, free reg.Register) {
	t.MOVQ(op.Mem{Base: t.at, Disp: field}, free)
	t.SUBQ(op.Mem{Base: t.at, Disp: lineWidth}, free)
	t.LEAQ(op.Mem{Base: s.base, Index: free, Scale: 4}, s.base)
}

// last returns the offset of the last term of a polynomial on a side.
func (t *transform) last(s side) reg.Register {
	terms := t.GP64()
	t.MOVQ(op.Mem{Base: t.at, Disp: lineTerms}, terms)
	t.DECQ(terms)
	t.IMULQ(s.step, terms)
	return terms
}

// emit writes the function: a loop with a body for each kind of transform.
func (t *transform) emit() {
	atTop := op.Mem{Base: t.from.base, Index: t.last(t.from), Scale: 1}
	toTop := op.Mem{Base: t.to.base, Index: t.last(t.to), Scale: 1}
	t.lines(func() {
		for k, label := range []string{"points", "pointsT", "windows"} {
			t.CMPQ(op.Mem{Base: t.at, Disp: lineKind}, op.U8(k))
			t.JE(op.LabelRef(label))
		}
		t.windowsT()
		t.JMP(op.LabelRef("joined"))
		t.Label("points")
		t.points(atTop)
		t.JMP(op.LabelRef("joined"))
		t.Label("pointsT")
		t.pointsT(toTop)
		t.JMP(op.LabelRef("joined"))
		t.Label("windows")
		t.windows()
		t.Label("joined")
	})
}

// points evaluates polynomials.
func (t *transform) points(top op.Mem) {
	x := t.zeros(5)
	for k := range x {
		if k >= 2 {
			t.CMPQ(op.Mem{Base: t.at, Disp: lineTerms}, op.U8(k))
			t.JLE(op.LabelRef("known"))
		}
		t.move(t.from.vector(k), x[k])
	}
	t.Label("known")
	t.put(0, x[0])
	for pair := range 2 {
		c := powers * pair
		even := t.plus(t.plus(x[0], c+1, x[2]), c+3, x[4])
		odd := t.times(c, x[1])
		t.fma(t.number(c+2), x[3], odd)
		t.putBoth(2*pair+1, even, odd)
	}
	y := t.register()
	t.move(top, y)
	t.put(5, y)
}

// pairs reads the values at the points and their opposites, and returns their sums and
// differences.
func (t *transform) pairs() (sums, differences [2]reg.VecVirtual) {
	for pair := range sums {
		x, y := t.from.load(2*pair+1), t.from.load(2*pair+2)
		sums[pair], differences[pair] = t.register(), t.register()
		t.add(x, y, sums[pair])
		t.sub(x, y, differences[pair])
	}
	return sums, differences
}

// pointsT does the transpose of points.
func (t *transform) pointsT(top op.Mem) {
	sums, differences := t.pairs()
	y := t.from.load(0)
	for _, s := range sums {
		t.add(s, y, y)
	}
	t.put(0, y)
	for k := 1; k < 5; k++ {
		s := sums
		if k%2 == 1 {
			s = differences
		}
		t.mul(t.number(k-1), s[0], y)
		t.fma(t.number(powers+k-1), s[1], y)
		t.put(k, y)
		t.CMPQ(op.Mem{Base: t.at, Disp: lineTerms}, op.U8(k+1))
		t.JE(op.LabelRef("top"))
	}
	t.Label("top")
	t.add(t.from.vector(5), y, y)
	t.move(y, top)
}

// windows multiplies by Q.
func (t *transform) windows() {
	var x [6]reg.VecVirtual
	for k := range x {
		x[k] = t.from.load(k)
	}
	const c = quotients
	t.put(0, t.plus(t.plus(x[0], c, x[2]), c+1, x[4]))
	for pair := range 2 {
		c := c + 2 + shares*pair
		even, odd := t.plus(x[4], c, x[2]), t.plus(x[3], c, x[1])
		t.putBoth(2*pair+1, t.times(c+1, even), t.times(c+2, odd))
	}
	y := t.plus(x[5], c+8, x[3])
	t.fma(t.number(c+9), x[1], y)
	t.put(5, y)
}

// windowsT adds the transpose of windows.
func (t *transform) windowsT() {
	const c = quotients
	even, odd := t.pairs()
	for pair := range 2 {
		t.mul(t.number(c+3+shares*pair), even[pair], even[pair])
		t.mul(t.number(c+4+shares*pair), odd[pair], odd[pair])
	}
	zero, top := t.from.load(0), t.from.load(5)
	t.more(2, c, zero, even, true)
	t.more(4, c+1, zero, even, false)
	t.more(1, c+9, top, odd, true)
	t.more(3, c+8, top, odd, false)
	t.add(t.to.vector(0), zero, zero)
	t.put(0, zero)
	t.add(t.to.vector(5), top, top)
	t.put(5, top)
}

// more adds number c times x to vector k, and the terms of two points: multiplied by the
// squares of each other's if crossed.
func (t *transform) more(k, c int, x reg.VecVirtual, terms [2]reg.VecVirtual, crossed bool) {
	y := t.to.load(k)
	t.fma(t.number(c), x, y)
	for pair, term := range terms {
		if crossed {
			t.fma(t.number(quotients+2+shares*pair), term, y)
		} else {
			t.add(term, y, y)
		}
	}
	t.put(k, y)
}
