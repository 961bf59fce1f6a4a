//go:build unix

package store

import (
	"os"
	"syscall"
)

// mapFile returns the content of a file of a size, which is not to be written to.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

// unmapFile lets go of what mapFile returned.
func unmapFile(b []byte) { _ = syscall.Munmap(b) }
