//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals returns the signals that ask hansa to stop: Ctrl-C, kill, and a terminal that is gone.
// One that hansa was started to ignore stays so, as with nohup, or in the background of a script.
func endSignals() []os.Signal {
	end := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			end = append(end, s)
		}
	}
	return end
}

// stopSignals are those with which an engine stops a task; askAgain is the one that comes early,
// so that the task asks to be started again.
var (
	stopSignals = []os.Signal{syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt}
	askAgain    = os.Signal(syscall.SIGUSR1)
)
