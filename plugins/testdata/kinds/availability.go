package kinds

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Tide is an availability that comes and goes.
var Tide = fl.AvailabilityEntry{
	Name:    "tide",
	Summary: "clients come and go with the hours",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &tide{
			low:  p.Float("low", 0.2, fl.Closed(0, 1), "least chance"),
			day:  p.Float("day", 24, fl.Above(0), "rounds of a day"),
			more: p.Importance("favours", "uniform", "who comes more often"),
		}, nil
	},
}

type tide struct {
	low, day float64
	more     fl.Importance
}

// chance is πᵢₜ of a client whose share in the favours is w.
func (a *tide) chance(t, i int, w float64) float64 {
	wave := 0.5 - 0.5*math.Cos(2*math.Pi*(float64(t)/a.day+float64(i)/7))
	return min(1, a.low+(1-a.low)*wave*w)
}

// Available draws every client by itself.
func (a *tide) Available(r *fl.AvailabilityInput) []int {
	favour := a.more.Weights(r.Roster)
	ids := r.Room(r.Roster.N)
	for i := range r.Roster.N {
		if r.RNG.Float64() < a.chance(r.T, i, favour[i]*float64(r.Roster.N)) {
			ids = append(ids, i)
		}
	}
	return ids
}

// Law is not known: the chances change from round to round.
func (a *tide) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }
