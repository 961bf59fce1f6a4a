package tensor

import (
	"fmt"
	"math"
	"runtime/debug"
)

// large is from how many bytes on it is asked whether they fit: less is there, or is found out by
// those that watch how much memory a process uses.
const large = 64 << 20

// Fit panics where so many elements of so many bytes need more memory than this process may use,
// as debug.SetMemoryLimit has it: the runtime would end the process, without a word on what asked
// for them.
func Fit(elements, bytes int) {
	need := float64(elements) * float64(bytes)
	if need < large {
		return
	}
	limit := debug.SetMemoryLimit(-1)
	if limit < math.MaxInt64 && need > float64(limit) {
		panic(fmt.Sprintf("%.3g GB of memory are asked for at once, and there are %.3g GB",
			need/1e9, float64(limit)/1e9))
	}
}
