package main

import (
	"math"

	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A window is where the elements of a pooling window and its pooled pixel are.
type window struct {
	span
	corners [4]reg.Register // pixels of the window, row by row
	pooled  reg.Register
	choices reg.Register // bytes; nil where nothing is chosen
}

// pool emits a loop over the windows of 2x2 pixels between two rows and a pooled row. The
// body is for a register of channels, of which there are enough to fill one; the last may
// overlap the one before.
func (m machine) pool(pooled string, chosen bool, body func(w window)) {
	w := window{pooled: m.slice(pooled)}
	w.corners = [4]reg.Register{m.slice("top"), m.GP64(), m.slice("bottom"), m.GP64()}
	if chosen {
		w.choices = m.slice("choice")
	}
	channels, left := m.integer("channels"), m.length(pooled)
	index, end, last := m.GP64(), m.GP64(), m.GP64()
	w.span = span{machine: m, index: index}
	m.MOVQ(channels, end)
	m.scaleBytes(end)
	m.LEAQ(op.Mem{Base: end, Disp: -m.bytes()}, last)
	m.Label("pixel")
	for k := 0; k < 4; k += 2 {
		m.LEAQ(op.Mem{Base: w.corners[k], Index: end, Scale: 1}, w.corners[k+1])
	}
	m.XORQ(index, index)
	m.Label("channels")
	body(w)
	m.ADDQ(op.U8(m.bytes()), index)
	m.CMPQ(index, last)
	m.JLE(op.LabelRef("channels"))
	m.CMPQ(index, end)
	m.JE(op.LabelRef("next"))
	m.MOVQ(last, index)
	m.JMP(op.LabelRef("channels"))
	m.Label("next")
	m.ADDQ(end, w.pooled)
	for k := 0; k < 4; k += 2 {
		m.LEAQ(op.Mem{Base: w.corners[k], Index: end, Scale: 2}, w.corners[k])
	}
	if chosen {
		m.ADDQ(channels, w.choices)
	}
	m.SUBQ(channels, left)
	m.JNZ(op.LabelRef("pixel"))
	m.end()
}

// choice returns where the choices of a window are.
func (w window) choice() op.Mem {
	bytes := w.GP64()
	w.MOVQ(w.index, bytes)
	w.SHRQ(op.U8(2), bytes)
	return op.Mem{Base: w.choices, Index: bytes, Scale: 1}
}

// corners returns the numbers of the corners.
func (m machine) corners() (numbers [4]reg.VecVirtual) {
	for k := range numbers {
		numbers[k] = m.constant(uint32(k))
	}
	return numbers
}

// maxPool takes the first of the largest, or the last NaN.
func (m machine) maxPool() {
	m.begin("maxPool", "func(dst []T, choice []uint8, top, bottom []T, channels int)",
		"sets dst to the largest of each window and choice to which it is.")
	numbers := m.corners()
	m.pool("dst", true, func(w window) {
		best, which := w.load(w.corners[0]), w.register()
		w.VMOVUPS(numbers[0], which)
		for k := 1; k < 4; k++ {
			w.better(best, which, w.load(w.corners[k]), numbers[k])
		}
		w.store(best, w.pooled)
		if w.wide {
			w.VPMOVDB(which, w.choice())
			return
		}
		low, high := which.AsX(), w.XMM()
		w.VEXTRACTI128(op.U8(1), which, high)
		w.VPACKSSDW(high, low, low)
		w.VPACKUSWB(low, low, low)
		w.VMOVQ(low, w.choice())
	})
}

// better replaces best by x, and which by number, where x is larger or NaN.
func (m machine) better(best, which, x, number reg.VecVirtual) {
	const greater, unordered = 30, 3
	if m.wide {
		larger, nan := m.K(), m.K()
		m.VCMPPS(op.U8(greater), best, x, larger)
		m.VCMPPS(op.U8(unordered), x, x, nan)
		m.KORW(larger, nan, larger)
		m.VMOVAPS(x, larger, best)
		m.VMOVAPS(number, larger, which)
		return
	}
	larger, nan := m.YMM(), m.YMM()
	m.VCMPPS(op.U8(greater), best, x, larger)
	m.VCMPPS(op.U8(unordered), x, x, nan)
	m.VORPS(nan, larger, larger)
	m.VBLENDVPS(larger, x, best, best)
	m.VBLENDVPS(larger, number, which, which)
}

// maxPoolBack gives the gradient to the chosen corner.
func (m machine) maxPoolBack() {
	m.begin("maxPoolBack", "func(top, bottom, grad []T, choice []uint8, channels int)",
		"sets the chosen of each window to grad and the others to 0.")
	numbers := m.corners()
	m.pool("grad", true, func(w window) {
		grad, which := w.load(w.pooled), w.register()
		w.VPMOVZXBD(w.choice(), which)
		for k, number := range numbers {
			part := w.register()
			if w.wide {
				chosen := w.K()
				w.VPCMPEQD(number, which, chosen)
				w.VMOVAPS_Z(grad, chosen, part)
			} else {
				w.VPCMPEQD(number, which, part)
				w.VANDPS(grad, part, part)
			}
			w.store(part, w.corners[k])
		}
	})
}

// meanPool takes the mean.
func (m machine) meanPool() {
	m.begin("meanPool", "func(dst, top, bottom []T, channels int)",
		"sets dst to the mean of each window.")
	quarter := m.constant(math.Float32bits(0.25))
	m.pool("dst", false, func(w window) {
		low, high := w.load(w.corners[0]), w.load(w.corners[2])
		w.add(w.at(w.corners[1]), low, low)
		w.add(w.at(w.corners[3]), high, high)
		w.add(high, low, low)
		w.mul(quarter, low, low)
		w.store(low, w.pooled)
	})
}

// meanPoolBack gives every corner its share.
func (m machine) meanPoolBack() {
	m.begin("meanPoolBack", "func(top, bottom, grad []T, channels int)",
		"sets all of each window to a quarter of grad.")
	quarter := m.constant(math.Float32bits(0.25))
	m.pool("grad", false, func(w window) {
		share := w.register()
		w.mul(w.at(w.pooled), quarter, share)
		for _, corner := range w.corners {
			w.store(share, corner)
		}
	})
}
