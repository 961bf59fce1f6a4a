package nn

import "github.com/hansa-fl/hansa/framework/kernel"

const (
	// Weights of so many channels that are summed over, and so many that come out, are
	// transformed at a time: those of 36 planes stay in the second-level cache until they are used.
	// Where fewer are summed over, more come out at a time.
	blockDeep, blockWide = 128, 32

	// Of these, so many stay in the first-level cache between two steps.
	chunk = 512

	// The weights of a block and a chunk between two steps need room.
	blockRoom = 5*5*blockDeep*blockWide + 5*points*chunk
)

// A block is a part of the weights: channels deep to deepEnd of those that are summed over, and
// wide to wideEnd of those that come out.
type block struct{ deep, deepEnd, wide, wideEnd int }

// wideOf returns how many channels come out of a block at most.
func wideOf(deep int) int { return max(1, blockDeep/deep) * blockWide }

// oneBlock reports whether one block holds all weights.
func oneBlock(deep, wide int) bool { return deep <= blockDeep && wide <= wideOf(deep) }

// blocks yields the blocks of weights; those of the same channels that come out, one after
// another.
func blocks(deep, wide int) func(yield func(block) bool) {
	return func(yield func(block) bool) {
		step := wideOf(deep)
		for w := 0; w < wide; w += step {
			for d := 0; d < deep; d += blockDeep {
				b := block{d, min(d+blockDeep, deep), w, min(w+step, wide)}
				if !yield(b) {
					return
				}
			}
		}
	}
}

// takeWeights transforms a block of weights, with a row for each channel that is summed over:
// those of the input on the way forward, those of the output on the way back.
func (s *tiledStage) takeWeights(p *pass, w *workshop, b block, forward bool) {
	deep, wide, r := b.deepEnd-b.deep, b.wideEnd-b.wide, s.r
	w.w.shape(deep, wide)
	all := deep * wide
	taps, strip := w.space[:r*r*all], w.space[r*r*all:]
	if forward {
		s.tapsT(p, taps, b)
	} else {
		s.taps(p, taps, b)
	}
	for lo := 0; lo < all; lo += chunk {
		n := min(chunk, all-lo)
		kernel.Points32(strip, taps[lo:], r, kernel.Lines{
			Count: r, Width: n, From: r * all, NextFrom: all, To: r * n, NextTo: n,
		})
		kernel.Points32(w.w.data[lo:], strip, r, kernel.Lines{
			Count: points, Width: n, From: n, NextFrom: r * n,
			To: w.w.size, NextTo: points * w.w.size,
		})
	}
}

// tapsT writes the weights of a block, one pixel of the window after another, with a row for
// each channel of the input.
func (s *tiledStage) tapsT(p *pass, dst []float32, b block) {
	w := part(p.params, s.weight)
	rows, cols := b.deepEnd-b.deep, b.wideEnd-b.wide
	for tap := range s.r * s.r {
		from := w[b.wide*s.weight.Cols+tap*s.in.C+b.deep:]
		kernel.Transpose32(kernel.RowMajor(dst[tap*rows*cols:], rows, cols),
			matrix{Data: from, Rows: cols, Cols: rows, Stride: s.weight.Cols})
	}
}

// taps does so with a row for each channel of the output.
func (s *tiledStage) taps(p *pass, dst []float32, b block) {
	w := part(p.params, s.weight)
	rows, cols := b.deepEnd-b.deep, b.wideEnd-b.wide
	for o := range rows {
		for tap := range s.r * s.r {
			from := w[(b.deep+o)*s.weight.Cols+tap*s.in.C+b.wide:]
			copy(dst[(tap*rows+o)*cols:][:cols], from)
		}
	}
}

// giveWeights transforms a block of the gradient, with a row for each channel of the output,
// back and puts it where it belongs.
func (s *tiledStage) giveWeights(p *pass, w *workshop, b block, add bool) {
	grad := part(p.grad, s.weight)
	deep, r := b.deepEnd-b.deep, s.r
	for lo := b.wide; lo < b.wideEnd; lo += chunk / deep {
		hi := min(lo+chunk/deep, b.wideEnd)
		n := (hi - lo) * deep
		taps, strip := w.space[:r*r*n], w.space[r*r*n:][:r*points*n]
		kernel.PointsT32(strip, w.w.data[(lo-b.wide)*deep:], r, kernel.Lines{
			Count: points, Width: n, From: points * w.w.size, NextFrom: w.w.size,
			To: points * n, NextTo: n,
		})
		kernel.PointsT32(taps, strip, r, kernel.Lines{
			Count: r, Width: n, From: n, NextFrom: points * n, To: n, NextTo: r * n,
		})
		for tap := range r * r {
			for o := lo; o < hi; o++ {
				to := grad[o*s.weight.Cols+tap*s.in.C+b.deep:][:deep]
				if add {
					kernel.Axpy32(to, 1, taps[:deep])
				} else {
					copy(to, taps)
				}
				taps = taps[deep:]
			}
		}
	}
}
