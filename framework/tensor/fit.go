package tensor

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/hansa-fl/hansa/framework/host"
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
		panic(fmt.Sprintf("%s of memory are asked for at once, and there are %s",
			host.Bytes(need), host.Bytes(float64(limit))))
	}
}
