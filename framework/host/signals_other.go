//go:build !unix

package host

import (
	"os"
	"syscall"
)

// EndSignals returns the signals that ask a program to stop: Ctrl-C, and a window that is closed.
func EndSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
