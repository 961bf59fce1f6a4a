package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// An IDX is an array in the format of the MNIST authors (yann.lecun.com/exdb/mnist): two
// zero bytes, a byte for the type, a byte for the rank, every dimension as a big-endian
// uint32, then the values in row-major order, big-endian.
type IDX struct {
	Dims   []int     // 1 to 4 dimensions of the file, outermost first
	Floats bool      // values are float32 (type 0x0D), not bytes (type 0x08)
	Rows   fl.Matrix // the first entries along the outermost dimension, one row each
	Packed fl.Packed // the same as they are stored; then Rows has no Data
}

// Types of values that are read.
const (
	idxUint8   = 0x08
	idxFloat32 = 0x0D

	idxMaxRank = 4
)

// ReadIDX reads the first n entries of a file, packed by gzip or not, or all when n is 0.
// Everything is checked: a file that is shorter or longer than its header says is an error.
func ReadIDX(path string, n int) (*IDX, error) {
	x, err := ReadPackedIDX(path, n)
	if err == nil {
		x.unpack()
	}
	return x, err
}

// unpack moves packed values to Rows.
func (x *IDX) unpack() {
	x.Rows, x.Packed = x.Packed.Matrix(), fl.Packed{}
}

// ReadPackedIDX is ReadIDX, and leaves values as they are stored.
func ReadPackedIDX(path string, n int) (*IDX, error) {
	u, err := open(path)
	if err != nil {
		return nil, err
	}
	x, err := readIDX(u, u.most, n)
	if err := errors.Join(err, u.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// readIDX reads what has at most that many bytes.
func readIDX(r io.Reader, most int64, n int) (*IDX, error) {
	x, err := readIDXHeader(r)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		n = x.Dims[0]
	}
	if n > x.Dims[0] {
		return nil, fmt.Errorf("%d rows asked for, %d there", n, x.Dims[0])
	}
	size, err := x.size(most)
	if err != nil {
		return nil, err
	}
	if err := enough(n, x.Dims, host.Memory()); err != nil {
		return nil, err
	}
	cols := columnsOf(x.Dims)
	x.Rows = fl.Matrix{Rows: n, Cols: cols}
	if x.Floats {
		x.Packed = fl.Packed{Floats: make([]float32, n*cols), Cols: cols}
	} else {
		x.Packed = fl.NewBytes(make([]uint8, n*cols), cols)
	}
	return x, x.readValues(r, size)
}

// RecallIDX is ReadPackedIDX of a file whose content may be kept where it is packed by gzip.
func RecallIDX(kept fl.Decoded, path string, n int) (*IDX, error) {
	if kept == nil || !strings.HasSuffix(path, ".gz") {
		return ReadPackedIDX(path, n)
	}
	of, err := SumOf([]string{path})
	if err != nil {
		return nil, err
	}
	b, err := kept.Recall(fmt.Sprintf("idx: the first %d rows of %s", n, of),
		func() ([]byte, error) {
			x, err := ReadPackedIDX(path, n)
			if err != nil {
				return nil, err
			}
			return x.encode(), nil
		})
	if err != nil {
		return nil, err
	}
	return keptIDX(b)
}

// encode returns the rows as the file has them, after its header.
func (x *IDX) encode() []byte {
	kind := byte(idxUint8)
	if x.Floats {
		kind = idxFloat32
	}
	b := []byte{0, 0, kind, byte(len(x.Dims))}
	for _, n := range x.Dims {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	if !x.Floats {
		return append(b, x.Packed.Bytes...)
	}
	for _, v := range x.Packed.Floats {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// keptIDX returns what was encoded. Bytes share its memory.
func keptIDX(b []byte) (*IDX, error) {
	r := bytes.NewReader(b)
	x, err := readIDXHeader(r)
	if err != nil {
		return nil, err
	}
	b, cols := b[len(b)-r.Len():], columnsOf(x.Dims)
	if !x.Floats {
		x.Packed = fl.NewBytes(b, cols)
	} else {
		x.Packed = fl.Packed{Floats: make([]float32, len(b)/4), Cols: cols}
		x.decode(0, b)
	}
	x.Rows = fl.Matrix{Rows: x.Packed.Len(), Cols: cols}
	return x, nil
}

func readIDXHeader(r io.Reader) (*IDX, error) {
	var head [4]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("no IDX header: %d of 4 bytes: %w", n, err)
	}
	kind, rank := head[2], int(head[3])
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, fmt.Errorf("not an IDX file: begins with %#x, want two zero bytes", head[:2])
	case kind != idxUint8 && kind != idxFloat32:
		return nil, fmt.Errorf("IDX type %#02x is neither 0x08 (uint8) nor 0x0d (float32)", kind)
	case rank < 1 || rank > idxMaxRank:
		return nil, fmt.Errorf("IDX rank %d is outside [1, %d]", rank, idxMaxRank)
	}
	sizes := make([]byte, 4*rank)
	if _, err := io.ReadFull(r, sizes); err != nil {
		return nil, fmt.Errorf("IDX header of rank %d is truncated: %w", rank, err)
	}
	x := &IDX{Dims: make([]int, rank), Floats: kind == idxFloat32}
	for k := range x.Dims {
		x.Dims[k] = int(binary.BigEndian.Uint32(sizes[4*k:]))
	}
	return x, nil
}

// size returns how many bytes the values take.
func (x *IDX) size(most int64) (int, error) {
	if x.Floats {
		return volume(x.Dims, 4, most)
	}
	return volume(x.Dims, 1, most)
}

// readValues reads all values and keeps those of the rows.
func (x *IDX) readValues(r io.Reader, size int) error {
	b, kept := make([]byte, 1<<16), 0
	for done := 0; done < size; {
		n, err := fill(r, b[:min(len(b), size-done)])
		done += n
		if err != nil {
			return cutOff(err, done, size, x.Dims)
		}
		kept += x.decode(kept, b[:n])
	}
	return ended(r, size, x.Dims)
}

// decode keeps the values of some bytes from the given one on, as many as there is room for, and
// returns how many these are.
func (x *IDX) decode(from int, b []byte) int {
	if !x.Floats {
		return copy(x.Packed.Bytes[from:], b)
	}
	keep := x.Packed.Floats[from:]
	n := min(len(keep), len(b)/4)
	for i := range n {
		keep[i] = idxFloat(b, i)
	}
	return n
}

// idxFloat returns the k-th of some real numbers.
func idxFloat(b []byte, k int) float32 {
	return math.Float32frombits(binary.BigEndian.Uint32(b[4*k:]))
}

// Labels returns the rows of a list of bytes as classes, which must be less than classes.
func (x *IDX) Labels(classes int) ([]int, error) {
	if len(x.Dims) != 1 || x.Floats {
		return nil, fmt.Errorf("labels must be a list of uint8; dimensions are %v", x.Dims)
	}
	labels := make([]int, x.Rows.Rows)
	for i := range labels {
		if x.Packed.Any() {
			labels[i] = int(x.Packed.Bytes[i])
		} else {
			labels[i] = int(x.Rows.Data[i])
		}
		if labels[i] >= classes {
			return nil, fmt.Errorf("label %d of row %d is outside [0, %d)", labels[i], i, classes)
		}
	}
	return labels, nil
}
