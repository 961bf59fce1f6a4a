package nn

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// biasGELU adds one number per channel and applies GELU, of which the derivative takes the place of
// the input. A few rows have both done while they are in the first-level cache.
type biasGELU struct {
	b    *fl.Block
	size int // numbers of a sample
}

func (o biasGELU) stage(*Tape) stage {
	s := &biasGELUStage{biasGELU: o, sum: make([]float32, o.b.Rows)}
	s.nothing = make([]float32, s.together())
	for i := range s.nothing {
		s.nothing[i] = float32(math.Copysign(0, -1))
	}
	return s
}

type biasGELUStage struct {
	biasGELU
	y     []float32
	slope []float32 // where the input was
	sum   []float32 // of the rows of a gradient

	nothing []float32 // −0, which changes no product that it is added to
}

// together returns how many numbers are worked on together: whole rows, and fours of them, as sums
// of columns add them up.
func (s *biasGELUStage) together() int { return max(1, together/4/s.b.Rows) * 4 * s.b.Rows }

func (s *biasGELUStage) reserve(n int) { s.y = make([]float32, n*s.size) }

// parts yields where numbers begin and end that are worked on together.
func (s *biasGELUStage) parts(n int) func(yield func(lo, hi int) bool) {
	some := s.together()
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n; lo += some {
			if !yield(lo, min(lo+some, n)) {
				return
			}
		}
	}
}

func (s *biasGELUStage) forward(p *pass, x []float32) []float32 {
	s.slope = x[:p.n*s.size]
	for lo, hi := range s.parts(len(s.slope)) {
		kernel.AddBias32(s.slope[lo:hi], part(p.params, s.b))
		kernel.GELU32(s.y[lo:hi], s.slope[lo:hi], s.slope[lo:hi])
	}
	return s.y[:len(s.slope)]
}

func (s *biasGELUStage) backward(p *pass, dy []float32, _ bool) []float32 {
	clear(s.sum)
	for lo, hi := range s.parts(len(dy)) {
		d := dy[lo:hi]
		kernel.ScaleRows32(d, d, s.slope[lo:hi], s.nothing[:hi-lo], false)
		kernel.AddColumns32(s.sum, d)
	}
	p.set(s.b, s.sum)
	return dy
}
