package data

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
)

// A MAT is an array of numbers in a MAT-file of version 5 (MathWorks: MAT-File Format, R2024):
// values are in the order in which the first dimension moves fastest.
type MAT struct {
	Name  string
	Dims  []int
	Bytes []uint8   // where they are stored as such
	Real  []float64 // otherwise
}

// Types of data elements, and classes of arrays, that are read.
const (
	matInt8       = 1
	matUint8      = 2
	matInt16      = 3
	matUint16     = 4
	matInt32      = 5
	matUint32     = 6
	matSingle     = 7
	matDouble     = 9
	matMatrix     = 14
	matCompressed = 15

	matFirstClass, matLastClass = 6, 15 // mxDOUBLE to mxUINT64
	matComplex                  = 1 << 3
)

// ReadMAT reads the arrays of a file that have some names. Others are passed over.
func ReadMAT(path string, names ...string) (map[string]*MAT, error) {
	f, err := host.Open(path)
	if err != nil {
		return nil, err
	}
	arrays, err := readMAT(f, names)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range names {
		if arrays[name] == nil {
			return nil, fmt.Errorf("%s: there is no array %q", path, name)
		}
	}
	return arrays, nil
}

// readMAT reads arrays that have some names.
func readMAT(f interface {
	io.ReadSeeker
	io.ReaderAt
}, names []string) (map[string]*MAT, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	var head [128]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("no MAT-file of version 5: it has %d bytes", size)
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(head[126:]) {
	case "IM":
	case "MI":
		order = binary.BigEndian
	default:
		return nil, fmt.Errorf("no MAT-file of version 5: begins with %q", head[:16])
	}
	if v := order.Uint16(head[124:]); v != 0x100 {
		return nil, fmt.Errorf("a MAT-file of version %#x, want 0x100: those of 7.3 are HDF5", v)
	}
	arrays := map[string]*MAT{}
	for at := int64(len(head)); at < size; {
		var tag [8]byte
		if _, err := f.ReadAt(tag[:], at); err != nil {
			return nil, fmt.Errorf("cut off at byte %d", at)
		}
		kind, n := order.Uint32(tag[:]), int64(order.Uint32(tag[4:]))
		if at += 8; n > size-at {
			return nil, fmt.Errorf("cut off: an element of %d bytes at byte %d of %d", n, at, size)
		}
		m := &matReader{order: order, r: io.NewSectionReader(f, at, n), most: n}
		if err := m.element(kind, names, arrays); err != nil {
			return nil, fmt.Errorf("the element at byte %d: %w", at, err)
		}
		at += n
	}
	return arrays, nil
}

// A matReader reads an element.
type matReader struct {
	order binary.ByteOrder
	r     io.Reader
	most  int64 // bytes that it can have
}

// element reads an array, packed or not, if its name is wanted.
func (m *matReader) element(kind uint32, names []string, arrays map[string]*MAT) error {
	if kind == matCompressed {
		z, err := zlib.NewReader(m.r)
		if err != nil {
			return err
		}
		m.r, m.most = z, mostInflated*m.most
		var n uint32
		var small []byte
		if kind, n, small, err = m.tag(); err != nil {
			return err
		}
		if m.most = min(m.most, int64(n)); small != nil {
			return nil
		}
	}
	if kind != matMatrix {
		return nil // no array
	}
	a, wanted, err := m.header(names)
	if err != nil || !wanted {
		return err
	}
	if err := m.values(a); err != nil {
		return fmt.Errorf("array %q: %w", a.Name, err)
	}
	if arrays[a.Name] != nil {
		return fmt.Errorf("array %q is there twice", a.Name)
	}
	arrays[a.Name] = a
	return nil
}

// tag reads what an element begins with; a small one has its content in it.
func (m *matReader) tag() (kind, n uint32, small []byte, err error) {
	var b [8]byte
	if _, err := io.ReadFull(m.r, b[:]); err != nil {
		return 0, 0, nil, fmt.Errorf("cut off: %w", err)
	}
	if kind = m.order.Uint32(b[:]); kind>>16 == 0 {
		return kind, m.order.Uint32(b[4:]), nil, nil
	}
	if n = kind >> 16; n > 4 {
		return 0, 0, nil, fmt.Errorf("a small element of %d bytes", n)
	}
	return kind & 0xffff, n, b[4 : 4+n], nil
}

