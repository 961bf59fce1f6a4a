//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endSignals returns the signals that ask hansa to stop: Ctrl-C, and a window that is closed.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// stopSignals are those with which an engine stops a task; there is none that asks it to be
// started again.
var (
	stopSignals = []os.Signal{os.Interrupt}
	askAgain    os.Signal
)
