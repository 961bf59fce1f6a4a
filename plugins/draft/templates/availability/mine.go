// Package mine has clients come and go with the hours, each in a time zone of its own.
package mine

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Mine describes the availability model. New declares a parameter by reading it: name,
// default, range, meaning.
var Mine = fl.AvailabilityEntry{
	Name:    "mine",
	Summary: "chances follow a sine wave, which reaches every client at another hour",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &mine{
			low:  p.Float("low", 0.1, fl.Closed(0, 1), "chance to come at night"),
			high: p.Float("high", 0.9, fl.Closed(0, 1), "chance to come at noon"),
			day:  p.Float("day", 24, fl.Above(0), "rounds in a day"),
		}, nil
	},
}

type mine struct{ low, high, day float64 }

// Available draws every client with its chance in round r.T, from r.RNG and nothing else, so
// that a run can be repeated. It returns those who came, ascending. What should last from one
// round to the next would lie in r.State.
func (m *mine) Available(r *fl.AvailabilityInput) []int {
	middle, swing := (m.low+m.high)/2, (m.high-m.low)/2
	wave := stats.Diurnal{Base: middle, Amplitude: swing, Period: m.day}
	chance := make(fl.Vector, r.Roster.N)
	now, zone := r.T, m.day/float64(len(chance))
	for i := range chance {
		chance[i] = wave.At(now, float64(i)*zone)
	}
	return stats.DrawBernoulli(r.Room(r.Roster.N), chance, r.RNG)
}

// Law says false: who comes is another law in every round. What methods need to know of it
// is then estimated from simulated rounds.
func (m *mine) Law(pop *fl.Roster) (fl.Law, bool) { return fl.Law{}, false }
