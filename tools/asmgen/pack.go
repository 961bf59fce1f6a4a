package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The general registers of a packing kernel.
var (
	dst     = reg.RDI
	stepDst = reg.RDX
	src     = reg.RSI
	rowSrc  = reg.RCX
	rowSrc3 = reg.R11
	src4    = reg.R8
	count   = reg.RAX
)

// sourceRow returns the address of row i of the block at src, disp bytes from its left.
func sourceRow(i, disp int) op.Mem {
	m := op.Mem{Base: []reg.GPPhysical{src, src4}[i/4], Disp: disp}
	switch i % 4 {
	case 1, 2:
		m.Index, m.Scale = rowSrc, uint8(i%4)
	case 3:
		m.Index, m.Scale = rowSrc3, 1
	}
	return m
}

// transpose opens a function that transposes square blocks, which lie side by side in src,
// to one below the other in dst, and runs body for each.
func transpose(c *build.Context, kind string, side int, body func()) {
	c.Function("transpose" + kind)
	c.SignatureExpr(fmt.Sprintf(
		"func(dst *float%s, stepDst int, src *float%s, rowSrc, blocks int)", kind, kind))
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("transpose%s transposes blocks of %d by %d. Steps are in bytes.",
		kind, side, side))
	c.Load(c.Param("dst"), dst)
	c.Load(c.Param("stepDst"), stepDst)
	c.Load(c.Param("src"), src)
	c.Load(c.Param("rowSrc"), rowSrc)
	c.Load(c.Param("blocks"), count)
	c.LEAQ(op.Mem{Base: rowSrc, Index: rowSrc, Scale: 2}, rowSrc3)
	c.Label("block")
	body()
	c.ADDQ(op.U8(32), src)
	c.DECQ(count)
	c.JNE(op.LabelRef("block"))
	c.VZEROUPPER()
	c.RET()
}

// transpose32 emits the transposition of blocks of 8 by 8. The lower and upper halves of a
// register come from rows that are four apart, so that no lane is crossed later.
func transpose32(c *build.Context) {
	transpose(c, "32", 8, func() {
		c.LEAQ(op.Mem{Base: src, Index: rowSrc, Scale: 4}, src4)
		for half := range 2 {
			for i := range 4 {
				r := 4*half + i
				c.VMOVUPS(sourceRow(i, 16*half), xmm(r))
				c.VINSERTF128(op.U8(1), sourceRow(i+4, 16*half), ymm(r), ymm(r))
			}
		}
		for half := range 2 {
			in := func(i int) reg.Register { return ymm(4*half + i) }
			c.VUNPCKLPS(in(1), in(0), ymm(8))
			c.VUNPCKHPS(in(1), in(0), ymm(9))
			c.VUNPCKLPS(in(3), in(2), ymm(10))
			c.VUNPCKHPS(in(3), in(2), ymm(11))
			c.VUNPCKLPD(ymm(10), ymm(8), ymm(12))
			c.VUNPCKHPD(ymm(10), ymm(8), ymm(13))
			c.VUNPCKLPD(ymm(11), ymm(9), ymm(14))
			c.VUNPCKHPD(ymm(11), ymm(9), ymm(15))
			storeRows(c, 12)
		}
	})
}

// transpose64 emits the transposition of blocks of 4 by 4.
func transpose64(c *build.Context) {
	transpose(c, "64", 4, func() {
		for half := range 2 {
			for i := range 2 {
				r := 2*half + i
				c.VMOVUPD(sourceRow(i, 16*half), xmm(r))
				c.VINSERTF128(op.U8(1), sourceRow(i+2, 16*half), ymm(r), ymm(r))
			}
			c.VUNPCKLPD(ymm(2*half+1), ymm(2*half), ymm(4+2*half))
			c.VUNPCKHPD(ymm(2*half+1), ymm(2*half), ymm(5+2*half))
		}
		storeRows(c, 4)
	})
}

// storeRows writes four registers one below the other.
func storeRows(c *build.Context, first int) {
	for i := range 4 {
		c.VMOVUPS(ymm(first+i), op.Mem{Base: dst})
		c.ADDQ(stepDst, dst)
	}
}

// copyRows emits the copy of rows of a fixed number of bytes, one behind the other.
func copyRows(c *build.Context, bytes int) {
	c.Function(fmt.Sprintf("copyRows%d", bytes))
	c.SignatureExpr("func(dst, src *byte, rowSrc, rows int)")
	c.Pragma("noescape")
	c.Doc(fmt.Sprintf("copyRows%d copies rows of %d bytes to dst without gaps.", bytes, bytes))
	c.Load(c.Param("dst"), dst)
	c.Load(c.Param("src"), src)
	c.Load(c.Param("rowSrc"), rowSrc)
	c.Load(c.Param("rows"), count)
	c.Label("row")
	for i := range bytes / 32 {
		c.VMOVUPS(op.Mem{Base: src, Disp: 32 * i}, ymm(i))
	}
	for i := range bytes / 32 {
		c.VMOVUPS(ymm(i), op.Mem{Base: dst, Disp: 32 * i})
	}
	c.ADDQ(rowSrc, src)
	c.ADDQ(op.I32(int32(bytes)), dst)
	c.DECQ(count)
	c.JNE(op.LabelRef("row"))
	c.VZEROUPPER()
	c.RET()
}
