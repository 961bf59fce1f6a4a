// Package mine is diurnal availability: each client has a time zone of its own.
package mine

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Mine describes the availability model. New declares a parameter by reading it: name,
// default, range, meaning.
var Mine = fl.AvailabilityEntry{
	Name:    "mine",
	Summary: "probabilities follow a sine wave, with another phase for each client",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &mine{
			low:  p.Float("low", 0.1, fl.Closed(0, 1), "probability of availability at night"),
			high: p.Float("high", 0.9, fl.Closed(0, 1), "probability of availability at noon"),
			day:  p.Float("day", 24, fl.Above(0), "rounds in a day"),
		}, nil
	},
}

type mine struct{ low, high, day float64 }

// Available draws every client with its probability in round r.T, from r.RNG and nothing else, so
// that a run can be repeated. It returns the available clients, ascending. What lasts from one
// round to the next belongs in r.State.
func (m *mine) Available(r *fl.AvailabilityInput) []int {
	middle, swing := (m.low+m.high)/2, (m.high-m.low)/2
	wave := stats.Diurnal{Base: middle, Amplitude: swing, Period: m.day}
	probability := make(fl.Vector, r.Roster.N)
	now, zone := r.T, m.day/float64(len(probability))
	for i := range probability {
		probability[i] = wave.At(now, float64(i)*zone)
	}
	return stats.DrawBernoulli(r.Room(r.Roster.N), probability, r.RNG)
}

// Law says false: the probabilities differ from round to round. The cohort distribution that
// methods need is then estimated from simulated rounds.
func (m *mine) Law(pop *fl.Roster) (fl.Law, bool) { return fl.Law{}, false }
