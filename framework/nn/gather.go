package nn

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Gather makes a batch of the given rows of x, all rows when nil: float32, NHWC. The rows of
// x hold a sample each, in the order of data sets: channels one after another. The batch
// belongs to the tape and lives until the next Gather.
func (t *Tape) Gather(x []float64, rows []int) []float32 {
	size, batch := t.room(len(x)/t.net.in.Len(), rows)
	for k := range len(batch) / size {
		at := rowAt(rows, k) * size
		interleave(batch[k*size:(k+1)*size], x[at:at+size], t.net.in.C)
	}
	return batch
}

// Interleave sets dst, a batch of samples of shape s in NHWC, to rows in the order of data sets, as
// Gather does.
func (s Shape) Interleave(dst []float32, rows []float64) {
	for size := s.Len(); len(rows) > 0; dst, rows = dst[size:], rows[size:] {
		interleave(dst[:size], rows[:size], s.C)
	}
}

// AddRows adds a batch of samples of shape s in NHWC to rows in the order of data sets.
func (s Shape) AddRows(rows []float64, batch []float32) {
	pixels := s.H * s.W
	for size := s.Len(); len(batch) > 0; rows, batch = rows[size:], batch[size:] {
		for c := range s.C {
			for i := range pixels {
				rows[c*pixels+i] += float64(batch[i*s.C+c])
			}
		}
	}
}

// GatherPacked is Gather of packed rows, to the bit.
func (t *Tape) GatherPacked(x *fl.Packed, rows []int) []float32 {
	size, batch := t.room(x.Len(), rows)
	channels := t.net.in.C
	for k := range len(batch) / size {
		at := x.At(rowAt(rows, k))
		dst := batch[k*size : (k+1)*size]
		switch {
		case x.Bytes != nil:
			level(dst, x.Bytes[at:at+size], channels, x.Levels)
		case x.Floats != nil:
			spread(dst, x.Floats[at:at+size], channels)
		default:
			spread(dst, x.Ints[at:at+size], channels)
		}
	}
	return batch
}

// room returns the length of a row, and room for the given ones, for all when rows is nil.
func (t *Tape) room(all int, rows []int) (size int, batch []float32) {
	size = t.net.in.Len()
	n := len(rows) * size
	if rows == nil {
		n = all * size
	}
	if len(t.input) < n {
		t.input = make([]float32, n)
	}
	return size, t.input[:n]
}

// rowAt returns the k-th of some rows, of all when they are nil.
func rowAt(rows []int, k int) int {
	if rows == nil {
		return k
	}
	return rows[k]
}

// interleave turns one image from channels first to channels last.
func interleave(dst []float32, src []float64, channels int) {
	if channels == 1 || channels == len(src) {
		kernel.Narrow(dst, src)
		return
	}
	spread(dst, src, channels)
}

// spread is interleave of numbers of any type.
func spread[T float32 | float64 | int32](dst []float32, src []T, channels int) {
	pixels := len(src) / channels
	if pixels == 1 {
		channels, pixels = 1, len(src)
	}
	for c := range channels {
		for i, v := range src[c*pixels : (c+1)*pixels] {
			dst[i*channels+c] = float32(v)
		}
	}
}

// level is interleave of bytes, by what each stands for.
func level(dst []float32, src []uint8, channels int, of *fl.Levels) {
	pixels, levels := len(src)/channels, &of.Narrow
	switch {
	case (channels == 1 || pixels == 1) && of.By != 0:
		kernel.Quotients(dst, src, of.By)
	case channels == 1 || pixels == 1:
		for ; len(src) >= 8; src, dst = src[8:], dst[8:] { // eight a turn: twice as fast
			b, to := (*[8]uint8)(src), (*[8]float32)(dst)
			to[0], to[1], to[2], to[3] = levels[b[0]], levels[b[1]], levels[b[2]], levels[b[3]]
			to[4], to[5], to[6], to[7] = levels[b[4]], levels[b[5]], levels[b[6]], levels[b[7]]
		}
		for i, b := range src {
			dst[i] = levels[b]
		}
	case channels == 3:
		red, green, blue := src[:pixels], src[pixels:2*pixels], src[2*pixels:3*pixels]
		for i, b := range red {
			to := (*[3]float32)(dst[3*i:])
			to[0], to[1], to[2] = levels[b], levels[green[i]], levels[blue[i]]
		}
	default:
		for c := range channels {
			for i, b := range src[c*pixels : (c+1)*pixels] {
				dst[i*channels+c] = levels[b]
			}
		}
	}
}
