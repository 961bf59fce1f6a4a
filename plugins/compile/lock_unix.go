//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package compile

import (
	"os"
	"syscall"
)

// hold waits until this process has the lock of an open file, which it loses when the file is
// closed. An error says that there are no locks.
func hold(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
