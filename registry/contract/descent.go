package contract

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// straightOn is the plainest of optimizers.
type straightOn struct{}

func (straightOn) Slots() int      { return 0 }
func (straightOn) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }

// descends compares a Worker's own descent with that by its gradients.
func descends(b *bench) string {
	for _, batch := range []int{0, 3} {
		for _, radius := range []float64{0, b.points[1].Norm()} {
			ends := make([]fl.Vector, 2)
			for k, way := range []func(w fl.Worker, d *fl.Descent){
				func(w fl.Worker, d *fl.Descent) { d.Follow(w) },
				func(w fl.Worker, d *fl.Descent) { w.Descend(d) },
			} {
				t := &fl.Task{Client: &fl.Client{Data: *b.data}, Global: b.points[1].Clone(),
					Params: b.points[1].Clone(), RNG: rand.New(rand.NewPCG(1, 2))}
				d := t.Descent()
				d.Optimizer, d.Rate, d.Steps, d.Radius = straightOn{}, 0.01, 5, radius
				d.Batches = t.Batches(batch)
				way(b.model.Worker(), d)
				ends[k] = t.Params
			}
			if d := apart(ends[0], ends[1], 1e-12); d != "" {
				return at(fmt.Sprintf("batches of %d, radius %.3g", batch, radius), d)
			}
		}
	}
	return ""
}
