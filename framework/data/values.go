package data

import (
	"fmt"
	"io"
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
