package registry

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// rate returns the learning rate of the local rule, by its parameters; nil where it has none.
func (b *builder) rate(s *engine.Setup) *fl.Schedule {
	params := b.resolved.Picks[LocalRules().Name].Params
	first, ok := params["lr"].(float64)
	if s.Local == nil { // there is another problem already
		return new(fl.Schedule)
	}
	if !ok {
		return nil
	}
	rate := &fl.Schedule{First: first, Rounds: b.cell.Rounds}
	rate.Form, _ = params["schedule"].(string)
	rate.Gamma, _ = params["gamma"].(float64)
	rate.End, _ = params["lr_end"].(float64)
	if period, ok := params["period"].(int64); ok {
		rate.Period = int(period)
	}
	return rate
}
