package compile

import (
	"os"

	"golang.org/x/sys/windows"
)

// hold waits until this process has the lock of an open file, which it loses when the file is
// closed. An error says that there are no locks.
func hold(f *os.File) error {
	const exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
	return windows.LockFileEx(windows.Handle(f.Fd()), exclusive, 0, 1, 0, new(windows.Overlapped))
}
