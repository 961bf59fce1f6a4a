package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// PutArray stores an array that a component of a cell recorded in a round, as NumPy reads it:
// "plan 2 of layer 1" is round-3-plan-2-of-layer-1.npy. It is no part of any result, and
// replaces one of its name. The data lie row by row.
func (r Run) PutArray(id string, round int, name string, shape [2]int, data []float64) error {
	at, err := arrayFile(id, Kept{round, plain(name)})
	if err != nil {
		return err
	}
	return r.storing(func(f *folder) error { return f.write(at, NPY(data, shape[0], shape[1])) })
}

// plain returns a name of letters and digits, with hyphens for what stood between them.
func plain(name string) string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(name, between), "-")
}

// NPY returns the content of a file of NumPy's format, version 1.0: float64 of a shape, row by
// row. What precedes the numbers takes a multiple of 64 bytes.
func NPY(data []float64, shape ...int) []byte {
	var sizes []string
	for _, n := range shape {
		sizes = append(sizes, strconv.Itoa(n))
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", tuple)
	const before = len(magic) + 2
	padding := 63 - (before+len(header))%64
	header += strings.Repeat(" ", padding) + "\n"
	b := make([]byte, 0, before+len(header)+8*len(data))
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	b = append(b, header...)
	for _, x := range data {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// magic begins a file of NumPy's, version 1.0.
const magic = "\x93NUMPY\x01\x00"
