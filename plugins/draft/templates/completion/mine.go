// Package mine says how long clients need in a round: an exponential time beyond the least.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the completion model. New declares a parameter by reading it: name, default,
// range, meaning. All completion models have more, deadline, take, dropout and others, which the
// engine sees to.
var Mine = fl.CompletionEntry{
	Name:    "mine",
	Summary: "a least time by local steps, and an exponential one beyond it",
	New: func(p *fl.Params) (fl.Completion, error) {
		return &mine{
			step: p.Float("step", 1, fl.Above(0), "virtual seconds of a local step"),
			tail: p.Float("tail", 1, fl.Above(0), "mean of the time beyond it, in units of it"),
		}, nil
	},
	Traits: fl.CompletionTraits{Work: true}, // see Finish
}

type mine struct{ step, tail float64 }

// Finish sets f.After of every client that is asked. What is drawn of a client in this round comes
// from f.Draw, what is drawn of it once from f.Fixed, and nothing from elsewhere, so that a run can
// be repeated. What lasts from one round to the next belongs in f.State. f.Work is how many of the
// seconds are those of local steps, which partial = true shortens; where Traits do not say that it
// is set, clients do no partial work.
func (m *mine) Finish(f *fl.Finishing) error {
	for k, client := range f.Asked {
		least := m.step * float64(f.Steps[k])
		f.After[k] = least * (1 + m.tail*f.Draw(client).ExpFloat64())
		f.Work[k] = f.After[k]
	}
	return nil
}

// Chances says false: the probability to finish in time is then that of simulated rounds.
func (m *mine) Chances(f *fl.Finishing, seconds float64) (fl.Vector, bool) { return nil, false }
