package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// readNPY returns what a file of NumPy's format, version 1.0, holds, by its specification.
func readNPY(content []byte) (m tensor.Matrix, err error) {
	rest, ok := bytes.CutPrefix(content, []byte("\x93NUMPY\x01\x00"))
	if !ok || len(rest) < 2 {
		return m, fmt.Errorf("begins with %q", content[:min(8, len(content))])
	}
	n := int(binary.LittleEndian.Uint16(rest))
	header, data := string(rest[2:2+n]), rest[2+n:]
	if (len(content)-len(data))%64 != 0 || !strings.HasSuffix(header, "\n") {
		return m, fmt.Errorf("the header ends in %q, after %d bytes", header[n-1:], len(content)-len(data))
	}
	_, err = fmt.Sscanf(header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
		&m.Rows, &m.Cols)
	if err != nil || len(data) != 8*m.Rows*m.Cols {
		return m, fmt.Errorf("%d bytes after %q, %v", len(data), header, err)
	}
	for ; len(data) > 0; data = data[8:] {
		m.Data = append(m.Data, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return m, nil
}

// arrays are of sizes whose headers differ in length, with numbers of every kind.
func arrays() []tensor.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []tensor.Matrix
	for _, size := range [][2]int{{1, 1}, {3, 5}, {784, 400}, {0, 7}, {100_000, 1}} {
		m := tensor.NewMatrix(size[0], size[1])
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64()
		}
		copy(m.Data, []float64{math.Inf(1), math.Copysign(0, -1), 5e-324, math.NaN()})
		list = append(list, m)
	}
	return list
}

func bits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestArraysSurviveTheDiskBitForBit(t *testing.T) {
	r := Run{t.TempDir()}
	for k, m := range arrays() {
		if err := r.PutArray("ab12", k+1, "plan 2 of layer 1: T/λ", [2]int{m.Rows, m.Cols}, m.Data); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(r.Dir, "arrays", "ab12", fmt.Sprintf("round-%d-plan-2-of-layer-1-T-λ.npy", k+1))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readNPY(content)
		if err != nil || got.Rows != m.Rows || got.Cols != m.Cols || !slices.EqualFunc(got.Data, m.Data, bits) {
			t.Errorf("%d × %d came back as %d × %d, %v", m.Rows, m.Cols, got.Rows, got.Cols, err)
		}
	}
	if none, err := r.Get("ab12"); none != nil || err != nil {
		t.Errorf("arrays are said to be a result: %v, %v", none, err)
	}
}

// NumPy itself reads the same.
func TestNumPyReadsArrays(t *testing.T) {
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("NumPy is missing: install python3-numpy")
		}
		t.Skip("NumPy is missing: that it reads arrays is not seen, only that they keep its format")
	}
	r := Run{t.TempDir()}
	for k, m := range arrays() {
		if err := r.PutArray("ab12", k, "x", [2]int{m.Rows, m.Cols}, m.Data); err != nil {
			t.Fatal(err)
		}
		const program = `import numpy, sys
a = numpy.load(sys.argv[1])
assert a.dtype == numpy.float64 and a.flags.c_contiguous
print(*a.shape)
sys.stdout.flush()
sys.stdout.buffer.write(a.tobytes())`
		path := filepath.Join(r.Dir, "arrays", "ab12", fmt.Sprintf("round-%d-x.npy", k))
		out, err := exec.Command(python, "-c", program, path).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := npy([2]int{m.Rows, m.Cols}, m.Data)
		want = append(fmt.Appendf(nil, "%d %d\n", m.Rows, m.Cols), want[len(want)-8*len(m.Data):]...)
		if !bytes.Equal(out, want) {
			t.Errorf("%d × %d: NumPy reads %.20q", m.Rows, m.Cols, out)
		}
	}
}
