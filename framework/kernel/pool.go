package kernel

// Pooling takes windows of 2×2 pixels, side by side, from two neighbouring rows of an image
// whose pixels are runs of channels (NHWC). top and bottom are those rows, twice as long as
// the pooled row; in an image of odd width the last pixel is not part of them.

// MaxPoolRow32 sets dst to the largest of each window, and choice to which it is: 0 and 1 at
// the top, 2 and 3 at the bottom. Among equals it is the first; a NaN is larger than any
// number, and the last of them counts. dst and choice overlap no other slice.
func MaxPoolRow32(dst []float32, choice []uint8, top, bottom []float32, channels int) {
	fit(len(choice) == len(dst))
	if p := pools(active, dst, top, bottom, channels); len(dst) > 0 {
		maxPool32(p, dst, choice, top, bottom, channels)
	}
}

// MaxPoolRowBackward32 sets top and bottom to the gradient of MaxPoolRow32: grad where choice
// says, 0 elsewhere. They overlap no other slice.
func MaxPoolRowBackward32(top, bottom, grad []float32, choice []uint8, channels int) {
	fit(len(choice) == len(grad))
	if p := pools(active, grad, top, bottom, channels); len(grad) > 0 {
		maxPoolBack32(p, top, bottom, grad, choice, channels)
	}
}

// MeanPoolRow32 sets dst to the mean of each window, ((x₀ + x₁) + (x₂ + x₃))/4. It overlaps
// no other slice.
func MeanPoolRow32(dst, top, bottom []float32, channels int) {
	if p := pools(active, dst, top, bottom, channels); len(dst) > 0 {
		meanPool32(p, dst, top, bottom, channels)
	}
}

// MeanPoolRowBackward32 sets top and bottom to the gradient of MeanPoolRow32, a quarter of
// grad everywhere. They overlap no other slice.
func MeanPoolRowBackward32(top, bottom, grad []float32, channels int) {
	if p := pools(active, grad, top, bottom, channels); len(grad) > 0 {
		meanPoolBack32(p, top, bottom, grad, channels)
	}
}

// pools checks the lengths of rows that are pooled, and returns the widest path up to p whose
// registers the channels fill.
func pools(p path, pooled, top, bottom []float32, channels int) path {
	fit(channels > 0 && len(pooled)%channels == 0)
	fit(len(top) == 2*len(pooled) && len(bottom) == len(top))
	return filled(p, channels)
}

// filled returns the widest path up to p whose registers so many elements fill.
func filled(p path, elements int) path {
	switch {
	case elements < 8:
		return generic
	case elements < 16:
		return min(p, avx2)
	}
	return p
}

// corner returns a pixel of the window of a pooled pixel.
func corner(row []float32, pixel, side, channels int) []float32 {
	return row[(2*pixel+side)*channels:][:channels]
}

func maxPoolGeneric(dst []float32, choice []uint8, top, bottom []float32, channels int) {
	for i := range len(dst) / channels {
		best, which := dst[i*channels:][:channels], choice[i*channels:][:channels]
		copy(best, corner(top, i, 0, channels))
		clear(which)
		better(best, which, corner(top, i, 1, channels), 1)
		better(best, which, corner(bottom, i, 0, channels), 2)
		better(best, which, corner(bottom, i, 1, channels), 3)
	}
}

// better replaces best by x, and which by number, where x is larger or NaN.
func better(best []float32, which []uint8, x []float32, number uint8) {
	for c, v := range x {
		if v > best[c] || v != v {
			best[c], which[c] = v, number
		}
	}
}

func maxPoolBackGeneric(top, bottom, grad []float32, choice []uint8, channels int) {
	clear(top)
	clear(bottom)
	for i := range len(grad) / channels {
		for c, k := range choice[i*channels:][:channels] {
			row := top
			if k >= 2 {
				row = bottom
			}
			corner(row, i, int(k&1), channels)[c] = grad[i*channels+c]
		}
	}
}

func meanPoolGeneric(dst, top, bottom []float32, channels int) {
	for i := range len(dst) / channels {
		x0, x1 := corner(top, i, 0, channels), corner(top, i, 1, channels)
		x2, x3 := corner(bottom, i, 0, channels), corner(bottom, i, 1, channels)
		mean := dst[i*channels:][:channels]
		for c := range mean {
			mean[c] = 0.25 * ((x0[c] + x1[c]) + (x2[c] + x3[c]))
		}
	}
}

func meanPoolBackGeneric(top, bottom, grad []float32, channels int) {
	for i := range len(grad) / channels {
		x0, x1 := corner(top, i, 0, channels), corner(top, i, 1, channels)
		x2, x3 := corner(bottom, i, 0, channels), corner(bottom, i, 1, channels)
		for c, g := range grad[i*channels:][:channels] {
			g *= 0.25
			x0[c], x1[c], x2[c], x3[c] = g, g, g, g
		}
	}
}
