package infer

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/study"
)

// Suboptimality returns F(θ) − F* of the last iterates of a cell of the input, as tables have it,
// or false where that was not measured.
func Suboptimality(in *Input, cell int) (float64, bool) {
	measures := in.Cells[cell].Measures
	i := slices.IndexFunc(measures, func(m study.Measure) bool {
		return m.Name == "suboptimality" && !m.Average && !m.Best
	})
	if i < 0 {
		return 0, false
	}
	x, ok := (&Plan{In: in}).Final(cell, measures[i].Key)
	return x, ok && Finite(x)
}

// FinalRounds returns the rounds after which a cell of the input is measured for its final values,
// which Reached is the mean of.
func FinalRounds(in *Input, cell int) []int { return (&Plan{In: in}).Window(cell) }

// Allowances for what is predicted: the relative error of linearised steps where clients' work is
// not affine in the model, and that of rounding.
const (
	linearisedTolerance = 0.005
	roundingTolerance   = 1e-6
)

// JudgePredictions compares predictions with what training reached, over seeds; nil where there are
// none.
//
// If the prediction is right, what the seeds reached in the mean is one more draw of the same law
// as the means of as many simulated trainings, one of each seed. They agree when it lies among the
// middle 95 % of these, which it then does with exactly that probability, for any distribution and
// any number of seeds (G. A. Barnard, J. R. Stat. Soc. B 25, 1963: Monte Carlo tests).
func JudgePredictions(trials []audit.Trial) *audit.Training {
	if len(trials) == 0 {
		return nil
	}
	n := float64(len(trials))
	r := &audit.Training{Trials: trials, Judged: true}
	reached, size, allowed := make([]float64, len(trials)), math.MaxInt, roundingTolerance
	for k, t := range trials {
		expected := t.Prediction.Floor
		l := t.Prediction.Level
		if l != nil {
			expected = l.At
		}
		if r.Judged = r.Judged && l != nil && len(l.Trials) > 0; r.Judged {
			size = min(size, len(l.Trials))
			if !l.Affine {
				allowed = linearisedTolerance
			}
		}
		r.Expected += expected / n
		reached[k] = t.Reached
	}
	var sd float64
	r.Reached, sd = MeanSD(reached)
	if len(trials) > 1 {
		r.Half = tQuantile(1-Alpha/2, n-1) * sd / math.Sqrt(n)
	}
	if !r.Judged {
		return r
	}
	means := make([]float64, size)
	for _, t := range trials {
		for k := range means {
			means[k] += t.Prediction.Level.Trials[k] / n
		}
	}
	slices.Sort(means)
	outside := int(math.Round(float64(size+1)*Alpha/2)) - 1 // of 39 simulated none, of 199 four
	r.Low, r.High = means[max(0, outside)], means[min(size-1, size-1-outside)]
	spare := allowed*math.Abs(r.Expected) +
		roundingTolerance*roundingTolerance*trials[0].Prediction.Optimum
	r.Agrees = r.Reached >= r.Low-spare && r.Reached <= r.High+spare
	return r
}
