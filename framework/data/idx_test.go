package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// idx returns a file of the format: kind, dimensions, and the bytes of the values.
func idx(kind byte, values []byte, dims ...uint32) []byte {
	b := []byte{0, 0, kind, byte(len(dims))}
	for _, n := range dims {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return append(b, values...)
}

func packed(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadIDX(t *testing.T) {
	var floats []byte
	for _, v := range []float32{0.5, -3, float32(math.Inf(1)), 0x1p-140} {
		floats = binary.BigEndian.AppendUint32(floats, math.Float32bits(v))
	}
	for _, c := range []struct {
		name string
		raw  []byte
		dims []int
		want []float64
	}{
		{"list", idx(8, []byte{7, 255}, 2), []int{2}, []float64{7, 255}},
		{"images", idx(8, []byte{1, 2, 3, 4}, 1, 2, 2), []int{1, 2, 2}, []float64{1, 2, 3, 4}},
		{"rank four", idx(8, []byte{1, 2}, 2, 1, 1, 1), []int{2, 1, 1, 1}, []float64{1, 2}},
		{"floats", idx(13, floats, 2, 2), []int{2, 2}, []float64{0.5, -3, math.Inf(1), 0x1p-140}},
		{"empty", idx(8, nil, 0, 28, 28), []int{0, 28, 28}, nil},
		{"empty floats", idx(13, nil, 0), []int{0}, nil},
	} {
		for form, raw := range map[string][]byte{"plain": c.raw, "gzip": packed(t, c.raw)} {
			x, err := ReadIDX(file(t, "x", raw), 0)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, form, err)
				continue
			}
			if !slices.Equal(x.Dims, c.dims) || !slices.Equal(x.Rows.Data, c.want) {
				t.Errorf("%s, %s: %v: %v", c.name, form, x.Dims, x.Rows.Data)
			}
			rows, cols := x.Rows.Rows, x.Rows.Cols
			if rows*cols != len(c.want) || rows != c.dims[0] || x.Floats != (c.raw[2] == 13) {
				t.Errorf("%s, %s: a %d×%d matrix of %v", c.name, form, rows, cols, c.dims)
			}
		}
	}
}

func TestReadIDXRefuses(t *testing.T) {
	good := idx(8, []byte{1, 2, 3, 4, 5, 6}, 2, 3)
	longer := append(slices.Clone(good), 0)
	zipped := packed(t, good)
	half, damaged := zipped[:len(zipped)-4], slices.Clone(zipped)
	damaged[len(damaged)-8] ^= 1 // in the checksum
	for _, c := range []struct {
		name, want string
		raw        []byte
	}{
		{"nothing", "no IDX header: 0 of 4 bytes: EOF", nil},
		{"half a magic", "no IDX header: 3 of 4 bytes: unexpected EOF", good[:3]},
		{"text", "not an IDX file: begins with 0x5033", []byte("P3 32 32")},
		{"other type", "IDX type 0x0e is neither", idx(14, nil, 1)},
		{"rank 0", "IDX rank 0 is outside [1, 4]", idx(8, nil)},
		{"rank 5", "IDX rank 5 is outside [1, 4]", idx(8, nil, 1, 1, 1, 1, 1)},
		{"half a header", "IDX header of rank 2 is truncated", good[:9]},
		{"truncated", "truncated: 5 bytes of values, want 6 for dimensions [2 3]", good[:17]},
		{"too long", "too long: over 6 bytes of values for dimensions [2 3]", longer},
		{"large", "dimensions [4294967295 257] are too large", idx(8, nil, 1<<32-1, 257)},
		{"a lie", "truncated: at most 8 bytes of values, want 4294967295", idx(8, nil, 1<<32-1)},
		{"a packed lie", "truncated: at most 3", packed(t, idx(8, nil, 1<<32-1))},
		{"an empty lie", "dimensions [0 4294967295 4294967295] are too large",
			idx(8, nil, 0, 1<<32-1, 1<<32-1)},
		{"half a float", "truncated: 3 bytes of values, want 4", idx(13, []byte{1, 2, 3}, 1)},
		{"truncated gzip", "damaged after 6 of 6 bytes of values: unexpected EOF", half},
		{"damaged gzip", "damaged after 6 of 6 bytes of values: gzip: invalid checksum", damaged},
		{"half a gzip", "unexpected EOF", zipped[:2]},
	} {
		path := file(t, "bad", c.raw)
		_, err := ReadIDX(path, 0)
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) {
			t.Errorf("%s: error %v, want %q after the name of the file", c.name, err, c.want)
		}
	}
	if _, err := ReadIDX(filepath.Join(t.TempDir(), "absent"), 0); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

