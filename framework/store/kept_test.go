package store

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestArraysComeBack(t *testing.T) {
	r := Run{t.TempDir()}
	data := []float64{1, math.Inf(-1), 3, -0.5, 1e-300, 6}
	for _, name := range []string{"plan 10 of layer 1", "plan 2 of layer 1", "plan 2 of layer 10"} {
		if err := r.PutArray(cell, 3, name, [2]int{2, 3}, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.PutArray(cell, 1, "empty", [2]int{0, 4}, nil); err != nil {
		t.Fatal(err)
	}
	list, err := r.Arrays(cell)
	want := []Kept{{1, "empty"}, {3, "plan-2-of-layer-1"}, {3, "plan-2-of-layer-10"},
		{3, "plan-10-of-layer-1"}}
	if err != nil || !slices.Equal(list, want) {
		t.Fatalf("%v, %v", list, err)
	}
	if !list[1].Called("plan 2 of layer 1") || list[1].Called("plan 2 of layer 10") {
		t.Error("an array does not know its name")
	}
	shape, got, err := r.LoadArray(cell, list[1])
	if err != nil || shape != [2]int{2, 3} || !slices.Equal(got, data) {
		t.Errorf("%v %v, %v", shape, got, err)
	}
	if shape, got, err = r.LoadArray(cell, list[0]); err != nil || shape != [2]int{0, 4} ||
		len(got) != 0 {
		t.Errorf("%v %v, %v", shape, got, err)
	}
	if list, err := r.Arrays(ab99); err != nil || list != nil {
		t.Errorf("a cell that kept nothing has %v, %v", list, err)
	}
}

func TestDamagedArrays(t *testing.T) {
	r := Run{t.TempDir()}
	if err := r.PutArray(cell, 1, "a", [2]int{2, 2}, []float64{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "arrays", cell, "round-1-a.npy")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{nil, whole[:5], whole[:9], whole[:60], whole[:len(whole)-8],
		append(slices.Clone(whole), 0), []byte("something else altogether, and long enough")} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.LoadArray(cell, Kept{1, "a"}); err == nil {
			t.Errorf("%d bytes of %d were read as an array", len(content), len(whole))
		}
	}
}
