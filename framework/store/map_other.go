//go:build !unix

package store

import (
	"io"
	"os"
)

// mapFile returns the content of a file of a size.
func mapFile(f *os.File, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), b)
	return b, err
}

// unmapFile lets go of what mapFile returned.
func unmapFile([]byte) {}
