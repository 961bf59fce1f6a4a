package main

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemm emits the tile kernels of matrix products and what packs their operands.
func gemm(c *build.Context) {
	for _, double := range []bool{false, true} {
		t := &tile{Context: c, double: double, masks: true, lanes: 16, size: 4, most: 12}
		if double {
			t.lanes, t.size = 8, 8
		}
		t.emit("avx512")
		narrow := *t
		narrow.masks, narrow.lanes, narrow.most = false, t.lanes/2, 6
		narrow.emit("avx2")
	}
	masks(c)
	transpose32(c)
	transpose64(c)
	copyRows(c, 64)
	copyRows(c, 128)
}

// The general registers of a tile kernel. After the loop over k, those of A address C.
var (
	args  = reg.RAX
	a0    = reg.RBX // A, row 0
	a4    = reg.R12 // row 4
	a8    = reg.R13 // row 8
	rowA  = reg.RCX // bytes from row to row
	rowA3 = reg.R11 // three times rowA
	stepA = reg.RDX // bytes from k to k+1
	b0    = reg.RSI
	stepB = reg.RDI
	c0    = reg.R8
	rowC  = reg.R9
	rowC3 = reg.R15
	depth = reg.R10
)

// Where a tile's fields lie; the struct tile of framework/kernel is the other end of this.
const (
	fieldA = 8 * iota
	fieldB
	fieldC
	fieldRowA
	fieldStepA
	fieldStepB
	fieldRowC
	fieldRows
	fieldCols
	fieldDepth
	fieldAdd
)

// A tile kernel computes C (+)= A·B for 1 to most rows and 1 to 2·lanes columns of C; with
// AVX-512, for 1 to lanes or exactly 2·lanes columns. For every number of rows, and for one
// vector per row and two, there is a body of its own, in which all of C stays in registers;
// but see has.
type tile struct {
	*build.Context
	double bool // float64
	masks  bool // AVX-512, with the mask of columns in k1; otherwise AVX2, with it in ymm15
	lanes  int  // of a vector
	size   int  // bytes of an element
	most   int  // rows
}

// emit writes one kernel: entry, a jump to the body, the bodies.
func (t *tile) emit(isa string) {
	kind := "32"
	if t.double {
		kind = "64"
	}
	t.Function("tile" + kind + isa)
	t.Signature(takesTile("tile" + kind))
	t.Pragma("noescape")
	t.Doc(fmt.Sprintf("tile%s%s computes a tile of up to %d rows and %d columns.",
		kind, isa, t.most, 2*t.lanes))
	t.load()
	t.zero()
	for vectors := 2; vectors >= 1; vectors-- {
		if vectors == 2 {
			t.CMPQ(op.Mem{Base: args, Disp: fieldCols}, op.U8(t.lanes))
			t.JLE(op.LabelRef("narrow"))
		} else {
			t.Label("narrow")
		}
		for rows := t.most; rows > 1; rows-- {
			if !t.has(rows) {
				continue
			}
			t.CMPQ(op.Mem{Base: args, Disp: fieldRows}, op.U8(rows))
			t.JEQ(op.LabelRef(label("rows", vectors, rows)))
		}
		t.JMP(op.LabelRef(label("rows", vectors, 1)))
	}
	for vectors := 2; vectors >= 1; vectors-- {
		for rows := t.most; rows >= 1; rows-- {
			if !t.has(rows) {
				continue
			}
			(&body{t, rows, vectors, vectors == 1}).emit()
		}
	}
}

// has reports whether there is a body for a number of rows. Tall tiles of float64 have an even
// number, which framework/kernel sees to: that is where generated lines can be saved.
func (t *tile) has(rows int) bool { return !t.double || rows <= 6 || rows%2 == 0 }

func label(what string, vectors, rows int) string {
	return fmt.Sprintf("%s%dx%d", what, rows, vectors)
}

// takesTile returns the signature func(t *name).
func takesTile(name string) *gotypes.Signature {
	pkg := types.NewPackage("kernel", "kernel")
	obj := types.NewTypeName(token.NoPos, pkg, name, nil)
	named := types.NewNamed(obj, types.NewStruct(nil, nil), nil)
	param := types.NewVar(token.NoPos, pkg, "t", types.NewPointer(named))
	return gotypes.NewSignature(pkg,
		types.NewSignatureType(nil, nil, nil, types.NewTuple(param), nil, false))
}

// load fetches the fields and asks for the rows of C.
func (t *tile) load() {
	t.Load(t.Param("t"), args)
	for _, f := range []struct {
		at int
		to reg.Register
	}{
		{fieldA, a0}, {fieldRowA, rowA}, {fieldStepA, stepA}, {fieldB, b0}, {fieldStepB, stepB},
		{fieldC, c0}, {fieldRowC, rowC}, {fieldRows, depth},
	} {
		t.MOVQ(op.Mem{Base: args, Disp: f.at}, f.to)
	}
	t.MOVQ(c0, a4)
	t.Label("prefetch")
	t.PREFETCHT0(op.Mem{Base: a4})
	t.PREFETCHT0(op.Mem{Base: a4, Disp: 2*t.lanes*t.size - 1})
	t.ADDQ(rowC, a4)
	t.DECQ(depth)
	t.JNE(op.LabelRef("prefetch"))
	t.LEAQ(op.Mem{Base: rowA, Index: rowA, Scale: 2}, rowA3)
	t.LEAQ(op.Mem{Base: a0, Index: rowA, Scale: 4}, a4)
	t.LEAQ(op.Mem{Base: a4, Index: rowA, Scale: 4}, a8)
	t.mask()
	t.MOVQ(op.Mem{Base: args, Disp: fieldDepth}, depth)
	t.LEAQ(op.Mem{Base: rowC, Index: rowC, Scale: 2}, rowC3)
}

// zero sets all sums to zero that a tile may have: once for all bodies, in few lines.
func (t *tile) zero() {
	for i := range 2 * t.most {
		if t.masks {
			t.VPXORD(zmm(i), zmm(i), zmm(i))
		} else {
			t.VXORPS(ymm(i), ymm(i), ymm(i))
		}
	}
}

// mask makes the mask of the columns that exist in the last vector of a row. Two registers
// are not taken yet.
func (t *tile) mask() {
	cols, bits := depth, rowC3
	t.MOVQ(op.Mem{Base: args, Disp: fieldCols}, cols)
	if t.masks {
		t.MOVQ(op.I32(-1), bits)
		t.BZHIQ(cols, bits, bits)
		t.KMOVW(bits.As32(), reg.K1)
		return
	}
	// The last vector has (cols - 1) mod lanes + 1 columns: so many ones are read.
	t.DECQ(cols)
	t.ANDQ(op.U8(t.lanes-1), cols)
	t.NEGQ(cols)
	t.LEAQ(op.NewDataAddr(op.NewStaticSymbol("masks"), (t.lanes-1)*t.size), bits)
	t.VMOVUPS(op.Mem{Base: bits, Index: cols, Scale: uint8(t.size)}, ymm(15))
}

// masks emits 32 bytes of ones and 32 of zeros, from which every mask can be read.
func masks(c *build.Context) {
	c.StaticGlobal("masks")
	c.DataAttributes(0x8 | 0x10) // RODATA, NOPTR
	for i := range 8 {
		ones := ^uint64(0)
		if i >= 4 {
			ones = 0
		}
		c.AddDatum(8*i, op.U64(ones))
	}
}
