package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An IDX is an array in the format of the MNIST authors (yann.lecun.com/exdb/mnist): two
// zero bytes, a byte for the type, a byte for the rank, every dimension as a big-endian
// uint32, then the values in row-major order, big-endian.
type IDX struct {
	Dims   []int     // 1 to 4 dimensions, outermost first
	Bytes  []uint8   // values of a file of type 0x08; otherwise nil
	Floats []float32 // values of a file of type 0x0D; otherwise nil
}

// Types of values that are read, and their sizes in bytes.
const (
	idxUint8   = 0x08
	idxFloat32 = 0x0D

	idxMaxRank = 4
	idxMaxSize = 1 << 40 // of the values, in bytes; a larger one is a damaged header
)

// ReadIDX reads a file, packed by gzip or not. Everything is checked: a file that is
// shorter or longer than its header says is an error.
func ReadIDX(path string) (*IDX, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, err := readIDX(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

func readIDX(file io.Reader) (*IDX, error) {
	r := bufio.NewReader(file)
	// An error shows again when the header is read: too short a file has no magic.
	if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = bufio.NewReader(unpacked)
	}
	kind, dims, err := readIDXHeader(r)
	if err != nil {
		return nil, err
	}
	values, err := readIDXValues(r, kind, dims)
	if err != nil {
		return nil, err
	}
	if kind == idxUint8 {
		return &IDX{Dims: dims, Bytes: values}, nil
	}
	floats := make([]float32, len(values)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.BigEndian.Uint32(values[4*i:]))
	}
	return &IDX{Dims: dims, Floats: floats}, nil
}

func readIDXHeader(r io.Reader) (kind byte, dims []int, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, fmt.Errorf("no IDX header: %w", err)
	}
	kind, rank := head[2], int(head[3])
	switch {
	case head[0] != 0 || head[1] != 0:
		return 0, nil, fmt.Errorf("not an IDX file: begins with %#x, want two zero bytes", head[:2])
	case kind != idxUint8 && kind != idxFloat32:
		return 0, nil, fmt.Errorf("IDX type %#02x is neither 0x08 (uint8) nor 0x0d (float32)", kind)
	case rank < 1 || rank > idxMaxRank:
		return 0, nil, fmt.Errorf("IDX rank %d is outside [1, %d]", rank, idxMaxRank)
	}
	sizes := make([]byte, 4*rank)
	if _, err := io.ReadFull(r, sizes); err != nil {
		return 0, nil, fmt.Errorf("IDX header of rank %d is truncated: %w", rank, err)
	}
	dims = make([]int, rank)
	for k := range dims {
		dims[k] = int(binary.BigEndian.Uint32(sizes[4*k:]))
	}
	return kind, dims, nil
}

// readIDXValues returns the bytes of the values. It trusts no header: memory grows with
// what is read.
func readIDXValues(r io.Reader, kind byte, dims []int) ([]byte, error) {
	want := 1
	if kind == idxFloat32 {
		want = 4
	}
	for _, n := range dims {
		if n > 0 && want > idxMaxSize/n {
			return nil, fmt.Errorf("IDX dimensions %v are too large", dims)
		}
		want *= n
	}
	values, err := io.ReadAll(io.LimitReader(r, int64(want)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged after %d of %d bytes of values: %w", len(values), want, err)
	case len(values) < want:
		return nil, fmt.Errorf("truncated: %d bytes of values, want %d for dimensions %v",
			len(values), want, dims)
	case len(values) > want:
		return nil, fmt.Errorf("too long: over %d bytes of values for dimensions %v", want, dims)
	}
	return values, nil
}

// Rows returns the first n entries along the outermost dimension, one row each.
func (x *IDX) Rows(n int) (fl.Matrix, error) {
	if n > x.Dims[0] {
		return fl.Matrix{}, fmt.Errorf("%d rows asked for, %d there", n, x.Dims[0])
	}
	cols := 1
	for _, k := range x.Dims[1:] {
		cols *= k
	}
	m := fl.NewMatrix(n, cols)
	for i := range m.Data {
		if x.Floats != nil {
			m.Data[i] = float64(x.Floats[i])
		} else {
			m.Data[i] = float64(x.Bytes[i])
		}
	}
	return m, nil
}

// Labels returns the first n values of a list of bytes as classes, which must be less
// than classes.
func (x *IDX) Labels(n, classes int) ([]int, error) {
	if len(x.Dims) != 1 || x.Bytes == nil {
		return nil, fmt.Errorf("labels must be a list of uint8; dimensions are %v", x.Dims)
	}
	if n > x.Dims[0] {
		return nil, fmt.Errorf("%d labels asked for, %d there", n, x.Dims[0])
	}
	labels := make([]int, n)
	for i := range labels {
		if labels[i] = int(x.Bytes[i]); labels[i] >= classes {
			return nil, fmt.Errorf("label %d of row %d is outside [0, %d)", labels[i], i, classes)
		}
	}
	return labels, nil
}
