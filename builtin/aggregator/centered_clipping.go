// Centered clipping — steps from the previous aggregate towards updates, none longer than a radius.
//
//	S. P. Karimireddy, L. He, M. Jaggi. Learning from History for Byzantine Robust Optimization.
//	ICML 2021, Algorithm 2 and Equation (5).
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the n updates, v the aggregate, which begins as that of the round before
// (at first 0), τ the radius, L iterations:
//
//	v ← v + 1/n·Σ (Δₖ − v)·min(1, τ/‖Δₖ − v‖),    θᵗ = θᵗ⁻¹ + v.
//
// One client moves v by at most τL/n. With τ = +∞ it would be the plain mean.
//
// In the paper workers send momenta: rules that know one round alone do not stand attacks that
// last. That is the local rule worker-momentum. With β > 0 the server has a momentum, too, which
// is not in the paper, and is v at first:
//
//	u ← βu + (1 − β)v,    θᵗ = θᵗ⁻¹ + u.
//
// Where all clients participate and nothing is clipped, the one momentum is the other.
//
// Departures: Δₖ is what local steps made, not a gradient, so that a radius of gradients is to be
// multiplied by the rate and the number of steps. The paper has τ = 10; the official code (epfml/
// byzantine-robust-optimizer, cifar10-all.py) has 100 with momenta 1/(1 − β) times as long.

package aggregator

import (
	"github.com/hansa-fl/hansa/framework/fl"
)

// CenteredClipping describes the aggregator to the registry.
var CenteredClipping = fl.AggregatorEntry{
	Name:       "centered-clipping",
	Summary:    "the previous update, and from it steps towards updates, clipped to a radius",
	Paper:      "karimireddy2021",
	Deviations: "updates are those of local steps; momentum at the workers is a local rule's",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &centeredClipping{
			radius: p.Float("tau", 10, fl.Above(0), "τ, radius, a norm of updates; the "+
				"paper takes 10 for gradients and finds results insensitive to it"),
			steps: p.Int("iterations", 1, fl.AtLeast(1), "L"),
			beta: p.Float("beta", 0, fl.RightOpen(0, 1), "β, momentum at the server; 0: none, as "+
				"in the paper"),
		}, nil
	},
}

// centeredClipping keeps in State: center, v of the round before, and with β > 0 momentum, u, and
// began, 1 once there is one.
type centeredClipping struct {
	radius float64 // τ
	steps  int     // L
	beta   float64 // β
}

var _ fl.Aggregator = (*centeredClipping)(nil)

// Aggregate implements fl.Aggregator.
func (a *centeredClipping) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n := len(r.Updates)
	if n == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	v, trained := r.State.Vector("center", len(r.Global)), r.Layout.Trained(len(r.Global))
	clear(v[trained:]) // statistics have no momentum: their updates begin anew
	from, step := r.Scratch(len(v)), r.Scratch(len(v))
	for range a.steps {
		copy(from, r.Global)
		from.Add(v)
		for k := range r.Updates {
			copy(step, r.Updates[k].Params)
			step.Sub(from)
			v.AddScaled(clipped(step.Norm(), a.radius)/float64(n), step)
		}
	}
	next := r.Scratch(len(v))
	copy(next, r.Global)
	next[:trained].Add(a.averaged(r.State, v)[:trained])
	next[trained:].Add(v[trained:])
	return fl.Outcome{Params: next}, nil
}

// averaged returns u, and v itself without a momentum at the server.
func (a *centeredClipping) averaged(s fl.State, v fl.Vector) fl.Vector {
	if a.beta == 0 {
		return v
	}
	u, began, share := s.Vector("momentum", len(v)), s.Vector("began", 1), 1-a.beta
	if began[0] == 0 {
		began[0], share = 1, 1
	}
	u.Scale(1 - share)
	u.AddScaled(share, v)
	return u
}
