// Package kernel holds the hot loops, on flat slices and nothing else. Names that end in 32
// are for float32; the others are for float64.
//
// Most kernels exist three times: for AVX-512, for AVX2, and in plain Go for all other
// machines. The path is chosen once, when the program starts (see ISA), and it never shows
// in a result: all paths give the same bits. For that the order of every sum is part of a
// kernel's definition, never a matter of registers, cache lines or goroutines. A sum over a
// slice has as many lanes as fill 64 bytes, 16 of float32 or 8 of float64, and a fixed tree
// that adds them; a product that is added is one fused multiply-add, in plain Go too. Only
// the payloads of NaNs may differ. The assembly is written by tools/asmgen.
//
// A kernel panics at its first line if lengths do not fit, which is a programmer's mistake;
// the loop below runs without bounds checks. It allocates nothing and starts no goroutine.
// Where nothing is said, what it writes must overlap no other argument.
package kernel
