//go:build unix

package launch

import (
	"os"
	"syscall"
)

// StopSignals returns the signals with which an engine stops a task.
func StopSignals() []os.Signal {
	return []os.Signal{AskAgain(), syscall.SIGTERM, os.Interrupt}
}

// AskAgain returns the stop signal that comes early, so that the task asks to be started again.
func AskAgain() os.Signal { return syscall.SIGUSR1 }
