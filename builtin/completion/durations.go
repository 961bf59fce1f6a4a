// Durations — seconds of each client, as a list says.
//
// Notation: client i needs mᵢ·e^{ρzᵢᵗ} seconds in round t, with mᵢ from the list and a standard
// normal zᵢᵗ, drawn in every round; the median is mᵢ. The probability to finish by a deadline T is
// Φ(ln(T/mᵢ)/ρ), and without jitter 1 or 0. Steps and bits count nothing. Where partial work
// shortens it, local steps take a stated share of it.

package completion

import "github.com/hansa-fl/hansa/framework/fl"

// Durations describes the completion model to the registry.
var Durations = fl.CompletionEntry{
	Name:    "durations",
	Summary: "seconds of each client, as a list says, whatever it computes and sends",
	New:     newDurations,
	Example: map[string]any{"seconds": []any{30.0, 10.0, 20.0, 10.0, 45.0, 5.0}},
	Traits:  fl.CompletionTraits{Works: statesWork},
}

// durations keeps nothing in State.
type durations struct {
	seconds []float64
	jitter  jitter
	work    work
}

var _ fl.Completion = (*durations)(nil)

func newDurations(p *fl.Params) (fl.Completion, error) {
	d := &durations{
		seconds: p.Floats("seconds", fl.AtLeast(0), "virtual seconds of each client in a round, "+
			"the median where there is jitter; in the order of clients"),
		jitter: newJitter(p, 0),
		work:   newWork(p),
	}
	if n := p.Setting().Clients; n > 0 && d.seconds != nil && len(d.seconds) != n {
		p.Fail("seconds", "%d numbers for %d clients", len(d.seconds), n)
	}
	return d, nil
}

// Finish implements fl.Completion.
func (d *durations) Finish(f *fl.Finishing) error {
	for k, i := range f.Asked {
		f.After[k] = d.jitter.draw(d.seconds[i], f.Draw(i))
		f.Work[k] = f.After[k] * float64(d.work)
	}
	return nil
}

// Chances implements fl.Completion.
func (d *durations) Chances(f *fl.Finishing, seconds float64) (fl.Vector, bool) {
	p := f.Scratch(len(f.Asked))
	for k, i := range f.Asked {
		p[k] = d.jitter.within(d.work.least(f, k, d.seconds[i]), seconds)
	}
	return p, true
}
