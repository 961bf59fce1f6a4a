package completion

import (
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// jitter is ρ: in every round the seconds of a client are multiplied by e^{ρz}, z ~ N(0, 1), its
// own.
type jitter float64

// newJitter declares it.
func newJitter(p *fl.Params, def float64) jitter {
	return jitter(p.Float("jitter", def, fl.Closed(0, 10), "standard deviation of the logarithm "+
		"of a client's seconds from round to round; 0: always the same"))
}

// draw returns the seconds of a round.
func (j jitter) draw(median float64, rng *rand.Rand) float64 {
	if j == 0 {
		return median
	}
	return j.at(median, rng.NormFloat64())
}

// at returns the seconds of a round with this z.
func (j jitter) at(median, z float64) float64 { return median * math.Exp(float64(j)*z) }

// within returns P(median·e^{ρz} ≤ seconds) = Φ(ln(seconds/median)/ρ).
func (j jitter) within(median, seconds float64) float64 {
	switch {
	case median == 0:
		return 1
	case j > 0:
		return math.Erfc(-math.Log(seconds/median)/float64(j)/math.Sqrt2) / 2
	case median <= seconds:
		return 1
	}
	return 0
}
