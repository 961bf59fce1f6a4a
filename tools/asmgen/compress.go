package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gamma is by how much the counter of SplitMix64 grows; multiples of it wrap around.
var gamma uint64 = 0x9e3779b97f4a7c15

// Places in the table of compressions. It begins with the multiples of gamma from 0 to 8.
const (
	absolute = 9 + iota // all bits but the sign
	unit                // of draws: 2²⁰, whose last digit is 2⁻³²
	first               // factors of SplitMix64, each with its upper half in the lower one
	_
	second
)

// A compressor writes kernels that read the table of compressions.
type compressor struct {
	machine
	table op.Mem
}

// compressions emits what compressors are made of. Lengths are multiples of 16, those of marks of
// 64.
func compressions(c *build.Context) {
	table := c.StaticGlobal("compressions")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	numbers := make([]uint64, 9, 15)
	for k := range numbers {
		numbers[k] = uint64(k) * gamma
	}
	const one, two = 0xbf58476d1ce4e5b9, 0x94d049bb133111eb
	numbers = append(numbers, 1<<63-1, math.Float64bits(1<<20), one, one>>32, two, two>>32)
	for k, x := range numbers {
		c.AddDatum(8*k, op.U64(x))
	}
	for _, wide := range []bool{true, false} {
		m := compressor{machine{Context: c, double: true, wide: wide}, table}
		m.dither()
		m.marks()
	}
}

// all returns a register with a number of the table in all lanes.
func (m compressor) all(k int) reg.VecVirtual { return m.broadcast(m.table.Offset(8 * k)) }

// and sets dst = a AND b.
func (m machine) and(a, b, dst op.Op) {
	if m.wide {
		m.VPANDQ(a, b, dst)
	} else {
		m.VPAND(a, b, dst)
	}
}

// or sets dst = a OR b.
func (m machine) or(a, b, dst op.Op) {
	if m.wide {
		m.VPORQ(a, b, dst)
	} else {
		m.VPOR(a, b, dst)
	}
}

// xor sets dst = a XOR b.
func (m machine) xor(a, b, dst op.Op) {
	if m.wide {
		m.VPXORQ(a, b, dst)
	} else {
		m.VPXOR(a, b, dst)
	}
}

// mix sets z ← z ^ z>>shift.
func (m machine) mix(shift uint8, z reg.VecVirtual) {
	t := m.register()
	m.VPSRLQ(op.U8(shift), z, t)
	m.xor(t, z, z)
}

// A factor is what whole numbers of 64 bits are multiplied by.
type factor struct{ all, high reg.VecVirtual }

// factor spreads a factor of the table.
func (m compressor) factor(k int) (f factor) {
	f.all = m.all(k)
	if !m.wide {
		f.high = m.all(k + 1)
	}
	return f
}

// times sets z ← z·f, of whole numbers of 64 bits. AVX2 has products of 32 by 32 bits only.
func (m machine) times(f factor, z reg.VecVirtual) {
	if m.wide {
		m.VPMULLQ(f.all, z, z)
		return
	}
	a, b := m.register(), m.register()
	m.VPMULUDQ(f.high, z, a)
	m.VPSRLQ(op.U8(32), z, b)
	m.VPMULUDQ(f.all, b, b)
	m.VPADDQ(a, b, b)
	m.VPSLLQ(op.U8(32), b, b)
	m.VPMULUDQ(f.all, z, z)
	m.VPADDQ(b, z, z)
}

// A ditherer is what dither needs in registers.
type ditherer struct {
	machine
	absolute, unit, inverse, most, step reg.VecVirtual
}

