package stats

import "math"

// A Chain is a client that is on or off, and changes between rounds with a probability that depends
// only on its present state.
type Chain struct {
	Rise float64 // probability of being on after a round off, [0, 1]
	Fall float64 // probability of being off after a round on, [0, 1]
}

// Stationary returns the share of rounds that the client is on in the long run. It is NaN
// for a client that never changes.
func (c Chain) Stationary() float64 { return c.Rise / (c.Rise + c.Fall) }

// After returns the probability of being on t rounds after it was start.
func (c Chain) After(start float64, t int) float64 {
	if c.Rise+c.Fall == 0 {
		return start
	}
	stay := c.Autocorrelation(t)
	return c.Stationary()*(1-stay) + start*stay
}

// Autocorrelation returns the correlation between being on in two rounds that are lag
// apart, in the long run: (1 − Rise − Fall)ˡᵃᵍ.
func (c Chain) Autocorrelation(lag int) float64 {
	return math.Pow(1-c.Rise-c.Fall, float64(lag))
}

// A Diurnal is a probability of being on that depends on the hour of the day,
//
//	Base + Amplitude · cos(2π (t − phase) / Period),
//
// cut off at 0 and 1.
type Diurnal struct {
	Base      float64
	Amplitude float64
	Period    float64 // rounds in a day, > 0
}

// At returns the probability in round t of a client that is most likely on in round phase.
func (d Diurnal) At(t int, phase float64) float64 {
	angle := 2 * math.Pi * (float64(t) - phase) / d.Period
	return min(max(d.Base+d.Amplitude*math.Cos(angle), 0), 1)
}
