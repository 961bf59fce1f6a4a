package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// A File is the content of a safetensors file.
type File struct {
	Metadata map[string]string
	stored   map[string]stored
}

// stored is a tensor as a file holds it.
type stored struct {
	kind  string // the type of its elements
	shape []int
	data  []byte
}

// sizes are the bytes of an element, by type.
var sizes = map[string]int{
	"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1,
	"U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}

// longest is the most bytes of a header, as the format has it.
const longest = 100_000_000

// most is how many bytes a file may have.
const most = 1 << 36

// Read reads a file, which takes as much memory as the file has bytes.
func Read(path string) (f *File, err error) {
	err = load(path, "", func(read *File) error { f = read; return nil })
	return f, err
}

// entry is what a header says of a tensor.
type entry struct {
	Kind    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// Parse reads the content of a file. The tensors share its memory.
func Parse(content []byte) (*File, error) {
	if len(content) < 8 {
		return nil, fmt.Errorf("no safetensors file: it has %d bytes, and the length of its "+
			"header alone takes 8", len(content))
	}
	n, data := binary.LittleEndian.Uint64(content), content[8:]
	if n > longest || n > uint64(len(data)) {
		return nil, fmt.Errorf("no safetensors file, or a truncated one: its header should have "+
			"%d bytes, %d follow", n, len(data))
	}
	header, data := data[:n], data[n:]
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("no safetensors file: its header is no JSON object: %w", err)
	}
	f := &File{stored: map[string]stored{}}
	if text, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
		delete(raw, "__metadata__")
	}
	return f, f.take(raw, data)
}

// take takes the tensors of a header, which cover the data without gaps.
func (f *File) take(raw map[string]json.RawMessage, data []byte) error {
	type span struct {
		name     string
		from, to uint64
	}
	var spans []span
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		var e entry
		if err := json.Unmarshal(raw[name], &e); err != nil {
			return fmt.Errorf("tensor %s: %w", short(name), err)
		}
		bytes, err := e.bytes()
		switch {
		case err != nil:
			return fmt.Errorf("tensor %s: %w", short(name), err)
		case len(e.Offsets) != 2 || e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > uint64(len(data)):
			return fmt.Errorf("tensor %s: its offsets %d are not within the %d bytes of data, or "+
				"the file is truncated", short(name), e.Offsets, len(data))
		case e.Offsets[1]-e.Offsets[0] != bytes:
			return fmt.Errorf("tensor %s: %d bytes, but its shape %d of %s needs %d", short(name),
				e.Offsets[1]-e.Offsets[0], e.Shape, e.Kind, bytes)
		}
		spans = append(spans, span{name, e.Offsets[0], e.Offsets[1]})
		f.stored[name] = stored{e.Kind, e.Shape, data[e.Offsets[0]:e.Offsets[1]]}
	}
	slices.SortFunc(spans, func(a, b span) int {
		if a.from != b.from {
			return int(int64(a.from) - int64(b.from))
		}
		return int(int64(a.to) - int64(b.to))
	})
	end := uint64(0)
	for _, s := range spans {
		if s.from != end {
			return fmt.Errorf("tensor %s begins at byte %d, another ends at %d", short(s.name),
				s.from, end)
		}
		end = s.to
	}
	if end != uint64(len(data)) {
		return fmt.Errorf("%d bytes of data, of which tensors have %d", len(data), end)
	}
	return nil
}

// bytes returns how many bytes a tensor takes.
func (e *entry) bytes() (uint64, error) {
	size, ok := sizes[e.Kind]
	if !ok {
		return 0, fmt.Errorf("type %s is none of %s", short(e.Kind),
			strings.Join(slices.Sorted(maps.Keys(sizes)), ", "))
	}
	n := uint64(size)
	for _, d := range e.Shape {
		if d < 0 || d > 0 && n > math.MaxInt64/uint64(d) {
			return 0, fmt.Errorf("shape %d", e.Shape)
		}
		n *= uint64(d)
	}
	return n, nil
}

// short returns a name for messages.
func short(name string) string {
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	return fmt.Sprintf("%q", name)
}

// Names returns the names of all tensors, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.stored)) }

// Shape returns the shape of a tensor, and whether there is one of the name.
func (f *File) Shape(name string) ([]int, bool) {
	s, ok := f.stored[name]
	return s.shape, ok
}

// Floats returns the elements of a tensor in float64, which holds those of all types of floats.
func (f *File) Floats(name string) ([]float64, error) {
	s, ok := f.stored[name]
	if !ok {
		return nil, fmt.Errorf("has no tensor %s", short(name))
	}
	v := make([]float64, len(s.data)/sizes[s.kind])
	read := map[string]func(b []byte) float64{
		"F64": func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		},
		"F32": func(b []byte) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		},
		"F16": func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) },
		"BF16": func(b []byte) float64 {
			return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
		},
		"U8": func(b []byte) float64 { return float64(b[0]) },
	}[s.kind]
	if read == nil {
		return nil, fmt.Errorf("tensor %s is of type %s, not of F64, F32, F16, BF16 or U8",
			short(name), s.kind)
	}
	size := sizes[s.kind]
	for i := range v {
		v[i] = read(s.data[i*size:])
	}
	return v, nil
}

// half returns a number of half precision.
func half(b uint16) float64 {
	sign, exponent, fraction := 1.0, int(b>>10&0x1f), float64(b&0x3ff)
	if b>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 0:
		return math.Ldexp(sign*fraction, -24)
	case exponent < 0x1f:
		return math.Ldexp(sign*(1024+fraction), exponent-25)
	case fraction == 0:
		return math.Inf(int(sign))
	}
	return math.NaN()
}

// A Tensor is what is written.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Write writes tensors in float32, in order.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	header, at := map[string]any{}, 0
	if len(metadata) > 0 {
		header["__metadata__"] = metadata
	}
	for _, t := range tensors {
		if _, twice := header[t.Name]; twice || t.Name == "__metadata__" {
			return fmt.Errorf("two tensors are named %s", short(t.Name))
		}
		count := 1
		for _, d := range t.Shape {
			count *= d
		}
		if count != len(t.Data) {
			return fmt.Errorf("tensor %s: %d elements, shape %d", short(t.Name), len(t.Data),
				t.Shape)
		}
		header[t.Name] = map[string]any{"dtype": "F32", "shape": t.Shape,
			"data_offsets": []int{at, at + 4*count}}
		at += 4 * count
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if rest := len(text) % 8; rest != 0 {
		text = append(text, bytes.Repeat([]byte(" "), 8-rest)...)
	}
	_, failed := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	_, err = w.Write(text)
	failed = errors.Join(failed, err)
	var b []byte
	for _, t := range tensors {
		for part := range slices.Chunk(t.Data, 1<<14) {
			b = b[:0]
			for _, x := range part {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			_, err = w.Write(b)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
