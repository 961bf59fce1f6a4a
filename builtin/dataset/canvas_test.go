package dataset

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// TestCanvas puts images of 2×2 pixels on canvases that are larger by an even and by an odd
// number of pixels.
func TestCanvas(t *testing.T) {
	small := func() *fl.Dataset {
		d := &fl.Dataset{Shape: fl.Shape{Features: 4, Classes: 2, Image: fl.Image{C: 1, H: 2, W: 2}},
			X: fl.NewMatrix(2, 4), Y: []int{1, 0}}
		copy(d.X.Data, []float64{1, 2, 3, 4, 5, 6, 7, 8})
		return d
	}
	for _, c := range []struct {
		size, channels int
		want           []float64 // the first image
	}{
		{2, 1, []float64{1, 2, 3, 4}},
		{3, 1, []float64{1, 2, 0, 3, 4, 0, 0, 0, 0}},
		{4, 1, []float64{0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0}},
		{2, 3, []float64{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}},
	} {
		d := small()
		on := canvas{c.size, c.channels}
		on.mount(d)
		if got := d.X.Row(0); !slices.Equal(got, c.want) {
			t.Errorf("%d channels of %d pixels: %v, want %v", c.channels, c.size, got, c.want)
		}
		if d.Shape.Image != on.image() || d.Shape.Features != len(c.want) || d.X.Cols != len(c.want) {
			t.Errorf("%d channels of %d pixels: shape %+v", c.channels, c.size, d.Shape)
		}
	}
}

// TestMNISTCanvas: the digits of MNIST on 32×32 pixels in three channels.
func TestMNISTCanvas(t *testing.T) {
	given := map[string]any{"train": int64(50), "test": int64(20)}
	raw, _ := loadFrom(t, MNIST, given)
	given["size"], given["channels"] = int64(32), int64(3)
	train, test := loadFrom(t, MNIST, given)
	if s := build(t, MNIST, given, 1).Shape(); !train.Shape.Equal(s) || !test.Shape.Equal(s) {
		t.Fatalf("declared %+v, loaded %+v", s, train.Shape)
	}
	for r := range train.Len() {
		for y := range 28 {
			want := raw.X.Row(r)[28*y : 28*y+28]
			for c := range 3 {
				at := c*32*32 + (y+2)*32
				line := train.X.Row(r)[at : at+32]
				if !slices.Equal(line[2:30], want) || line[0] != 0 || line[31] != 0 {
					t.Fatalf("image %d, channel %d, line %d: %v", r, c, y, line)
				}
			}
		}
	}
	for _, wrong := range []map[string]any{{"channels": int64(2)}, {"size": int64(27)}} {
		if problems(t, MNIST, wrong) == "" {
			t.Errorf("%v is accepted", wrong)
		}
	}
}
