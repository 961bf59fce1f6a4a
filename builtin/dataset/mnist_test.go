package dataset

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// TestMNIST compares all digits with what is known of them: the number of each, and the
// sums of the training pixels and of their squares (mean 0.1307, standard deviation 0.3081).
//
//hansa:verifies source dataset/mnist
func TestMNIST(t *testing.T) {
	train, test := loadFrom(t, MNIST, nil)
	for _, c := range []struct {
		d    *fl.Dataset
		want []int
	}{
		{train, []int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
		{test, []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}},
	} {
		got := make([]int, 10)
		for _, y := range c.d.Y {
			got[y]++
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("digits %v, want %v", got, c.want)
		}
	}
	if want := []int{5, 0, 4, 1, 9}; !slices.Equal(train.Y[:5], want) {
		t.Errorf("the first digits are %v, want %v", train.Y[:5], want)
	}
	sum, squares := 0, 0 // of the pixels as bytes: exact
	for _, x := range train.X.Data {
		v := int(math.Round(255 * x))
		sum += v
		squares += v * v
	}
	if sum != 1_567_298_545 || squares != 342_590_800_147 {
		t.Errorf("sum of pixels %d, of squares %d", sum, squares)
	}
	if least, most := slices.Min(test.X.Data), slices.Max(test.X.Data); least != 0 || most != 1 {
		t.Errorf("test pixels from %v to %v, want 0 to 1", least, most)
	}
	if !disjoint(train, test) {
		t.Error("a training image is in the test data")
	}
}

// TestMNISTStandard: over the training rows used every pixel has mean 0 and variance 1, or
// 0 when it is always the same; the test rows were moved by as much.
func TestMNISTStandard(t *testing.T) {
	const rows, tests = 3000, 500
	given := map[string]any{"train": int64(rows), "test": int64(tests)}
	raw, rawTest := loadFrom(t, MNIST, given)
	given["scale"] = "standard"
	train, test := loadFrom(t, MNIST, given)
	if train.Len() != rows || test.Len() != tests || !slices.Equal(raw.Y, train.Y) {
		t.Fatalf("%d training and %d test rows", train.Len(), test.Len())
	}
	constant := 0
	for k := range 784 {
		before, after := column(raw.X, k), column(train.X, k)
		mean, sd := stat.PopMeanStdDev(before, nil)
		newMean, newSD := stat.PopMeanStdDev(after, nil)
		want := 1.0
		if sd == 0 {
			constant++
			want, sd = 0, 1
		}
		if math.Abs(newMean) > 1e-12 || math.Abs(newSD-want) > 1e-12 {
			t.Fatalf("pixel %d: %g ± %g, want 0 ± %g", k, newMean, newSD, want)
		}
		for r, x := range column(rawTest.X, k) {
			scale := sd
			if want == 0 {
				scale = 1.0 / 255 // pixels that never vary are moved, not scaled
			}
			within(t, "test pixel", test.X.Row(r)[k], (x-mean)/scale, 1e-11)
		}
	}
	if constant != 134 {
		t.Errorf("%d pixels never vary, want 134", constant)
	}
}

func column(m fl.Matrix, k int) []float64 {
	c := make([]float64, m.Rows)
	for r := range c {
		c[r] = m.Row(r)[k]
	}
	return c
}

func TestMNISTMissing(t *testing.T) {
	folder := t.TempDir()
	there := filepath.Join(folder, "t10k-labels-idx1-ubyte.gz")
	if err := os.WriteFile(there, []byte("not these"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := build(t, MNIST, nil, 1)
	_, _, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder}})
	var missing *data.MissingError
	if !errors.As(err, &missing) || len(missing.Files) != 3 ||
		!strings.Contains(err.Error(), "by `hansa data get mnist`") {
		t.Errorf("error %v, want one that names three files and how to get them", err)
	}
}

// TestMNISTChecksum: a file of the right name with other content is refused.
func TestMNISTChecksum(t *testing.T) {
	folder := t.TempDir()
	for _, f := range mnistFiles().Files {
		path := filepath.Join(folder, f.Name)
		if err := os.WriteFile(path, []byte("fashion"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := build(t, MNIST, nil, 1)
	_, _, err := s.Load(&fl.LoadInput{Clients: 1, Folders: []string{folder}})
	const want = "train-images-idx3-ubyte.gz: damaged or not the original"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want that the first file is not the original", err)
	}
}
