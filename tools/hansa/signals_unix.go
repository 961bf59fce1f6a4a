//go:build unix

package main

import (
	"os"
	"syscall"
)

// stopSignals are those with which an engine stops a task; askAgain is the one that comes early,
// so that the task asks to be started again.
var (
	stopSignals = []os.Signal{syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt}
	askAgain    = os.Signal(syscall.SIGUSR1)
)
