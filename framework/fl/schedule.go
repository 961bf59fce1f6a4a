package fl

import "math"

// A Schedule is a learning rate, round by round.
type Schedule struct {
	Form   string  // constant, step or cosine; another one is constant
	First  float64 // η of the first round
	Gamma  float64 // step: what a period leaves of the rate, (0, 1]
	Period int     // step: in rounds, ≥ 1
	End    float64 // cosine: the rate that it falls to
	Rounds int     // cosine: T
}

// At returns η of round t, counted from 0.
func (s *Schedule) At(t int) float64 {
	switch s.Form {
	case "step":
		return s.First * math.Pow(s.Gamma, float64(t/s.Period))
	case "cosine":
		done := float64(t) / float64(max(1, s.Rounds))
		return s.End + (s.First-s.End)*(1+math.Cos(math.Pi*done))/2
	}
	return s.First
}
