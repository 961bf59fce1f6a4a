package data

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// written returns a folder with the arrays that NumPy writes.
func written(t *testing.T) (folder string) {
	t.Helper()
	python := datatest.NumPy(t)
	folder = t.TempDir()
	if out, err := exec.Command(python, "testdata/arrays.py", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// wanted returns the values of an array that NumPy wrote.
func wanted(t *testing.T, path string) (values []float64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	}
	return values
}

// sameNumber reports whether two numbers are the same, with the same sign, or both none.
func sameNumber(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// What NumPy saves is read as it is, of any type, order and shape, alone, packed by gzip, and in
// archives that are packed and that are not.
func TestNumPyWritesArrays(t *testing.T) {
	folder := written(t)
	index, err := os.ReadFile(filepath.Join(folder, "index.txt"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.Lines(string(index)) {
		words := strings.Fields(line)
		name, dims := words[0], []int{}
		for _, word := range words[1:] {
			n, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			dims = append(dims, n)
		}
		want := wanted(t, filepath.Join(folder, name+".f64"))
		alone := filepath.Join(folder, name+".npy")
		raw, err := os.ReadFile(alone)
		if err != nil {
			t.Fatal(err)
		}
		paths := []string{alone, file(t, "x.npy.gz", packed(t, raw))}
		if !strings.HasPrefix(name, "version") {
			paths = append(paths, filepath.Join(folder, "plain.npz"), filepath.Join(folder, "packed.npz"))
		}
		for k, path := range paths {
			x, err := ReadArray(path, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			read++
			if !slices.Equal(x.Dims, dims) || !slices.EqualFunc(x.Rows.Data, want, sameNumber) ||
				x.Rows.Rows != dims[0] || x.Rows.Rows*x.Rows.Cols != len(want) || (x.Name != "") != (k > 1) {
				t.Errorf("%s of %s: %v of %v, want %v", name, path, x.Rows, x.Dims, want)
			}
		}
	}
	if read < 200 {
		t.Errorf("only %d arrays were read", read)
	}
	for name, want := range map[string]string{
		"text":    "holds values of type <U6; want float16, float32, float64, integers or booleans",
		"complex": "holds values of type <c16; want",
		"record":  "holds values of type [('x', '<f4'), ('y', '<i4')]; want",
		"object":  "holds values of type |O; want",
		"single":  "holds a single number and no rows",
	} {
		path := filepath.Join(folder, "bad-"+name+".npy")
		if _, err := ReadArray(path, ""); err == nil || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	path := filepath.Join(folder, "plain.npz")
	_, err = ReadArray(path, "features")
	if want := path + `: there is no array "features"; there are f2, f2-big, `; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// array returns a file of NumPy's, of version 1.
func array(header string, values ...byte) []byte {
	b := []byte(npyMagic + "\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), values...)
}

// plainHeader is that of numbers of a type and shape.
func plainHeader(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
}

// zipFile returns an archive of files.
func zipFile(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadArrayRefuses(t *testing.T) {
	good := array(plainHeader("|u1", "2, 3"), 1, 2, 3, 4, 5, 6)
	if x, err := ReadArray(file(t, "x", good), ""); err != nil || x.Rows.Row(1)[2] != 6 {
		t.Fatalf("%v, %v", x, err)
	}
	zipped := zipFile(t, map[string][]byte{"x.npy": good})
	for _, c := range []struct {
		name, want string
		raw        []byte
	}{
		{"nothing", "no IDX header: 0 of 4 bytes: EOF", nil},
		{"text", `neither .npy or .npz nor IDX: begins with "1,2,3\n"`, []byte("1,2,3\n4,5,6\n")},
		{"half a magic", `neither .npy or .npz nor IDX: begins with "\x93NU"`, good[:3]},
		{"half a header", "the header of the array is truncated: unexpected EOF", good[:30]},
		{"no header", "the header of the array is truncated: unexpected EOF", good[:7]},
		{"version", "version 4 of NumPy's format is not 1, 2 or 3", []byte(npyMagic + "\x04\x00\x01\x00")},
		{"long header", "a header of 16777217 bytes is too long", []byte(npyMagic + "\x02\x00\x01\x00\x00\x01")},
		{"other header", `the header "{}" does not say type, order and shape`, array("{}")},
		{"negative", "the header ", array(plainHeader("<f8", "-1, 3"))},
		{"dimension", "dimension 99999999999999999999: value out of range",
			array(plainHeader("<f8", "99999999999999999999"))},
		{"large", "dimensions [1099511627776 2] are too large", array(plainHeader("|u1", "1099511627776, 2"))},
		{"a lie", "truncated: at most ", array(plainHeader("<f8", "1000000"))},
		{"a packed lie", "truncated: at most ", packed(t, array(plainHeader("<f8", "100000000")))},
		{"a zipped lie", "array x: truncated: at most ",
			zipFile(t, map[string][]byte{"x.npy": array(plainHeader("<f8", "1000000"))})},
		{"truncated", "truncated: 5 bytes of values, want 6 for dimensions [2 3]", good[:len(good)-1]},
		{"too long", "too long: over 6 bytes of values for dimensions [2 3]", append(slices.Clone(good), 0)},
		{"no arrays", "an archive without arrays of NumPy's", zipFile(t, map[string][]byte{"data.pkl": good})},
		{"another array", `there is no array "x"; there are y`, zipFile(t, map[string][]byte{"y.npy": good})},
		{"half a zip", "zip: not a valid zip file", zipped[:len(zipped)-9]},
		{"damaged gzip", "damaged after 6 of 6 bytes of values: unexpected EOF",
			packed(t, good)[:len(packed(t, good))-3]},
	} {
		path := file(t, "bad", c.raw)
		_, err := ReadArray(path, "x")
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+c.want) {
			t.Errorf("%s: error %v, want %q after the name of the file", c.name, err, c.want)
		}
	}
	if _, err := ReadArray(filepath.Join(t.TempDir(), "absent"), ""); !os.IsNotExist(err) {
		t.Errorf("absent file: error %v", err)
	}
}

// A file that is cut off, or of which any byte is another, is read or refused, with no panic.
func TestDamagedArrays(t *testing.T) {
	good := array(plainHeader("<f4", "2, 1"), 0, 0, 0, 64, 0, 0, 64, 64)
	refused := 0
	for _, whole := range [][]byte{good, zipFile(t, map[string][]byte{"x.npy": good})} {
		for k := range whole {
			other := slices.Clone(whole)
			other[k] ^= 0x15
			for _, raw := range [][]byte{whole[:k], other} {
				if _, err := ReadArray(file(t, "bad", raw), "x"); err != nil {
					refused++
				}
			}
		}
		if refused < len(whole) { // those that are cut off, at the least
			t.Errorf("%d damaged files are refused, of %d", refused, 2*len(whole))
		}
		refused = 0
	}
}

// IDX files are read, too.
func TestReadArrayOfIDX(t *testing.T) {
	raw := idx(8, []byte{1, 2, 3, 4}, 2, 2)
	for _, raw := range [][]byte{raw, packed(t, raw)} {
		x, err := ReadArray(file(t, "x", raw), "")
		if err != nil || !slices.Equal(x.Dims, []int{2, 2}) || !slices.Equal(x.Rows.Row(1), []float64{3, 4}) {
			t.Errorf("%v, %v", x, err)
		}
	}
}

func TestNumbersOfArrays(t *testing.T) {
	x := newArray([]int{2, 2})
	copy(x.Rows.Data, []float64{0, 1, math.Inf(-1), math.NaN()})
	if err := x.Finite(); err == nil || err.Error() != "row 1 has -Inf in column 0" {
		t.Errorf("error %v", err)
	}
	if _, err := x.Indices(9); err == nil || err.Error() != "want one number for each row; dimensions are [2 2]" {
		t.Errorf("error %v", err)
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 2, 1}, ""},
		{[]float64{0, 3}, "3 in row 1 is none of the numbers 0 to 2"},
		{[]float64{-1}, "-1 in row 0 is none"}, {[]float64{1.5}, "1.5 in row 0"},
		{[]float64{math.NaN()}, "NaN in row 0"}, {[]float64{1e300}, "1e+300 in row 0"},
	} {
		x := newArray([]int{len(c.values), 1})
		copy(x.Rows.Data, c.values)
		got, err := x.Indices(3)
		switch {
		case c.want == "" && (err != nil || !slices.Equal(got, []int{0, 2, 1}) || x.Finite() != nil):
			t.Errorf("%v, %v", got, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
