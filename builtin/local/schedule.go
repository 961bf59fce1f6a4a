package local

import "github.com/hansa-fl/hansa/framework/fl"

// newSchedule declares the learning rate. All steps of a round have one.
func newSchedule(p *fl.Params) fl.Schedule {
	return fl.Schedule{
		First: p.Float("lr", 0.1, fl.AtLeast(0), "learning rate η"),
		Form: p.Choice("schedule", "constant", "how the rate falls from round to round",
			"constant", "step", "cosine"),
		Gamma:  p.Float("gamma", 0.1, fl.LeftOpen(0, 1), "step: multiplies the rate every period"),
		Period: p.Int("period", 100, fl.AtLeast(1), "step: so many rounds"),
		End:    p.Float("lr_end", 0, fl.AtLeast(0), "cosine: what the rate falls to"),
		Rounds: p.Setting().Rounds,
	}
}
