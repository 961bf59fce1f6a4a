package preprocess

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// A viewer brings images to the size that a network takes and gives pixels its scale. Centres of
// pixels are at their halves. It rounds nothing.
type viewer struct {
	input        publishedInput
	image        fl.Image
	side         int
	down, across []taps
	rows         []float64 // of an image, brought to the new width
	line         []float64 // a row of it, brought to the new height
}

// taps are the neighbouring old pixels that make a new one, and their weights.
type taps struct {
	first   int
	weights []float64
}

func newViewer(in fl.Image, side int, input publishedInput, crops bool) *viewer {
	v := &viewer{input: input, image: in, side: side, rows: make([]float64, in.C*in.H*side),
		line: make([]float64, side)}
	high, wide := side, side // of the image that side×side pixels are cut out of
	if crops {
		short := min(in.H, in.W)
		high, wide = input.short*in.H/short, input.short*in.W/short
	}
	line := bilinear
	if input.bicubic {
		line = bicubic
	}
	v.down, v.across = line(in.H, high, side), line(in.W, wide, side)
	return v
}

// middleOf returns where the centre of pixel k of the middle ones of a line lies among old pixels,
// in units of these, from the edge of the first. A line of old pixels is brought to a length.
func middleOf(k, old, length, middle int) float64 {
	cut := math.RoundToEven(float64(length-middle) / 2) // as Python rounds
	return (float64(k) + cut + 0.5) * float64(old) / float64(length)
}

// bilinear returns the taps of the middle pixels of a line of old ones that is brought to a length.
// What is outside of an image is like its edge.
func bilinear(old, length, middle int) []taps {
	list := make([]taps, middle)
	for k := range list {
		at := min(max(middleOf(k, old, length, middle)-0.5, 0), float64(old-1))
		first := int(at)
		share := at - float64(first)
		list[k] = taps{first, []float64{1 - share, share}}
		if first == old-1 {
			list[k].weights = []float64{1}
		}
	}
	return list
}

// bicubic is bilinear by R. Keys' cubic convolution (Cubic Convolution Interpolation for Digital
// Image Processing. 1981, equation 15, a = −1/2), which is as wide as a new pixel where an image
// shrinks, and leaves out what is outside of it: the filter of Pillow's BICUBIC.
func bicubic(old, length, middle int) []taps {
	list := make([]taps, middle)
	wide := max(float64(old)/float64(length), 1)
	for k := range list {
		at := middleOf(k, old, length, middle)
		lo, hi := max(0, int(at-2*wide+0.5)), min(old, int(at+2*wide+0.5))
		t, sum := taps{lo, make([]float64, hi-lo)}, 0.0
		for i := range t.weights {
			t.weights[i] = keys((float64(lo+i) + 0.5 - at) / wide)
			sum += t.weights[i]
		}
		fl.Vector(t.weights).Scale(1 / sum)
		list[k] = t
	}
	return list
}

// keys is Keys' cubic with a = −1/2.
func keys(x float64) float64 {
	switch x = math.Abs(x); {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// view sets dst to an image as the network takes it, channels last.
func (v *viewer) view(dst []float32, row []float64) {
	in := v.image
	for r := range in.C * in.H {
		from, to := row[r*in.W:][:in.W], v.rows[r*v.side:][:v.side]
		for k, a := range v.across {
			sum := 0.0
			for i, w := range a.weights {
				sum += w * from[a.first+i]
			}
			to[k] = sum
		}
	}
	for c := range 3 {
		of := c
		if v.input.reversed {
			of = 2 - c
		}
		plane := v.rows[min(of, in.C-1)*in.H*v.side:] // of grey images, the only one
		factor, mean := v.input.scale/v.input.root[c], v.input.mean[c]/v.input.root[c]
		for y, d := range v.down {
			clear(v.line)
			for i, w := range d.weights {
				kernel.Axpy(v.line, w, plane[(d.first+i)*v.side:][:v.side])
			}
			for x, value := range v.line {
				dst[(y*v.side+x)*3+c] = float32(factor*value - mean)
			}
		}
	}
}
