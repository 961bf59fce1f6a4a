package kernel

import "os"

// A path is one of the ways in which every kernel is written. All of them give the same
// bits; NaNs may differ in their payload.
type path int

// The paths, slowest first. What a machine can run, it can run with all paths before it.
const (
	generic path = iota // plain Go
	avx2                // 256-bit vectors: AVX2 and FMA
	avx512              // 512-bit vectors and masks: AVX512F, DQ, VL and BW
	paths               // how many there are
)

// String returns the word by which HANSA_ISA asks for the path.
func (p path) String() string { return [paths]string{"generic", "avx2", "avx512"}[p] }

// active is the path that the exported kernels take. It is chosen when the program starts
// and never changes.
var active = choose(os.Getenv("HANSA_ISA"), best())

// choose returns the path that the word asks for, but none above best, which is the best
// that the machine has. An empty or unknown word asks for nothing.
func choose(word string, best path) path {
	for p := range paths {
		if p.String() == word {
			return min(p, best)
		}
	}
	return best
}

// ISA returns what the kernels of this process are made of: "avx512", "avx2" or "generic".
// It is the best that the machine has, or what the environment variable HANSA_ISA asked for
// when the program started; if the machine lacks that, then the best below it. A word that
// is none of the three is ignored.
func ISA() string { return active.String() }