// dither rounds numbers to whole ones at random. A register of draws is enough for two of numbers.
func (m compressor) dither() {
	m.begin("dither", "func(dst, x, grid []T, counter uint64)",
		"rounds x at random; grid is the inverse, the most and the step.")
	dst, x, grid := m.slice("dst"), m.slice("x"), m.numbers("grid", 3)
	n, low, counter := m.length("dst"), m.XMM(), m.register()
	m.VMOVQ(m.integer("counter"), low)
	m.VPBROADCASTQ(low, counter)
	m.VPADDQ(m.table, counter, counter)
	step := m.all(m.bytes() / 8)
	one, two := m.factor(first), m.factor(second)
	d := ditherer{m.machine, m.all(absolute), m.all(unit), grid[0], grid[1], grid[2]}
	index := m.GP64()
	m.XORQ(index, index)
	m.Label("whole")
	m.CMPQ(index, n)
	m.JGE(op.LabelRef("done"))
	z := m.register()
	m.move(counter, z)
	m.VPADDQ(step, counter, counter)
	m.mix(30, z)
	m.times(one, z)
	m.mix(27, z)
	m.times(two, z)
	m.mix(31, z)
	m.PREFETCHT0(op.Mem{Base: x, Index: index, Scale: 8, Disp: 4096}) // the next bucket
	if m.wide {
		m.PREFETCHT0(op.Mem{Base: x, Index: index, Scale: 8, Disp: 4096 + 64})
	}
	lower, upper := m.halved(z)
	for k, u := range []reg.VecVirtual{lower, upper} {
		at := func(base reg.Register) op.Mem {
			return op.Mem{Base: base, Index: index, Scale: 8, Disp: k * m.bytes()}
		}
		d.round(at(x), u)
		m.move(u, at(dst))
	}
	m.ADDQ(op.U8(2*m.bytes()/8), index)
	m.JMP(op.LabelRef("whole"))
	m.Label("done")
	m.end()
}

// halved returns the halves of all lanes, in the order of memory, each in 64 bits.
func (m machine) halved(z reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = m.register(), m.register()
	half := m.half()
	if m.wide {
		m.VPMOVZXDQ(z.AsY(), low)
		m.VEXTRACTI64X4(op.U8(1), z, half)
	} else {
		m.VPMOVZXDQ(z.AsX(), low)
		m.VEXTRACTI128(op.U8(1), z, half)
	}
	m.VPMOVZXDQ(half, high)
	return low, high
}

// round replaces draws of 32 bits by what becomes of numbers. A draw u is 2²⁰ + u·2⁻³² − 2²⁰,
// exactly.
func (d ditherer) round(from op.Mem, u reg.VecVirtual) {
	const truncate = 11 // without raising an exception
	x, size := d.register(), d.register()
	d.or(d.unit, u, u)
	d.sub(u, d.unit, u)
	d.move(from, x)
	d.and(d.absolute, x, size)
	d.xor(size, x, x) // the sign
	d.fma(d.inverse, size, u)
	d.min(u, d.most, u)
	if d.wide {
		d.VRNDSCALEPD(op.U8(truncate), u, u)
	} else {
		d.VROUNDPD(op.U8(truncate), u, u)
	}
	d.or(x, u, u)
	d.VFMADD213PD(d.zeros(1)[0], d.step, u) // u·step + 0, which is never −0
}

// marks says of numbers whether they are large.
func (m compressor) marks() {
	m.begin("marks", "func(mask []uint64, x []T, floor T)",
		"sets a bit for each of x whose absolute value is not below floor.")
	mask, x, floor := m.slice("mask"), m.slice("x"), m.spread("floor")
	n, sizes := m.length("mask"), m.all(absolute)
	m.SHLQ(op.U8(3), n) // bytes, of eight numbers each
	m.ADDQ(mask, n)
	m.Label("whole")
	m.CMPQ(mask, n)
	m.JGE(op.LabelRef("done"))
	m.PREFETCHT0(op.Mem{Base: x, Disp: 2048})
	m.marksOf(x, floor, sizes, op.Mem{Base: mask})
	m.ADDQ(op.U8(64), x)
	m.INCQ(mask)
	m.JMP(op.LabelRef("whole"))
	m.Label("done")
	m.end()
}

// marksOf sets a byte of a mask by eight numbers.
func (m machine) marksOf(x reg.Register, floor, sizes reg.VecVirtual, to op.Mem) {
	const notLess = 21 // or unordered, quiet
	if m.wide {
		size, mask := m.register(), m.K()
		m.and(op.Mem{Base: x}, sizes, size)
		m.VCMPPD(op.U8(notLess), floor, size, mask)
		m.KMOVB(mask, to)
		return
	}
	var bits [2]reg.GPVirtual
	for h := range bits {
		size := m.register()
		bits[h] = m.GP32()
		m.and(op.Mem{Base: x, Disp: 32 * h}, sizes, size)
		m.VCMPPD(op.U8(notLess), floor, size, size)
		m.VMOVMSKPD(size, bits[h])
	}
	m.SHLL(op.U8(4), bits[1])
	m.ORL(bits[0], bits[1])
	m.MOVB(bits[1].As8(), to)
}
