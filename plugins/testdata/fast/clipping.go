package fast

import "github.com/hansa-fl/hansa/framework/fl"

// CenteredClipping describes the aggregator.
var CenteredClipping = fl.AggregatorEntry{
	Name:    "centered-clipping",
	Summary: "updates are clipped around the step of the round before",
	Paper:   "S. P. Karimireddy, L. He, M. Jaggi, ICML 2021: centered clipping",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &centeredClipping{
			radius: p.Float("radius", 10, fl.Above(0), "τ, largest distance from the center"),
			times:  p.Int("iterations", 1, fl.AtLeast(1), "L, how often the center moves"),
		}, nil
	},
}

// centeredClipping keeps in State: center, v, as long as the model.
type centeredClipping struct {
	radius float64
	times  int
}

// Aggregate makes v ← v + Σ clip(Δₖ − v, τ)/n, L times, and returns θᵗ⁻¹ + v.
func (a *centeredClipping) Aggregate(r *fl.Round) (fl.Outcome, error) {
	d := len(r.Global)
	center, off, sum := r.State.Vector("center", d), r.Scratch(d), r.Scratch(d)
	for range a.times {
		sum.Fill(0)
		for k := range r.Updates {
			update(r, k, off)
			off.Sub(center)
			off.Project(a.radius)
			sum.AddScaled(1/float64(len(r.Updates)), off)
		}
		center.Add(sum)
	}
	return fl.Outcome{Params: moved(r, 1, center)}, nil
}
