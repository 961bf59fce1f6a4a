package data

import (
	"errors"
	"fmt"
	"io"

	"github.com/hansa-fl/hansa/framework/fl"
)

// CIFARImage is the shape of an image in the binary format of CIFAR-10 and CIFAR-100
// (cs.toronto.edu/~kriz/cifar.html).
func CIFARImage() fl.Image { return fl.Image{C: 3, H: 32, W: 32} }

const cifarPixels = 3 * 32 * 32

// A CIFAR is the layout of such a file: records without a header, each the bytes of its
// labels and then 1024 red, 1024 green and 1024 blue bytes of the image, row by row.
type CIFAR struct {
	Labels  int // bytes before the image: 1 in CIFAR-10, 2 in CIFAR-100; the last is the class
	Classes int
}

// record is the number of bytes of a record.
func (c CIFAR) record() int { return c.Labels + cifarPixels }

// Count returns the number of records of a file, packed by gzip or not.
func (c CIFAR) Count(path string) (int, error) {
	u, err := open(path)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, u)
	if err := errors.Join(err, u.Close()); err != nil {
		return 0, fmt.Errorf("%s: damaged after %d bytes: %w", path, n, err)
	}
	size := int64(c.record())
	if n%size != 0 {
		return 0, fmt.Errorf("%s: truncated or in another format: %d records of %d bytes end at "+
			"offset %d, the file at %d", path, n/size, size, n-n%size, n)
	}
	return int(n / size), nil
}

// ReadFile reads as many records of a file, packed by gzip or not, as y has classes.
func (c CIFAR) ReadFile(path string, x []uint8, y []int) error {
	u, err := open(path)
	if err != nil {
		return err
	}
	if err := errors.Join(c.Read(u, x, y), u.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Read reads as many records as y has classes: pixels as they are, of one image after another.
func (c CIFAR) Read(r io.Reader, x []uint8, y []int) error { return c.ReadBoth(r, x, nil, y) }

// ReadBoth is Read, and also returns the first label of every record where coarse has room for
// them.
func (c CIFAR) ReadBoth(r io.Reader, x []uint8, coarse, y []int) error {
	b := make([]byte, c.record())
	for i := range y {
		n, err := fill(r, b)
		if err == io.EOF {
			return fmt.Errorf("truncated: record %d has %d of %d bytes, at offset %d",
				i, n, len(b), i*len(b))
		}
		if err != nil {
			return fmt.Errorf("damaged in record %d, after %d bytes: %w", i, i*len(b)+n, err)
		}
		if y[i] = int(b[c.Labels-1]); y[i] >= c.Classes {
			return fmt.Errorf("class %d of record %d, at offset %d, is outside [0, %d)",
				y[i], i, i*len(b)+c.Labels-1, c.Classes)
		}
		if coarse != nil {
			coarse[i] = int(b[0])
		}
		copy(x[i*cifarPixels:], b[c.Labels:])
	}
	return nil
}
