package fl

import "math/rand/v2"

// An Augmentation changes rows of a client at random, each time anew that they are in a batch.
// What is outside of an image, or cut out of it, is zero. The zero value changes nothing, and draws
// nothing.
type Augmentation struct {
	Crop   int  // pixels around the image, out of which one of its size is cropped anywhere
	Flip   bool // left and right change places in half of all cases
	Cutout int  // side of the square that is cut out around a pixel, which is any one

	// Mixup is α > 0 of Beta(α, α), from which the share is that two rows of a batch, and their
	// labels, are mixed by; 0: they are not. Labels are one to a row. They become soft targets,
	// which a GuidedWorker takes: a rule that has targets of its own can have no Mixup.
	Mixup float64
}

// Active reports whether rows change.
func (a *Augmentation) Active() bool { return *a != Augmentation{} }

// apply sets dst to an image, channels first, as one draw has it.
func (a *Augmentation) apply(dst, src Vector, image Image, rng *rand.Rand) {
	h, w := image.H, image.W
	down, across, flipped := 0, 0, false
	if a.Crop > 0 {
		down, across = rng.IntN(2*a.Crop+1)-a.Crop, rng.IntN(2*a.Crop+1)-a.Crop
	}
	if a.Flip {
		flipped = rng.IntN(2) == 1
	}
	for r := range image.C * h {
		row, y := dst[r*w:][:w], r%h+down
		if y < 0 || y >= h {
			clear(row)
			continue
		}
		from := src[(r/h*h+y)*w:][:w]
		for x := range row {
			at := x + across
			if flipped {
				at = w - 1 - x + across
			}
			row[x] = 0
			if at >= 0 && at < w {
				row[x] = from[at]
			}
		}
	}
	if a.Cutout > 0 {
		top, left := rng.IntN(h)-a.Cutout/2, rng.IntN(w)-a.Cutout/2
		for r := range image.C * h {
			if y := r % h; y >= top && y < top+a.Cutout {
				clear(dst[r*w+max(left, 0) : r*w+max(0, min(left+a.Cutout, w))])
			}
		}
	}
}

// augment changes the rows of a batch, all when nil: d.Data has them as they are this time.
func (d *Descent) augment(rows []int) {
	own := &d.task.augmented
	if d.source == nil {
		d.source, *own = d.Data, *d.Data
		own.X.Data, own.Packed = d.task.Scratch(own.X.Rows*own.X.Cols), Packed{}
		own.Moments, own.Blend = nil, nil
		d.Data, d.unpacked = own, d.task.Scratch(own.X.Cols)
	}
	if rows == nil {
		for r := range own.X.Rows {
			d.augmentRow(r)
		}
	}
	for _, r := range rows {
		d.augmentRow(r)
	}
	if d.Augment.Mixup > 0 {
		d.mix(rows)
	}
}

// augmentRow changes one row.
func (d *Descent) augmentRow(r int) {
	own := &d.task.augmented
	if own.Shape.Image == (Image{}) {
		copy(own.X.Row(r), d.source.Row(r, d.unpacked))
		return
	}
	d.Augment.apply(own.X.Row(r), d.source.Row(r, d.unpacked), own.Shape.Image, d.task.RNG)
}
