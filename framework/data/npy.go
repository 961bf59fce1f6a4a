package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// npyMagic begins a file of NumPy's format (NEP 1; numpy.lib.format), before two bytes for the
// version, the length of the header in 2 or 4 bytes, and the header: a Python dictionary.
const npyMagic = "\x93NUMPY"

// npyMaxHeader is how long a header may be; those of arrays of numbers are far shorter.
const npyMaxHeader = 1 << 16

// What a header says.
var (
	npyDescr   = regexp.MustCompile(`'descr': *('[^']*'|\[.*\])`)
	npyFortran = regexp.MustCompile(`'fortran_order': *(True|False)`)
	npyShape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// An npy is what precedes the values of an array.
type npy struct {
	dims    []int
	fortran bool                   // the first index runs fastest, not the last
	size    int                    // of a value, in bytes
	decode  func(b []byte) float64 // of a value
}

// readNPY reads what has at most that many bytes.
func readNPY(r io.Reader, most int64) (*Array, error) {
	header, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	h, err := parseNPY(header)
	if err != nil {
		return nil, err
	}
	size, err := volume(h.dims, h.size, most)
	if err != nil {
		return nil, err
	}
	if err := enough(h.dims[0], h.dims, host.Memory()); err != nil {
		return nil, err
	}
	x := newArray(h.dims)
	return x, h.readValues(r, size, x.Rows)
}

// readNPYHeader returns the dictionary that a file begins with.
func readNPYHeader(r io.Reader) (string, error) {
	head := make([]byte, len(npyMagic)+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", fmt.Errorf("the header of the array is truncated: %w", err)
	}
	version, length := head[len(npyMagic)], int(binary.LittleEndian.Uint16(head[len(npyMagic)+2:]))
	switch {
	case string(head[:len(npyMagic)]) != npyMagic:
		return "", fmt.Errorf("not an array of NumPy's: begins with %q", head[:len(npyMagic)])
	case version < 1 || version > 3:
		return "", fmt.Errorf("version %d of NumPy's format is not 1, 2 or 3", version)
	case version > 1:
		upper := make([]byte, 2)
		if _, err := io.ReadFull(r, upper); err != nil {
			return "", fmt.Errorf("the header of the array is truncated: %w", err)
		}
		length += int(binary.LittleEndian.Uint16(upper)) << 16
	}
	if length > npyMaxHeader {
		return "", fmt.Errorf("a header of %d bytes is too long", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", fmt.Errorf("the header of the array is truncated: %w", err)
	}
	return string(text), nil
}

// parseNPY reads a header.
func parseNPY(text string) (*npy, error) {
	descr := npyDescr.FindStringSubmatch(text)
	fortran := npyFortran.FindStringSubmatch(text)
	shape := npyShape.FindStringSubmatch(text)
	if descr == nil || fortran == nil || shape == nil {
		return nil, fmt.Errorf("the header %q does not say type, order and shape", text)
	}
	h := &npy{fortran: fortran[1] == "True"}
	for _, word := range strings.Split(shape[1], ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue // after the comma of a single dimension
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("dimension %s: %w", word, errors.Unwrap(err))
		}
		h.dims = append(h.dims, n)
	}
	if len(h.dims) == 0 {
		return nil, errors.New("holds a single number and no rows")
	}
	return h, h.typed(strings.Trim(descr[1], "'"))
}

// typed takes the type of values, such as <f4.
func (h *npy) typed(descr string) error {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	kind := strings.TrimLeft(descr, "<>|=")
	h.decode = map[string]func(b []byte) float64{
		"b1": func(b []byte) float64 { return float64(b[0]) },
		"u1": func(b []byte) float64 { return float64(b[0]) },
		"i1": func(b []byte) float64 { return float64(int8(b[0])) },
		"u2": func(b []byte) float64 { return float64(order.Uint16(b)) },
		"i2": func(b []byte) float64 { return float64(int16(order.Uint16(b))) },
		"u4": func(b []byte) float64 { return float64(order.Uint32(b)) },
		"i4": func(b []byte) float64 { return float64(int32(order.Uint32(b))) },
		"u8": func(b []byte) float64 { return float64(order.Uint64(b)) },
		"i8": func(b []byte) float64 { return float64(int64(order.Uint64(b))) },
		"f2": func(b []byte) float64 { return fromHalf(order.Uint16(b)) },
		"f4": func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) },
		"f8": func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) },
	}[kind]
	if h.decode == nil {
		return fmt.Errorf("holds values of type %s; want float16, float32, float64, integers or "+
			"booleans", descr)
	}
	h.size = int(kind[1] - '0')
	return nil
}

// fromHalf returns the number of a float16 of IEEE 754.
func fromHalf(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if b>>15 == 1 {
		return -x
	}
	return x
}

// readValues reads as many bytes of values into x: row by row, or column by column.
func (h *npy) readValues(r io.Reader, size int, x fl.Matrix) error {
	lines, length := x.Rows, x.Cols
	if h.fortran {
		lines, length = length, lines
	}
	b, done := make([]byte, length*h.size), 0
	for k := 0; k < lines && length > 0; k++ {
		n, err := fill(r, b)
		if done += n; err != nil {
			return cutOff(err, done, size, h.dims)
		}
		at, step := x.Cols*k, 1
		if h.fortran {
			at, step = h.column(k), x.Cols
		}
		for j := range length {
			x.Data[at+step*j] = h.decode(b[j*h.size:])
		}
	}
	return ended(r, size, h.dims)
}

// column returns where the k-th value of a row, in Fortran's order of its dimensions, stands
// in C's.
func (h *npy) column(k int) (at int) {
	stride := 1
	for _, n := range h.dims[1:] {
		stride *= n
	}
	for _, n := range h.dims[1:] {
		stride /= n
		at += k % n * stride
		k /= n
	}
	return at
}
