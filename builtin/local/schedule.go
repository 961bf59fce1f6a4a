package local

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A schedule is the learning rate, round by round. All steps of a round have one rate.
type schedule struct {
	form   string  // constant, step or cosine
	lr     float64 // η of the first round, ≥ 0
	gamma  float64 // what a period of "step" leaves of the rate
	period int     // of "step", in rounds
	end    float64 // the rate that "cosine" falls to
	rounds int     // T
}

func newSchedule(p *fl.Params) schedule {
	return schedule{
		lr: p.Float("lr", 0.1, fl.AtLeast(0), "learning rate η"),
		form: p.Choice("schedule", "constant", "how the rate falls from round to round",
			"constant", "step", "cosine"),
		gamma:  p.Float("gamma", 0.1, fl.LeftOpen(0, 1), "step: multiplies the rate every period"),
		period: p.Int("period", 100, fl.AtLeast(1), "step: so many rounds"),
		end:    p.Float("lr_end", 0, fl.AtLeast(0), "cosine: what the rate falls to"),
		rounds: p.Setting().Rounds,
	}
}

// rate returns η of round t, counted from 0.
func (s schedule) rate(t int) float64 {
	switch s.form {
	case "step":
		return s.lr * math.Pow(s.gamma, float64(t/s.period))
	case "cosine":
		done := float64(t) / float64(max(1, s.rounds))
		return s.end + (s.lr-s.end)*(1+math.Cos(math.Pi*done))/2
	}
	return s.lr
}
