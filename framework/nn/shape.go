package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Shape is the shape of one sample: height, width and channels. A vector of n numbers
// is {1, 1, n}.
type Shape struct{ H, W, C int }

// Len returns the number of elements of a sample.
func (s Shape) Len() int { return s.H * s.W * s.C }

// String returns height×width×channels.
func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.H, s.W, s.C) }

// image returns the same shape as layouts hold it.
func (s Shape) image() fl.Image { return fl.Image{C: s.C, H: s.H, W: s.W} }

// vector returns the shape of a vector of n numbers.
func vector(n int) Shape { return Shape{1, 1, n} }

// isVector reports whether samples are vectors.
func (s Shape) isVector() bool { return s.H == 1 && s.W == 1 }

// A window slides over an image: its size, its step and how many zeros surround the image.
type window struct{ kh, kw, stride, pad int }

// ceiling is over for windows that may reach beyond the image at the right and at the bottom.
func (w window) ceiling(in Shape) (h, wide int, ok bool) {
	h, wide, ok = w.over(in)
	if ok && (h-1)*w.stride+w.kh < in.H && h*w.stride < in.H {
		h++
	}
	if ok && (wide-1)*w.stride+w.kw < in.W && wide*w.stride < in.W {
		wide++
	}
	return h, wide, ok
}

// over returns the height and the width of what the window yields on an image, or false
// where it does not fit. What is left at the right and at the bottom is dropped.
func (w window) over(in Shape) (h, wide int, ok bool) {
	h, wide = in.H+2*w.pad-w.kh, in.W+2*w.pad-w.kw
	if w.kh < 1 || w.kw < 1 || w.stride < 1 || w.pad < 0 || h < 0 || wide < 0 {
		return 0, 0, false
	}
	return h/w.stride + 1, wide/w.stride + 1, true
}

// String returns the size, step and border of the window.
func (w window) String() string {
	return fmt.Sprintf("window %d×%d, stride %d, padding %d", w.kh, w.kw, w.stride, w.pad)
}
