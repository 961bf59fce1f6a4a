package kinds

import "github.com/hansa-fl/hansa/framework/fl"

// Queue is a completion model that keeps state.
var Queue = fl.CompletionEntry{
	Name:    "queue",
	Summary: "clients are slower the more often they were asked",
	New: func(p *fl.Params) (fl.Completion, error) {
		return &queue{p.Float("wait", 2, fl.AtLeast(0), "seconds for each time")}, nil
	},
}

type queue struct{ wait float64 }

// Finish counts how often clients were asked.
func (q *queue) Finish(f *fl.Finishing) error {
	asked := f.State.Vector("asked", f.Roster.N)
	for k, i := range f.Asked {
		speed := 0.5 + f.Fixed(i).Float64()
		f.After[k] = speed*float64(f.Steps[k]) + q.wait*asked[i]*f.Draw(i).Float64()
		asked[i]++
	}
	return nil
}

// Chances says nothing.
func (q *queue) Chances(f *fl.Finishing, seconds float64) (fl.Vector, bool) { return nil, false }
