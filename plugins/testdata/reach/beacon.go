// Package reach is a strategy that says all that an availability model can say of a round.
package reach

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Beacon is an availability whose clients have a phase and a context.
var Beacon = fl.AvailabilityEntry{
	Name:    "beacon",
	Summary: "clients whose chances follow a phase of their own and a context",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &beacon{
			day:  p.Int("day", 8, fl.AtLeast(2), "rounds of a day"),
			last: p.Int("last", 1000, fl.AtLeast(0), "round after which nobody knows who is there"),
		}, nil
	},
}

// beacon keeps in State: phase, length N+1, after a 1 that says they were drawn; context, N×2;
// inclusion, length N.
type beacon struct{ day, last int }

// Available sets the context and the truth, then draws every client by itself.
func (b *beacon) Available(r *fl.AvailabilityInput) []int {
	if r.T > b.last {
		r.Fail(errors.New("the beacon is out"))
		return nil
	}
	n := r.Roster.N
	phase := r.State.Vector("phase", n+1)
	if phase[0] == 0 {
		phase[0] = 1
		once := r.Fixed()
		for i := range n {
			phase[i+1] = once.Float64() * float64(b.day)
		}
	}
	r.Context = r.State.Matrix("context", n, 2)
	r.Inclusion = r.State.Vector("inclusion", n)
	ids := r.Room(n)
	for i := range n {
		z := r.Context.Row(i)
		z[0] = math.Cos(2 * math.Pi * (float64(r.T) - phase[i+1]) / float64(b.day))
		z[1] = 0.5*z[1] + r.RNG.NormFloat64()
		r.Inclusion[i] = 1 / (1 + math.Exp(-z[0]-z[1]))
		if r.RNG.Float64() < r.Inclusion[i] {
			ids = append(ids, i)
		}
	}
	return ids
}

// Law is not known.
func (b *beacon) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }
