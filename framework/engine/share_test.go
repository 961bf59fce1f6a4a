package engine_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// counting counts how often clients are trained.
type counting struct {
	noisy
	times *int
}

func (c counting) Run(t *fl.Task) (fl.Update, error) {
	*c.times++
	return c.noisy.Run(t)
}

// Cells of one round that differ in their servers train their clients once, and come to what
// they come to alone: traffic, averages and all.
func TestClientsAreTrainedOnce(t *testing.T) {
	for _, weighs := range []bool{false, true} {
		var times int
		memo := engine.NewMemo(4)
		for k := range 3 {
			s := fused(heir{of: first})
			s.Model, s.Aggregator = mean{3}, momentum{}
			if weighs {
				s.Aggregator = summed()
			}
			s.Local, s.FirstKey = counting{times: &times}, "toys"
			alone := content(t, run(t, s, engine.Options{}))
			before := times
			if got := content(t, run(t, s, engine.Options{Trained: memo})); got != alone {
				t.Errorf("together\n%s\nalone\n%s", got, alone)
			}
			if trained := times - before; (trained > 0) != (k == 0) {
				t.Errorf("cell %d trained %d clients", k, trained)
			}
		}
	}
}
