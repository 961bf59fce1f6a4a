package data

import (
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/host"
)

// maxSize is how many bytes values may take; more is a damaged header.
const maxSize = 1 << 40

// volume returns how many bytes an array takes whose values have a size. It trusts no header
// with more than there can be.
func volume(dims []int, size int, most int64) (int, error) {
	empty := false
	for _, n := range dims {
		if n == 0 {
			empty = true
			continue
		}
		if size > maxSize/n {
			return 0, fmt.Errorf("dimensions %v are too large", dims)
		}
		size *= n
	}
	if empty {
		return 0, nil
	}
	if int64(size) > most {
		return 0, fmt.Errorf("truncated: at most %d bytes of values, want %d for dimensions %v",
			most, size, dims)
	}
	return size, nil
}

// Bytes that data take in memory, when they are read and partitioned: of a number, and of a row
// beside its numbers.
const (
	bytesOfNumber = 2 * 8
	bytesOfRow    = 6 * 8
)

// enough says why so many rows of an array are not read: they take more than half of a memory,
// which a header may ask for that a few packed bytes stand behind. A memory of 0 is not known.
func enough(rows int, dims []int, memory uint64) error {
	numbers := float64(rows)
	for _, n := range dims[1:] {
		numbers *= float64(n)
	}
	need := bytesOfNumber*numbers + bytesOfRow*float64(rows)
	if memory == 0 || need <= float64(memory)/2 {
		return nil
	}
	return fmt.Errorf("%d rows of dimensions %v need about %s of memory, more than half of the %s "+
		"that there are", rows, dims[1:], host.Bytes(need), host.Bytes(float64(memory)))
}

// cutOff says why values could not be read to their end.
func cutOff(err error, done, size int, dims []int) error {
	if err == io.EOF {
		return fmt.Errorf("truncated: %d bytes of values, want %d for dimensions %v",
			done, size, dims)
	}
	return fmt.Errorf("damaged after %d of %d bytes of values: %w", done, size, err)
}

// ended says why nothing may come after the values.
func ended(r io.Reader, size int, dims []int) error {
	switch n, err := fill(r, make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("too long: over %d bytes of values for dimensions %v", size, dims)
	case err != io.EOF:
		return fmt.Errorf("damaged after %d of %d bytes of values: %w", size, size, err)
	}
	return nil
}
