package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
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
			x, err := ReadIDX(file(t, "x", raw))
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, form, err)
				continue
			}
			rows, err := x.Rows(c.dims[0])
			if err != nil || !slices.Equal(x.Dims, c.dims) || !slices.Equal(rows.Data, c.want) {
				t.Errorf("%s, %s: %v: %v, %v", c.name, form, x.Dims, rows.Data, err)
			}
			if rows.Rows*rows.Cols != len(c.want) || rows.Rows != c.dims[0] {
				t.Errorf("%s, %s: a %d×%d matrix of %v", c.name, form, rows.Rows, rows.Cols, c.dims)
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
		{"nothing", "no IDX header: EOF", nil},
		{"half a magic", "no IDX header: unexpected EOF", good[:3]},
		{"text", "not an IDX file: begins with 0x5033", []byte("P3 32 32")},
		{"other type", "IDX type 0x0e is neither", idx(14, nil, 1)},
		{"rank 0", "IDX rank 0 is outside [1, 4]", idx(8, nil)},
		{"rank 5", "IDX rank 5 is outside [1, 4]", idx(8, nil, 1, 1, 1, 1, 1)},
		{"half a header", "IDX header of rank 2 is truncated", good[:9]},
		{"truncated", "truncated: 5 bytes of values, want 6 for dimensions [2 3]", good[:17]},
		{"too long", "too long: over 6 bytes of values for dimensions [2 3]", longer},
		{"large", "IDX dimensions [4294967295 257] are too large", idx(8, nil, 1<<32-1, 257)},
		{"a lie", "truncated: 0 bytes of values, want 4294967295", idx(8, nil, 1<<32-1)},
		{"half a float", "truncated: 3 bytes of values, want 4", idx(13, []byte{1, 2, 3}, 1)},
		{"truncated gzip", "damaged after 6 of 6 bytes of values: unexpected EOF", half},
		{"damaged gzip", "damaged after 6 of 6 bytes of values: gzip: invalid checksum", damaged},
		{"half a gzip", "unexpected EOF", zipped[:2]},
	} {
		path := file(t, "bad", c.raw)
		_, err := ReadIDX(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) {
			t.Errorf("%s: error %v, want %q after the name of the file", c.name, err, c.want)
		}
	}
	if _, err := ReadIDX(filepath.Join(t.TempDir(), "absent")); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

func TestRowsAndLabels(t *testing.T) {
	x := &IDX{Dims: []int{3}, Bytes: []uint8{2, 0, 9}}
	if y, err := x.Labels(2, 3); err != nil || !slices.Equal(y, []int{2, 0}) {
		t.Errorf("labels %v, %v", y, err)
	}
	_, above := x.Labels(3, 3)
	_, many := x.Labels(4, 10)
	_, images := (&IDX{Dims: []int{1, 1}, Bytes: []uint8{0}}).Labels(1, 10)
	_, floats := (&IDX{Dims: []int{1}, Floats: []float32{0}}).Labels(1, 10)
	_, rows := x.Rows(4)
	for want, err := range map[string]error{
		"label 9 of row 2 is outside [0, 3)":                   above,
		"4 labels asked for, 3 there":                          many,
		"labels must be a list of uint8; dimensions are [1 1]": images,
		"labels must be a list of uint8; dimensions are [1]":   floats,
		"4 rows asked for, 3 there":                            rows,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzReadIDX holds the reader to its promise on any bytes: an error, or exactly as many
// values as the dimensions say.
func FuzzReadIDX(f *testing.F) {
	f.Add(idx(8, []byte{1, 2, 3, 4, 5, 6}, 2, 3))
	f.Add(idx(13, []byte{1, 2, 3, 4}, 1, 1, 1, 1))
	f.Add(packed(f, idx(8, []byte{1}, 1)))
	f.Add(idx(8, nil, 1<<32-1, 0, 1<<31))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := readIDX(bytes.NewReader(raw))
		if err != nil {
			return
		}
		n := 1
		for _, k := range x.Dims {
			n *= k
		}
		if len(x.Bytes)+len(x.Floats) != n {
			t.Errorf("dimensions %v and %d values", x.Dims, len(x.Bytes)+len(x.Floats))
		}
	})
}
