//go:build !unix

package main

import "os"

// endSignals returns the signals that ask hansa to stop.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// stopSignals are those with which an engine stops a task; there is none that asks it to be
// started again.
var (
	stopSignals = []os.Signal{os.Interrupt}
	askAgain    os.Signal
)
