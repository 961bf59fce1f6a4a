package preprocess

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// album returns images of colours that stay off the ends of [0, 1], with channels that
// depend on each other.
func album(rng *rand.Rand, n, channels int) *fl.Dataset {
	const side = 6
	d := &fl.Dataset{Shape: fl.Shape{Features: channels * side * side, Classes: 2,
		Image: fl.Image{C: channels, H: side, W: side}}}
	d.X = fl.NewMatrix(n, d.Shape.Features)
	for i := range n {
		image := planes(d.X.Row(i), d.Shape.Image)
		for p := range image.Cols {
			light := rng.Float64() * rng.Float64()
			for c := range channels { // most of it along one direction, which is no channel
				image.Row(c)[p] = 0.4 + 0.25*light*math.Cos(float64(c)) + 0.05*rng.Float64()
			}
		}
		d.Y = append(d.Y, i%2)
	}
	return d
}

// cast returns images whose pixels are changed.
func cast(d *fl.Dataset, change func(x []float64)) *fl.Dataset {
	c := *d
	c.X = copied(d.X)
	for i := range c.X.Rows {
		image := planes(c.X.Row(i), d.Shape.Image)
		x := make([]float64, image.Rows)
		for p := range image.Cols {
			for k := range x {
				x[k] = image.Row(k)[p]
			}
			change(x)
			for k := range x {
				image.Row(k)[p] = x[k]
			}
		}
	}
	return &c
}

// tinted changes each channel by an affine map of its own.
func tinted(x []float64) {
	for c := range x {
		x[c] = x[c]*(1.2-0.3*float64(c)) - 0.1 + 0.1*float64(c)
	}
}

// meet returns the root mean square by which images and their copies differ after alignment.
func meet(t *testing.T, p fl.Preprocessor, a, b *fl.Dataset) float64 {
	t.Helper()
	moved, _, _ := aligned(t, p, []*fl.Dataset{a, b})
	return fl.Vector(moved[0].Data).Distance(moved[1].Data) / math.Sqrt(float64(len(a.X.Data)))
}

// TestTheoremReinhard: an affine cast of each channel is undone to rounding, for any number of
// channels, and one of logarithms of cones in lαβ.
//
//hansa:verifies theorem preprocess/reinhard
func TestTheoremReinhard(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	for channels := 1; channels <= 4; channels++ {
		d := album(rng, 20, channels)
		if gap := meet(t, made(t, Reinhard, nil), d, cast(d, tinted)); gap > 1e-12 {
			t.Errorf("%d channels: images and their casts differ by %v", channels, gap)
		}
	}
	d, r := album(rng, 20, 3), reinhard{lab: true}
	warm := cast(d, func(x []float64) {
		image := fl.Matrix{Rows: 3, Cols: 1, Data: x}
		r.enter(image)
		x[0], x[1], x[2] = 1.1*x[0]+0.02, 0.9*x[1]-0.01, 1.2*x[2]+0.01
		r.leave(image)
	})
	lab := made(t, Reinhard, map[string]any{"space": "lab"})
	if gap := meet(t, lab, d, warm); gap > 1e-12 {
		t.Errorf("lαβ: images and their casts differ by %v", gap)
	}
	if gap := meet(t, made(t, Reinhard, nil), d, warm); gap < 1e-4 {
		t.Errorf("rgb undoes a cast in lαβ but for %v", gap)
	}
}

// TestColoursThereAndBack: lαβ and back is the identity, grey has α = β = 0 nearly, and the sums and
// differences are orthonormal.
func TestColoursThereAndBack(t *testing.T) {
	r := reinhard{lab: true}
	x := fl.Vector{0.5, 0.25, 0.75}
	image := fl.Matrix{Rows: 3, Cols: 1, Data: x.Clone()}
	r.enter(image)
	if r.leave(image); fl.Vector(image.Data).Distance(x) > 1e-14 {
		t.Errorf("%v there and back is %v", x, image.Data)
	}
	grey := fl.Matrix{Rows: 3, Cols: 1, Data: []float64{0.4, 0.4, 0.4}}
	if r.enter(grey); math.Abs(grey.Data[1]) > 0.01 || math.Abs(grey.Data[2]) > 0.01 {
		t.Errorf("grey is %v", grey.Data)
	}
	for i, a := range lab {
		for j, b := range lab {
			dot, want := fl.Vector(a[:]).Dot(b[:]), 0.0
			if i == j {
				want = 1
			}
			if math.Abs(dot-want) > 1e-15 {
				t.Errorf("rows %d and %d: %v", i, j, dot)
			}
		}
	}
}

// TestReinhardSaysWhatIsWrong: lαβ of one channel is refused, and a constant channel is moved to the
// mean of all.
func TestReinhardSaysWhatIsWrong(t *testing.T) {
	lab := made(t, Reinhard, map[string]any{"space": "lab"})
	if _, err := lab.Shape(album(rand.New(rand.NewPCG(43, 2)), 1, 1).Shape); err == nil {
		t.Error("lαβ of one channel: no error")
	}
	d := album(rand.New(rand.NewPCG(43, 3)), 4, 3)
	flat := cast(d, func(x []float64) { x[1] = 0.3 })
	moved, to, _ := aligned(t, made(t, Reinhard, nil), []*fl.Dataset{d, flat})
	if got, want := planes(moved[1].Row(0), d.Shape.Image).Row(1)[0], to["mean"].Data[1]; got != want {
		t.Errorf("a constant channel becomes %v, want %v", got, want)
	}
}
