package nn

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// MaxPool takes the maximum of each channel over windows k×k that move by stride; what is
// left at the right and at the bottom is dropped.
func MaxPool(k, stride int) Layer {
	return pooling{kind: fl.KindMaxPool, window: window{kh: k, kw: k, stride: stride}}
}

// MaxPoolCeil is MaxPool whose last windows see what is left at the right and at the bottom, and
// end with the image, as ceil_mode of PyTorch and Caffe have it.
func MaxPoolCeil(k, stride int) Layer {
	return pooling{kind: fl.KindMaxPool, window: window{kh: k, kw: k, stride: stride}, ceil: true}
}

// MaxPoolPadded is MaxPool on images surrounded by pad pixels that are never the maximum.
func MaxPoolPadded(k, stride, pad int) Layer {
	return pooling{kind: fl.KindMaxPool, window: window{kh: k, kw: k, stride: stride, pad: pad}}
}

// GlobalAvgPool takes the mean of each channel over the whole image.
func GlobalAvgPool() Layer { return pooling{kind: fl.KindAvgPool} }

// AvgPoolTo takes the mean of each channel over grid×grid windows that cover the image. They are
// equal, and overlap where the sides are no multiples of grid.
func AvgPoolTo(grid int) Layer { return pooledTo{grid} }

type pooledTo struct{ grid int }

func (l pooledTo) fit(b *builder) error {
	in := b.shape
	if l.grid < 1 || min(in.H, in.W) < l.grid {
		return fmt.Errorf("avg-pool: a grid of %d×%[1]d does not fit %v", l.grid, in)
	}
	step := min(in.H, in.W) / l.grid
	rest := (l.grid - 1) * step
	return pooling{kind: fl.KindAvgPool,
		window: window{kh: in.H - rest, kw: in.W - rest, stride: step}}.fit(b)
}

// pooling has the zero window when it is global.
type pooling struct {
	kind fl.LayerKind
	window
	ceil bool
}

// widestWindow is the most pixels of a window: its maximum is remembered in a byte.
const widestWindow = 256

func (l pooling) fit(b *builder) error {
	in := b.shape
	if l.window == (window{}) {
		l.window = window{kh: in.H, kw: in.W, stride: 1}
	}
	h, w, ok := l.over(in)
	if l.ceil {
		h, w, ok = l.ceiling(in)
	}
	out := Shape{h, w, in.C}
	if !ok || l.pad >= max(l.kh, l.kw) {
		return fmt.Errorf("%s: %v does not fit %v", l.kind, l.window, in)
	}
	b.describe(fl.Layer{Kind: l.kind, KH: l.kh, KW: l.kw, Stride: l.stride, Pad: l.pad},
		out)
	p := pool{window: l.window, in: in, out: out}
	if l.kind == fl.KindAvgPool {
		b.ops = append(b.ops, avgPool{p})
		return nil
	}
	if l.kh*l.kw > widestWindow {
		return fmt.Errorf("max-pool: %v of %v has more than %d pixels", l.window, in, widestWindow)
	}
	// Adding a bias and applying a ReLU are monotone: after the maximum there is less to
	// do, and the result and its gradient are the same.
	if last, ok := b.last().(bias); ok {
		b.ops[len(b.ops)-1] = maxPool{p}
		b.ops = append(b.ops, last)
		return nil
	}
	b.ops = append(b.ops, maxPool{p})
	return nil
}

// Flatten turns images into vectors, in the order row, column, channel.
func Flatten() Layer { return flatten{} }

type flatten struct{}

// fit adds no op: the numbers of an image already lie in the order of the vector.
func (flatten) fit(b *builder) error {
	b.describe(fl.Layer{Kind: fl.KindFlatten}, vector(b.shape.Len()))
	return nil
}
