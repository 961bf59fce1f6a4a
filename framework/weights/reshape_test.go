package weights

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// reshaped is a file of three tensors.
func reshaped(t *testing.T) *File {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, []Tensor{{"a", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
		{"b", []int{1, 3}, []float32{7, 8, 9}}, {"c", []int{2}, []float32{1, 2}}}, nil); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTensorsAreReshaped(t *testing.T) {
	f := reshaped(t)
	for _, err := range []error{f.Join("ab", "a", "b"), f.Transpose("ab"), f.Rename("ab", "d"),
		f.Reshape("d", 9, 1), f.Reshape("c", 1, 2)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := f.Floats("d")
	if err != nil || !slices.Equal(v, []float64{1, 4, 7, 2, 5, 8, 3, 6, 9}) {
		t.Errorf("%v, %v", v, err)
	}
	if shape, _ := f.Shape("d"); !slices.Equal(shape, []int{9, 1}) {
		t.Errorf("shape %d", shape)
	}
	if names := f.Names(); !slices.Equal(names, []string{"c", "d"}) {
		t.Errorf("names %q", names)
	}
}

func TestReshapingRefuses(t *testing.T) {
	for want, do := range map[string]func(f *File) error{
		`has no tensor "x"`:                   func(f *File) error { return f.Transpose("x") },
		`which does not continue "a"`:         func(f *File) error { return f.Join("d", "a", "c") },
		`has both tensors "a" and "b"`:        func(f *File) error { return f.Rename("a", "b") },
		"shape [2 3], the model needs [7]":    func(f *File) error { return f.Reshape("a", 7) },
		"shape [2], the model needs a matrix": func(f *File) error { return f.Transpose("c") },
	} {
		f := reshaped(t)
		if err := do(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if len(f.Names()) != 3 {
			t.Errorf("%q: %q are left", want, f.Names())
		}
	}
}
