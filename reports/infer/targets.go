package infer

import (
	"math"

	"gonum.org/v1/gonum/integrate"
)

// CurveMean returns the mean height of a curve given at ascending rounds: its integral by the
// trapezoidal rule over the rounds that it spans. Of a single point it is the height, of none
// NaN; a value that is not finite makes it NaN.
func CurveMean(rounds []int, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	x := make([]float64, len(values))
	for i, v := range values {
		if !Finite(v) {
			return math.NaN()
		}
		x[i] = float64(rounds[i])
	}
	if len(values) == 1 {
		return values[0]
	}
	return integrate.Trapezoidal(x, values) / (x[len(x)-1] - x[0])
}

// FirstReached returns the index of the first value that is at least, or for a metric of which
// less is better at most, the target; −1 for none. NaN reaches nothing.
func FirstReached(values []float64, target float64, higher bool) int {
	for i, v := range values {
		if higher && v >= target || !higher && v <= target {
			return i
		}
	}
	return -1
}

// CurveBest returns the best of the values of a curve, NaN when none is a number. It flatters: the
// best of 100 values of unit noise lies 2.5 above their mean.
func CurveBest(values []float64, higher bool) float64 {
	best := math.NaN()
	for _, v := range values {
		if math.IsNaN(best) || higher && v > best || !higher && v < best {
			best = v
		}
	}
	return best
}

// Curve returns a metric of a cell in the rounds in which all runs that are compared with it
// were measured.
func (p *Plan) Curve(i int, metric string) (rounds []int, values []float64) {
	s := p.Series(p.In.IDs[i], metric)
	if s == nil {
		return nil, nil
	}
	all := p.In.Results[p.In.IDs[i]].Rounds
	for _, k := range positions(all, p.Rounds(i), len(s.Values)) {
		rounds, values = append(rounds, all[k]), append(values, s.Values[k])
	}
	return rounds, values
}
