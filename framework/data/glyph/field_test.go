package glyph

import (
	"image"
	"math"
	"testing"

	"golang.org/x/image/vector"
)

// box returns a square contour around the origin, of either sense.
func box(half float64, clockwise bool) []segment {
	c := []point{{-half, -half}, {half, -half}, {half, half}, {-half, half}}
	var s []segment
	for k := range c {
		if from, to := c[k], c[(k+1)%4]; clockwise {
			s = append(s, segment{from, to})
		} else {
			s = append(s, segment{to, from})
		}
	}
	return s
}

// TestDistance compares with distances from a square that has, or has not, a square hole.
func TestDistance(t *testing.T) {
	for _, clockwise := range []bool{true, false} {
		full := box(0.5, clockwise)
		hollow := append(box(0.25, !clockwise), full...)
		for _, c := range []struct {
			at           point
			full, hollow float64
		}{
			{point{0, 0}, -0.5, 0.25},
			{point{0.2, 0}, -0.3, 0.05},
			{point{0.3, -0.1}, -0.2, -0.05},
			{point{0.8, 0.9}, 0.5, 0.5},
			{point{-0.7, 0.1}, 0.2, 0.2},
			{point{0, 0.5}, 0, 0},
		} {
			if got := distance(full, c.at); math.Abs(got-c.full) > 1e-15 {
				t.Errorf("square, %v: %v, want %v", c.at, got, c.full)
			}
			if got := distance(hollow, c.at); math.Abs(got-c.hollow) > 1e-15 {
				t.Errorf("hollow square, %v: %v, want %v", c.at, got, c.hollow)
			}
		}
	}
}

// TestFieldInterpolates: between grid points the field is as good as its grid is fine, and
// beyond its edge it stays what it was there.
func TestFieldInterpolates(t *testing.T) {
	for _, face := range typefaces() {
		digits, err := face.outlines()
		if err != nil {
			t.Fatal(err)
		}
		for digit, o := range digits {
			var f field
			f.fill(o)
			rng := stream(uint64(digit))
			for range 200 {
				p := point{reach * (2*rng.Float64() - 1), reach * (2*rng.Float64() - 1)}
				// A distance changes by no more than one goes.
				if got, want := f.at(p.x, p.y), distance(o, p); math.Abs(got-want) > 2*reach/cells {
					t.Errorf("digit %d at %v: %v, want %v", digit, p, got, want)
				}
			}
			if got, want := f.at(9, 0.1), f.at(reach, 0.1); math.Abs(got-want) > 1e-6 || got < 0.2 {
				t.Errorf("digit %d: %v beyond the edge, %v there", digit, got, want)
			}
		}
	}
}

// TestPlainDigits: without deformation and noise, white ink is the typeface's own digit, 20
// pixels high in the middle of 28, as a rasteriser of outlines draws it.
func TestPlainDigits(t *testing.T) {
	const size = 28
	p, dst := painter(t, size, 1, 0, 0)
	for k, face := range typefaces() {
		digits, err := face.outlines()
		if err != nil {
			t.Fatal(err)
		}
		for digit, o := range digits {
			want := rasterise(o, size)
			// The generator chooses the typeface: look for a seed that chooses this one.
			for seed := uint64(0); p.pose.glyph != &p.faces[k][digit]; seed++ {
				p.Paint(dst, digit, 0, stream(seed))
			}
			sum, most := 0.0, 0.0
			for i, v := range dst {
				off := math.Abs(v - float64(want.Pix[i])/255)
				sum += off
				most = max(most, off)
			}
			if sum/size/size > 0.01 || most > 0.3 {
				t.Errorf("typeface %d, digit %d: off by %.4f, at most by %.2f", k, digit,
					sum/size/size, most)
			}
		}
	}
}

func rasterise(o []segment, size int) *image.Alpha {
	r := vector.NewRasterizer(size, size)
	pixel := func(p point) (x, y float32) {
		return float32(20*p.x) + float32(size)/2, float32(20*p.y) + float32(size)/2
	}
	var at point
	for k, s := range o {
		if k == 0 || s.from != at {
			r.ClosePath()
			r.MoveTo(pixel(s.from))
		}
		r.LineTo(pixel(s.to))
		at = s.to
	}
	r.ClosePath()
	dst := image.NewAlpha(image.Rect(0, 0, size, size))
	r.Draw(dst, dst.Bounds(), image.Opaque, image.Point{})
	return dst
}

// TestLattice: a lattice of equal numbers is constant, since the weights of a pixel sum to
// 1; of independent ones it has the standard deviation asked for.
func TestLattice(t *testing.T) {
	const size = 28
	for _, n := range []int{1, 4, 9, 16, 28} {
		l, dst := newLattice(size, n), make([]float64, size*size)
		for k, w := range l.weight {
			if sum := w[0] + w[1] + w[2] + w[3]; math.Abs(sum-1) > 1e-15 || l.from[k] > n-1 {
				t.Errorf("%d cells, pixel %d: weights %v from %d", n, k, w, l.from[k])
			}
		}
		square, rng := 0.0, stream(3)
		const draws = 2000
		for range draws {
			l.draw(dst, 0.7, rng)
			for _, v := range dst {
				square += v * v / (draws * size * size)
			}
		}
		// The pixels of 28 cells lie where the weights are at their flattest: −4 %.
		if sd := math.Sqrt(square); math.Abs(sd/0.7-1) > 0.05 {
			t.Errorf("%d cells: standard deviation %.3f, want 0.7", n, sd)
		}
	}
}
