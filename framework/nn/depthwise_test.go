package nn

import (
	"math"
	"slices"
	"testing"
)

// ReLU6 ends at 6, and has no slope at both ends; what is no number stays.
func TestReLU6(t *testing.T) {
	tape := mustNew(t, Shape{1, 1, 6}, ReLU6()).Tape(1)
	y := tape.Train(nil, []float32{-1, 0, 0.5, 5.5, 6, 7}, 1)
	if want := []float32{0, 0, 0.5, 5.5, 6, 6}; !slices.Equal(y, want) {
		t.Errorf("%v, want %v", y, want)
	}
	d := tape.chain.backward(&tape.pass, []float32{1, 2, 3, 4, 5, 6}, true)
	if want := []float32{0, 0, 3, 4, 0, 0}; !slices.Equal(d, want) {
		t.Errorf("slopes %v, want %v", d, want)
	}
	y = tape.Train(nil, []float32{0, float32(math.NaN()), 0, 0, 0, 0}, 1)
	if y[1] == y[1] {
		t.Errorf("NaN becomes %v", y[1])
	}
}

// A window that is larger than the image with its border does not fit.
func TestDepthwiseThatDoesNotFit(t *testing.T) {
	if _, err := New(Shape{3, 3, 2}, Depthwise(6, 1, 1)); err == nil {
		t.Error("6×6 fits 3×3 with a border of 1")
	}
}
