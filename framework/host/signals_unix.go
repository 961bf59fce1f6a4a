//go:build unix

package host

import (
	"os"
	"os/signal"
	"syscall"
)

// EndSignals returns the signals that ask a program to stop: Ctrl-C, kill, and a terminal that is
// gone. One that this program was started to ignore stays so, as with nohup, or in the background
// of a script.
func EndSignals() []os.Signal {
	end := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			end = append(end, s)
		}
	}
	return end
}
