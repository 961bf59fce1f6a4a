package glyph

import (
	"math"
	"math/rand/v2"
)

// A Hand is what the digits of one writer have in common: the typeface that is nearest to them, how
// they are turned, sheared and stretched, and how bold strokes are.
type Hand struct {
	share float64 // of the variances, [0, 1]
	mean  habits
}

// Habits of images are uniform, turn on [−1, 1] and bold on [0, 1], or standard normal.
type habits struct {
	face                          int
	turn, shear, wide, high, bold float64
}

// NewHand draws a hand, to which belongs a share of the variance of each habit between all images
// of all hands, in [0, 1]; with this probability an image has the hand's own typeface.
func NewHand(share float64, rng *rand.Rand) *Hand {
	return &Hand{share: share, mean: habits{
		face: rng.IntN(len(typefaces())), turn: 2*rng.Float64() - 1, shear: rng.NormFloat64(),
		wide: rng.NormFloat64(), high: rng.NormFloat64(), bold: rng.Float64(),
	}}
}

// blend replaces the habits of an image by those that it has as one of the hand. Of no hand they
// are its own.
func (h *Hand) blend(own *habits, rng *rand.Rand) {
	if h == nil {
		return
	}
	if rng.Float64() < h.share {
		own.face = h.mean.face
	}
	of, rest := math.Sqrt(h.share), math.Sqrt(1-h.share)
	own.turn = of*h.mean.turn + rest*own.turn
	own.shear = of*h.mean.shear + rest*own.shear
	own.wide = of*h.mean.wide + rest*own.wide
	own.high = of*h.mean.high + rest*own.high
	own.bold = 0.5 + of*(h.mean.bold-0.5) + rest*(own.bold-0.5)
}
