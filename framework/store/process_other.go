//go:build !linux

package store

import (
	"errors"
	"os"
	"syscall"
)

// process reports whether a process of this machine is alive, as far as the system tells. It does
// not tell when the process began.
func process(pid int) (began string, alive bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return "", false
	}
	err = p.Signal(syscall.Signal(0))
	return "", !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
