package main

import "github.com/mmcloughlin/avo/reg"

// zmm returns the i-th 512-bit register, i in [0, 32).
func zmm(i int) reg.Register { return vector(i, reg.S512) }

// ymm returns the i-th 256-bit register, i in [0, 16) for AVX2.
func ymm(i int) reg.Register { return vector(i, reg.S256) }

// xmm returns the i-th 128-bit register, i in [0, 16) for AVX2.
func xmm(i int) reg.Register { return vector(i, reg.S128) }

func vector(i int, s reg.Spec) reg.Register {
	return reg.LookupPhysical(reg.KindVector, reg.Index(i), s)
}
