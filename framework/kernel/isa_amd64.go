package kernel

import "golang.org/x/sys/cpu"

// best returns the fastest path that this machine can run.
func best() path {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW:
		return avx512
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return generic
}
