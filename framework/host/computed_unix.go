//go:build unix

package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// computed returns how long the threads of this process have computed, and the system for them.
func computed() (time.Duration, bool) {
	var use unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &use) != nil {
		return 0, false
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), true
}
