package store

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

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
		if err := r.PutArray(ab12, k+1, "plan 2 of layer 1: T/λ", [2]int{m.Rows, m.Cols}, m.Data); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(r.Dir, "arrays", ab12, fmt.Sprintf("round-%d-plan-2-of-layer-1-T-λ.npy", k+1))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if before := len(content) - 8*len(m.Data); before%64 != 0 || content[before-1] != '\n' {
			t.Errorf("%d × %d: %d bytes stand before the numbers", m.Rows, m.Cols, before)
		}
		got, err := data.ReadArray(path, "")
		if err != nil || got.Rows.Rows != m.Rows || got.Rows.Cols != m.Cols ||
			!slices.EqualFunc(got.Rows.Data, m.Data, bits) {
			t.Errorf("%d × %d was read as %+v, %v", m.Rows, m.Cols, got, err)
		}
	}
	if none, err := r.Get(ab12, nil); none != nil || err != nil {
		t.Errorf("arrays are said to be a result: %v, %v", none, err)
	}
}

// Arrays may have one dimension, or more than two.
func TestArraysOfAnyShape(t *testing.T) {
	for want, shape := range map[string][]int{"(4,)": {4}, "(2, 2)": {2, 2}, "(1, 4, 1)": {1, 4, 1}} {
		if got := string(NPY([]float64{1, 2, 3, 4}, shape...)); !strings.Contains(got, "'shape': "+want+", }") || len(got)%64 != 32 {
			t.Errorf("%v: %q", shape, got)
		}
	}
}

// NumPy itself reads the same.
func TestNumPyReadsArrays(t *testing.T) {
	python := datatest.NumPy(t)
	r := Run{t.TempDir()}
	for k, m := range arrays() {
		if err := r.PutArray(ab12, k, "x", [2]int{m.Rows, m.Cols}, m.Data); err != nil {
			t.Fatal(err)
		}
		const program = `import numpy, sys
a = numpy.load(sys.argv[1])
assert a.dtype == numpy.float64 and a.flags.c_contiguous
print(*a.shape)
sys.stdout.flush()
sys.stdout.buffer.write(a.tobytes())`
		path := filepath.Join(r.Dir, "arrays", ab12, fmt.Sprintf("round-%d-x.npy", k))
		out, err := exec.Command(python, "-c", program, path).Output()
		if err != nil {
			t.Fatal(err)
		}
		want := NPY(m.Data, m.Rows, m.Cols)
		want = append(fmt.Appendf(nil, "%d %d\n", m.Rows, m.Cols), want[len(want)-8*len(m.Data):]...)
		if !bytes.Equal(out, want) {
			t.Errorf("%d × %d: NumPy reads %.20q", m.Rows, m.Cols, out)
		}
	}
}