// part reads an element of at most so many bytes, and what pads it.
func (m *matReader) part(most uint32) (kind uint32, b []byte, err error) {
	kind, n, small, err := m.tag()
	if err != nil || small != nil {
		return kind, small, err
	}
	if n > most {
		return 0, nil, fmt.Errorf("%d bytes, where there are at most %d", n, most)
	}
	b = make([]byte, (n+7)/8*8)
	_, err = io.ReadFull(m.r, b)
	return kind, b[:n], err
}

// header reads flags, dimensions and name of an array.
func (m *matReader) header(names []string) (a *MAT, wanted bool, err error) {
	_, flags, err := m.part(8)
	if err != nil || len(flags) < 8 {
		return nil, false, fmt.Errorf("flags of an array: %d bytes: %w", len(flags), err)
	}
	word := m.order.Uint32(flags)
	_, b, err := m.part(4 * 32)
	if err != nil {
		return nil, false, fmt.Errorf("dimensions of an array: %w", err)
	}
	a = new(MAT)
	for k := 0; k+4 <= len(b); k += 4 {
		n := int32(m.order.Uint32(b[k:]))
		if n < 0 {
			return nil, false, fmt.Errorf("dimension %d of an array is %d", k/4, n)
		}
		a.Dims = append(a.Dims, int(n))
	}
	_, name, err := m.part(1 << 10)
	if err != nil {
		return nil, false, fmt.Errorf("name of an array: %w", err)
	}
	a.Name = string(name)
	for _, want := range names {
		wanted = wanted || want == a.Name
	}
	class, complex := word&0xff, word>>8&matComplex != 0
	if wanted && (class < matFirstClass || class > matLastClass || complex) {
		return nil, false, fmt.Errorf("array %q is none of real numbers", a.Name)
	}
	return a, wanted, nil
}

// values reads the values of an array.
func (m *matReader) values(a *MAT) error {
	kind, n, small, err := m.tag()
	if err != nil {
		return err
	}
	width := map[uint32]int{matInt8: 1, matUint8: 1, matInt16: 2, matUint16: 2, matInt32: 4,
		matUint32: 4, matSingle: 4, matDouble: 8}[kind]
	if width == 0 {
		return fmt.Errorf("values of type %d are not read", kind)
	}
	size, err := volume(a.Dims, width, m.most)
	if err != nil {
		return err
	}
	if len(a.Dims) < 2 || size != int(n) {
		return fmt.Errorf("%d bytes of values, want %d for dimensions %v", n, size, a.Dims)
	}
	if err := enough(size/width, []int{0}, host.Memory()); kind != matUint8 && err != nil {
		return err
	}
	r := m.r
	if small != nil {
		r = strings.NewReader(string(small))
	}
	if kind == matUint8 {
		a.Bytes = make([]uint8, 0, min(size, 1<<24))
		for len(a.Bytes) < size { // a header may ask for more than there is
			lo := len(a.Bytes)
			a.Bytes = append(a.Bytes, make([]uint8, min(size-lo, 1<<24))...)
			if got, err := io.ReadFull(r, a.Bytes[lo:]); err != nil {
				return cutOff(eof(err), lo+got, size, a.Dims)
			}
		}
		return nil
	}
	b := make([]byte, width<<10)
	for done := 0; done < size; {
		got, err := io.ReadFull(r, b[:min(len(b), size-done)])
		if err != nil {
			return cutOff(eof(err), done+got, size, a.Dims)
		}
		for k := 0; k < got; k += width {
			a.Real = append(a.Real, m.number(kind, b[k:]))
		}
		done += got
	}
	return nil
}

// eof is io.EOF where content ends too early.
func eof(err error) error {
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}

// number decodes a value.
func (m *matReader) number(kind uint32, b []byte) float64 {
	switch kind {
	case matInt8:
		return float64(int8(b[0]))
	case matInt16:
		return float64(int16(m.order.Uint16(b)))
	case matUint16:
		return float64(m.order.Uint16(b))
	case matInt32:
		return float64(int32(m.order.Uint32(b)))
	case matUint32:
		return float64(m.order.Uint32(b))
	case matSingle:
		return float64(math.Float32frombits(m.order.Uint32(b)))
	}
	return math.Float64frombits(m.order.Uint64(b))
}
