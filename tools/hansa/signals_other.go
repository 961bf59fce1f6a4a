//go:build !unix

package main

import "os"

// stopSignals are those with which an engine stops a task; there is none that asks it to be
// started again.
var (
	stopSignals = []os.Signal{os.Interrupt}
	askAgain    os.Signal
)