// TestReadIDXBegin: of the first rows only, and yet the whole file is checked. The file is
// larger than what is read at once, and its rows lie across that.
func TestReadIDXBegin(t *testing.T) {
	values := make([]byte, 1<<18)
	for i := range values {
		values[i] = byte(i * i >> 3)
	}
	for _, kind := range []byte{8, 13} {
		size := map[byte]int{8: 1, 13: 4}[kind]
		rows := len(values) / size / 24
		raw := idx(kind, values[:rows*24*size], uint32(rows), 6, 4)
		all, err := ReadIDX(file(t, "x", packed(t, raw)), 0)
		if err != nil {
			t.Fatal(err)
		}
		some, err := ReadIDX(file(t, "x", raw), 1000)
		if err != nil || some.Rows.Rows != 1000 || !same(some.Rows.Data, all.Rows.Data[:24000]) {
			t.Errorf("type %d: the first rows differ, %v", kind, err)
		}
		if kind == 8 && all.Rows.Data[len(all.Rows.Data)-1] != float64(values[rows*24-1]) {
			t.Error("the last value is wrong")
		}
		if _, err := ReadIDX(file(t, "x", raw[:len(raw)-1]), 1000); err == nil {
			t.Errorf("type %d: the end of the file is missing, and no error says so", kind)
		}
		_, err = ReadIDX(file(t, "x", raw), rows+1)
		if err == nil || !strings.HasSuffix(err.Error(), "rows asked for, "+strconv.Itoa(rows)+" there") {
			t.Errorf("error %v", err)
		}
	}
}

// same compares bits: some of these floats are no numbers.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

func TestLabels(t *testing.T) {
	read := func(kind byte, values []byte, dims ...uint32) *IDX {
		x, err := ReadIDX(file(t, "x", idx(kind, values, dims...)), 0)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := read(8, []byte{2, 0, 9}, 3)
	if y, err := x.Labels(10); err != nil || !slices.Equal(y, []int{2, 0, 9}) {
		t.Errorf("labels %v, %v", y, err)
	}
	_, above := x.Labels(9)
	_, images := read(8, []byte{0}, 1, 1).Labels(10)
	_, floats := read(13, []byte{0, 0, 0, 0}, 1).Labels(10)
	for want, err := range map[string]error{
		"label 9 of row 2 is outside [0, 9)":                   above,
		"labels must be a list of uint8; dimensions are [1 1]": images,
		"labels must be a list of uint8; dimensions are [1]":   floats,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzReadIDX holds the reader to its contract on any bytes: an error, or exactly as many
// values as the dimensions say.
func FuzzReadIDX(f *testing.F) {
	f.Add(idx(8, []byte{1, 2, 3, 4, 5, 6}, 2, 3))
	f.Add(idx(13, []byte{1, 2, 3, 4}, 1, 1, 1, 1))
	f.Add(packed(f, idx(8, []byte{1}, 1)))
	f.Add(idx(8, nil, 1<<32-1, 0, 1<<31))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, most, err := unpack(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return
		}
		x, err := readIDX(r, most, 0)
		if err != nil {
			return
		}
		n := 1
		for _, k := range x.Dims {
			n *= k
		}
		if got := len(x.Packed.Bytes) + len(x.Packed.Floats); got != n {
			t.Errorf("dimensions %v and %d values", x.Dims, got)
		}
	})
}
