package nn

import "github.com/hansa-fl/hansa/framework/kernel"

// patches cuts images into patches: the window's view of the image, for every pixel of the
// output, in the order row, column, channel; zero outside of the image. A pixel row of the
// output is addressed by r = b·h + y for sample b.
type patches struct {
	window
	in   Shape
	h, w int // of the output
}

const (
	// What one product works on should be at least this many patches, for a product
	// passes once over all weights and their gradient.
	fewestPatches = 256
	// Beyond that, patches should stay in the second-level cache until they are used.
	patchFloats = 64 << 10
)

// size returns the number of elements of a patch.
func (c *patches) size() int { return c.kh * c.kw * c.in.C }

// pointwise reports whether patches are the pixels of the input themselves.
func (c *patches) pointwise() bool {
	return c.window == window{kh: 1, kw: 1, stride: 1}
}

// block returns the number of rows of output pixels whose patches are made at a time.
func (c *patches) block() int {
	count := max(fewestPatches, patchFloats/c.size())
	return (count + c.w - 1) / c.w
}

// A run is what one row of a window has in common with the image, in elements.
type run struct{ skip, length, at int }

// column returns the runs of the windows of the output's column x: at is in elements from
// the beginning of a row of the image.
func (c *patches) column(x int) run {
	left := x*c.stride - c.pad
	lo, hi := max(left, 0), min(left+c.kw, c.in.W)
	if hi <= lo {
		return run{}
	}
	return run{skip: (lo - left) * c.in.C, length: (hi - lo) * c.in.C, at: lo * c.in.C}
}

// few is up to how many numbers a row of a window has for which a call of copy costs more than they
// do. The windows of the first layer have so few.
const few = 16

// stripLen returns how many numbers gather needs room for: the rows that the windows of a row of
// the output see, with what surrounds the image left and right.
func (c *patches) stripLen() int {
	if k := c.kw * c.in.C; k < 4 || k > few {
		return 0
	}
	return c.kh * c.stripWide()
}

// stripWide is the length of such a row.
func (c *patches) stripWide() int { return max((c.w-1)*c.stride+c.kw, c.pad+c.in.W) * c.in.C }

// gather writes the patches of rows lo to hi of output pixels of the images x to dst. Of strip,
// which is as long as stripLen says, what surrounds an image stays zero.
func (c *patches) gather(dst, x []float32, lo, hi int, strip []float32) {
	k, wide := c.kw*c.in.C, c.in.W*c.in.C
	for r := lo; r < hi; r++ {
		image, top := c.origin(x, r)
		if len(strip) > 0 {
			c.lay(strip, image, top)
			c.gatherFew(dst, strip)
			dst = dst[c.w*c.kh*k:]
			continue
		}
		for col := range c.w {
			run := c.column(col)
			patch := dst[:c.kh*k]
			dst = dst[c.kh*k:]
			if run.length < k || top < 0 || top+c.kh > c.in.H {
				clear(patch)
			}
			for y := max(top, 0); y < min(top+c.kh, c.in.H); y++ {
				copy(patch[(y-top)*k+run.skip:][:run.length], image[y*wide+run.at:])
			}
		}
	}
}

// lay writes rows of an image from top on to a strip.
func (c *patches) lay(strip, image []float32, top int) {
	wide, n := c.stripWide(), c.in.W*c.in.C
	for i := range c.kh {
		row := strip[i*wide+c.pad*c.in.C:][:n]
		if y := top + i; y >= 0 && y < c.in.H {
			copy(row, image[y*n:])
		} else {
			clear(row)
		}
	}
}

// gatherFew writes the patches of a row of output pixels from a strip. What a row of a window has
// in common with the strip is 4 to 16 numbers: fours of them, the last of which may overlap.
func (c *patches) gatherFew(dst, strip []float32) {
	k, wide, step := c.kw*c.in.C, c.stripWide(), c.stride*c.in.C
	size := c.kh * k
	for i := range c.kh {
		to, from := dst[i*k:], strip[i*wide:(i+1)*wide]
		for col := range c.w {
			to, from := to[col*size:][:k], from[col*step:][:k]
			*(*[4]float32)(to) = *(*[4]float32)(from)
			for j := 4; j < k-4; j += 4 {
				*(*[4]float32)(to[j:]) = *(*[4]float32)(from[j:])
			}
			*(*[4]float32)(to[k-4:]) = *(*[4]float32)(from[k-4:])
		}
	}
}

// scatter adds the patches of rows lo to hi of output pixels to the images dx: the
// transpose of gather.
func (c *patches) scatter(dx, src []float32, lo, hi int) {
	k, wide := c.kw*c.in.C, c.in.W*c.in.C
	for r := lo; r < hi; r++ {
		image, top := c.origin(dx, r)
		for col := range c.w {
			run := c.column(col)
			for y := top; y < top+c.kh; y++ {
				row := src[:k:k]
				src = src[k:]
				if y >= 0 && y < c.in.H {
					to := image[y*wide+run.at:][:run.length]
					kernel.Axpy32(to, 1, row[run.skip:][:run.length])
				}
			}
		}
	}
}

// origin returns the image to which row r of output pixels belongs, and the row of that
// image at which its windows begin, which is negative above the image.
func (c *patches) origin(x []float32, r int) (image []float32, top int) {
	size := c.in.Len()
	b := r / c.h
	return x[b*size : (b+1)*size], (r-b*c.h)*c.stride - c.pad
}
