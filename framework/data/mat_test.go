package data

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Arrays that SciPy wrote, packed by zlib or not, are those that it was given: see testdata/mat.py.
func TestMAT(t *testing.T) {
	for _, name := range []string{"mat_packed.mat", "mat_plain.mat"} {
		arrays, err := ReadMAT(filepath.Join("testdata", name), "X", "y", "real", "short")
		if err != nil {
			t.Fatal(err)
		}
		x := arrays["X"]
		if !slices.Equal(x.Dims, []int{4, 3, 3, 5}) || len(x.Bytes) != 180 {
			t.Fatalf("%s: %v, %d bytes", name, x.Dims, len(x.Bytes))
		}
		for k, b := range x.Bytes {
			if b != uint8(k*7%251) {
				t.Fatalf("%s: byte %d is %d", name, k, b)
			}
		}
		if y := arrays["y"]; !slices.Equal(y.Dims, []int{5, 1}) || !slices.Equal(y.Bytes, []byte{1, 10, 3, 10, 9}) {
			t.Errorf("%s: %+v", name, y)
		}
		if r := arrays["real"]; !slices.Equal(r.Real, []float64{0.5, -2, 3}) {
			t.Errorf("%s: %+v", name, r)
		}
		if r := arrays["short"]; !slices.Equal(r.Real, []float64{300, -300}) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestMATRefuses(t *testing.T) {
	plain, err := os.ReadFile("testdata/mat_plain.mat")
	if err != nil {
		t.Fatal(err)
	}
	change := func(b []byte, at int, to byte) []byte {
		b = bytes.Clone(b)
		b[at] = to
		return b
	}
	for want, content := range map[string][]byte{
		"no MAT-file of version 5: it has 5 bytes": []byte("MATLA"),
		"no MAT-file of version 5: begins with":    make([]byte, 200),
		"a MAT-file of version 0x200":              change(plain, 125, 2),
		"cut off: an element of ":                  plain[:len(plain)-30],
		`there is no array "X"`:                    plain[:128],
	} {
		path := filepath.Join(t.TempDir(), "x.mat")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMAT(path, "X"); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := ReadMAT("testdata/mat_plain.mat", "note"); err == nil ||
		!strings.Contains(err.Error(), `array "note" is none of real numbers`) {
		t.Errorf("error %v", err)
	}
}

// FuzzMAT: what is damaged is an error, and arrays have as many values as their dimensions say.
func FuzzMAT(f *testing.F) {
	for _, name := range []string{"mat_packed.mat", "mat_plain.mat"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		arrays, err := readMAT(bytes.NewReader(b), []string{"X", "y", "real"})
		if err != nil {
			return
		}
		for _, a := range arrays {
			n := 1
			for _, d := range a.Dims {
				n *= d
			}
			if n != len(a.Bytes)+len(a.Real) {
				t.Fatalf("%v, %d values", a.Dims, len(a.Bytes)+len(a.Real))
			}
		}
	})
}
