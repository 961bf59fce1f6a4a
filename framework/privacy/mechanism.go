package privacy

import (
	"fmt"
	"math"
)

// A Sampling is the law by which a release draws the clients that it sums.
type Sampling int

// The laws that accountants know.
const (
	// Everyone: no sampling. Neighbouring sums lie at most one sensitivity apart.
	Everyone Sampling = iota
	// Independently: every client takes part with the same probability, independently of the
	// others, and a neighbouring population has one client more or less (Poisson sampling under
	// add-or-remove-one adjacency).
	Independently
	// Replacing: a client takes part with probability Rate, by a uniform draw of fixed size without
	// replacement or by independent draws, and a neighbouring population has one client replaced
	// by another. One sensitivity is then how far apart the contributions of two clients lie: two
	// clipping radii.
	Replacing
)

// A Mechanism is one release: the sum of the contributions of the clients drawn, and Gaussian
// noise on it.
type Mechanism struct {
	// Sigma is the standard deviation of the noise, in sensitivities: in what the sum may move by
	// at most when the client that makes the difference is drawn.
	Sigma float64
	// Sampling is the law of the draw and with it the adjacency; Rate the probability of a client
	// to be drawn. Everyone has none.
	Sampling Sampling
	Rate     float64
}

// An Accountant is what mechanisms are added to: an RDP or a PLD.
type Accountant interface {
	Add(m Mechanism, count int) error
}

// check refuses what is no mechanism.
func (m Mechanism) check(count int) error {
	if err := checkNoise(m.Sigma, count); err != nil {
		return err
	}
	switch m.Sampling {
	case Everyone:
	case Independently, Replacing:
		if !(m.Rate >= 0 && m.Rate <= 1) {
			return fmt.Errorf("the rate is %v: it must lie between 0 and 1", m.Rate)
		}
	default:
		return fmt.Errorf("sampling %d: there is no such law", m.Sampling)
	}
	return nil
}

// reduced returns the mechanism without sampling that does nothing: a rate of 1 is everyone.
func (m Mechanism) reduced() Mechanism {
	if m.Sampling == Everyone || m.Rate == 1 {
		return Mechanism{Sigma: m.Sigma, Rate: 1}
	}
	return m
}

// silent reports whether the mechanism never draws a client.
func (m Mechanism) silent() bool { return m.Sampling != Everyone && m.Rate == 0 }

// logAdd returns log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// logExpm1 returns log(eˣ − 1) for x ≥ 0.
func logExpm1(x float64) float64 {
	if x > 1 {
		return x + math.Log1p(-math.Exp(-x))
	}
	return math.Log(math.Expm1(x))
}

// logBinomial returns log |n choose k| for a real n and the sign of the coefficient.
func logBinomial(n float64, k int) (logarithm float64, sign int) {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, sign := math.Lgamma(n - float64(k) + 1)
	return a - b - c, sign
}
