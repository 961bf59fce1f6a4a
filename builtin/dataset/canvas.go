package dataset

import "github.com/hansa-fl/hansa/framework/fl"

// A canvas is what grey images are put on for networks that want larger ones, or coloured.
type canvas struct {
	size     int // height and width
	channels int // 1, or 3 equal ones
}

// newCanvas declares the parameters of a canvas for images of side×side pixels.
func newCanvas(p *fl.Params, side int) canvas {
	c := canvas{
		size: p.Int("size", side, fl.Closed(float64(side), 224), "height and width; what is "+
			"larger than the images has zeros around them"),
		channels: p.Int("channels", 1, fl.Closed(1, 3), "1, or 3: red, green and blue, all equal"),
	}
	if c.channels == 2 { // neither grey nor a colour
		p.Fail("channels", "want 1 or 3")
	}
	return c
}

// image is the shape of what lies on the canvas.
func (c canvas) image() fl.Image { return fl.Image{C: c.channels, H: c.size, W: c.size} }

// mount puts square grey images in the middle of a canvas of their own; of two middles, the one
// above and to the left.
func (c canvas) mount(d *fl.Dataset) {
	from, to := d.Shape.Image, c.image()
	d.Shape.Image, d.Shape.Features = to, to.Len()
	if from == to {
		return
	}
	n := d.Len()
	switch p := &d.Packed; {
	case p.Bytes != nil: // of which 0 stands for 0
		p.Bytes, p.Cols = mounted(p.Bytes, n, from, to), to.Len()
	default:
		d.X.Data = mounted(d.X.Data, n, from, to)
	}
	d.X.Cols = to.Len()
}

// mounted returns n images on their canvases.
func mounted[T uint8 | float64](x []T, n int, from, to fl.Image) []T {
	at := (to.H-from.H)/2*to.W + (to.W-from.W)/2
	all := make([]T, n*to.Len())
	for i := range n {
		small, large := x[i*from.Len():(i+1)*from.Len()], all[i*to.Len():(i+1)*to.Len()]
		for y := range from.H {
			copy(large[at+y*to.W:], small[y*from.W:(y+1)*from.W])
		}
		for k := to.H * to.W; k < len(large); k += to.H * to.W {
			copy(large[k:], large[:to.H*to.W])
		}
	}
	return all
}
