package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine writes kernels for one instruction set and one type of elements.
//
// A block is 64 bytes: 16 float32 or 8 float64, the virtual lanes of every sum. It is one
// register of AVX-512 and two halves on AVX2.
type machine struct {
	*build.Context
	wide   bool   // AVX-512, else AVX2
	double bool   // float64, else float32
	ones   op.Mem // 64 bytes of ones and then 64 of zeros, for the masks of AVX2
}

// machines calls emit for float32 and float64 on AVX-512 and AVX2.
func machines(c *build.Context, emit func(m machine)) {
	singles(c, emit)
	doubles(c, emit)
}

// singles calls emit for float32 on AVX-512 and AVX2.
func singles(c *build.Context, emit func(m machine)) {
	ones := ones(c, "ones32")
	emit(machine{Context: c, ones: ones, wide: true})
	emit(machine{Context: c, ones: ones})
}

// doubles calls emit for float64 on AVX-512 and AVX2.
func doubles(c *build.Context, emit func(m machine)) {
	ones := ones(c, "ones64")
	emit(machine{Context: c, ones: ones, double: true, wide: true})
	emit(machine{Context: c, ones: ones, double: true})
}

// ones declares the table that the masks of AVX2 are read from.
func ones(c *build.Context, name string) op.Mem {
	table := c.StaticGlobal(name)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for at := 0; at < 64; at += 8 {
		c.AddDatum(at, op.U64(1<<64-1))
	}
	c.AddDatum(120, op.U64(0))
	return table
}

// begin starts the function name32AVX2, name64AVX512 and so on. In the signature, T is the
// type of the elements.
func (m machine) begin(name, signature, doc string) {
	bits, isa := 32, "AVX2"
	if m.double {
		bits = 64
	}
	if m.wide {
		isa = "AVX512"
	}
	full := fmt.Sprintf("%s%d%s", name, bits, isa)
	m.Function(full)
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr(strings.ReplaceAll(signature, "T", fmt.Sprintf("float%d", bits)))
	m.Pragma("noescape")
	m.Doc(full + " " + doc)
}

// end returns to Go.
func (m machine) end() {
	m.VZEROUPPER()
	m.RET()
}

// endWith returns to Go with a number. Like spread it does without avo's loads and stores, which
// are instructions of before AVX: after one that wrote the upper half of a register, each of them
// takes hundreds of cycles on some processors.
func (m machine) endWith(x reg.Register) {
	either(m, m.VMOVSS, m.VMOVSD)(x, m.place(m.ReturnIndex(0)))
	m.end()
}

// size returns the bytes of an element.
func (m machine) size() int {
	if m.double {
		return 8
	}
	return 4
}

// bytes returns the size of a register.
func (m machine) bytes() int {
	if m.wide {
		return 64
	}
	return 32
}

// halves returns how many registers make a block.
func (m machine) halves() int { return 64 / m.bytes() }

// register returns a fresh vector register.
func (m machine) register() reg.VecVirtual {
	if m.wide {
		return m.ZMM()
	}
	return m.YMM()
}

// registers returns n fresh vector registers.
func (m machine) registers(n int) (list []reg.VecVirtual) {
	for range n {
		list = append(list, m.register())
	}
	return list
}

// zeros returns n fresh vector registers of zeros.
func (m machine) zeros(n int) []reg.VecVirtual {
	list := m.registers(n)
	for _, r := range list {
		m.clear(r)
	}
	return list
}

// clear sets a register to zero.
func (m machine) clear(r reg.VecVirtual) {
	if m.wide {
		m.VPXORD(r, r, r)
	} else {
		m.VXORPS(r, r, r)
	}
}

// slice loads the address of a slice parameter.
func (m machine) slice(name string) reg.Register { return m.Load(m.Param(name).Base(), m.GP64()) }

// length loads the length of a slice parameter.
func (m machine) length(name string) reg.Register { return m.Load(m.Param(name).Len(), m.GP64()) }

// integer loads an int parameter.
func (m machine) integer(name string) reg.Register { return m.Load(m.Param(name), m.GP64()) }

// spread returns a register with a scalar parameter in all lanes.
func (m machine) spread(name string) reg.VecVirtual {
	return m.broadcast(m.place(m.Param(name)))
}

// place returns where a scalar parameter or result lies in memory.
func (m machine) place(c gotypes.Component) op.Op {
	b, err := c.Resolve()
	if err != nil {
		return nil // which no instruction takes
	}
	return b.Addr
}

// broadcast returns a register with one number in all lanes, from memory or a lowest lane.
func (m machine) broadcast(from op.Op) reg.VecVirtual {
	r := m.register()
	either(m, m.VBROADCASTSS, m.VBROADCASTSD)(from, r)
	return r
}

// constant returns a register with the same 32 bits in all lanes.
func (m machine) constant(bits uint32) reg.VecVirtual {
	word, low, all := m.GP32(), m.XMM(), m.register()
	m.MOVL(op.U32(bits), word)
	m.VMOVD(word, low)
	m.VPBROADCASTD(low, all)
	return all
}

// scaleBytes turns a number of elements into one of bytes.
func (m machine) scaleBytes(n reg.Register) {
	if m.double {
		m.SHLQ(op.U8(3), n)
	} else {
		m.SHLQ(op.U8(2), n)
	}
}

// either returns the instruction for the type of the elements.
func either[F any](m machine, single, double F) F {
	if m.double {
		return double
	}
	return single
}

// add sets dst = a + b; only a may be in memory, here and below.
func (m machine) add(a, b, dst op.Op) { either(m, m.VADDPS, m.VADDPD)(a, b, dst) }

// sub sets dst = a − b; only b may be in memory.
func (m machine) sub(a, b, dst op.Op) { either(m, m.VSUBPS, m.VSUBPD)(b, a, dst) }

// mul sets dst = a·b.
func (m machine) mul(a, b, dst op.Op) { either(m, m.VMULPS, m.VMULPD)(a, b, dst) }

// div sets dst = a/b; only b may be in memory.
func (m machine) div(a, b, dst op.Op) { either(m, m.VDIVPS, m.VDIVPD)(b, a, dst) }

// max sets dst to b where b ≥ a or either is NaN, else to a.
func (m machine) max(a, b, dst op.Op) { either(m, m.VMAXPS, m.VMAXPD)(b, a, dst) }

// min sets dst to b where b ≤ a or either is NaN, else to a.
func (m machine) min(a, b, dst op.Op) { either(m, m.VMINPS, m.VMINPD)(b, a, dst) }

// sqrt sets dst = √a.
func (m machine) sqrt(a, dst op.Op) { either(m, m.VSQRTPS, m.VSQRTPD)(a, dst) }

// fma sets dst = a·b + dst, with one rounding.
func (m machine) fma(a, b, dst op.Op) { either(m, m.VFMADD231PS, m.VFMADD231PD)(a, b, dst) }

// fnma sets dst = dst − a·b, with one rounding.
func (m machine) fnma(a, b, dst op.Op) { either(m, m.VFNMADD231PS, m.VFNMADD231PD)(a, b, dst) }

// move loads, stores or copies a whole register.
func (m machine) move(from, to op.Op) { either(m, m.VMOVUPS, m.VMOVUPD)(from, to) }
