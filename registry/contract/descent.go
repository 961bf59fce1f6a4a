package contract

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// straightOn is the plainest of optimizers.
type straightOn struct{}

func (straightOn) Slots() int      { return 0 }
func (straightOn) Rule() fl.Rule   { return fl.Rule{Form: fl.Momentum} }
func (straightOn) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }

// descends compares a Worker's own descent with that by its gradients, with each correction. What
// has no gradient anywhere, such as the running statistics of a network, is not compared.
func descends(b *bench) string {
	trained := make([]bool, len(b.points[0]))
	for _, theta := range b.points {
		for k, g := range b.gradient(theta, b.data, nil) {
			trained[k] = trained[k] || g != 0
		}
	}
	for _, batch := range []int{0, 3} {
		for _, c := range descents(b) {
			ends := make([]fl.Vector, 2)
			for k, way := range []func(w fl.Worker, d *fl.Descent){
				func(w fl.Worker, d *fl.Descent) { d.Follow(w) },
				func(w fl.Worker, d *fl.Descent) { w.Descend(d) },
			} {
				t := &fl.Task{Client: &fl.Client{Data: *b.data}, Global: b.points[1].Clone(),
					Params: b.points[1].Clone(), RNG: rand.New(rand.NewPCG(1, 2))}
				d := t.Descent()
				d.Optimizer, d.Rate, d.Steps = straightOn{}, 0.01, 5
				d.Batches = t.Batches(batch)
				d.Snapshot, d.At = make(fl.Vector, len(t.Params)), 3
				c.change(d)
				way(b.model.Worker(), d)
				for i := range t.Params {
					if trained[i] {
						ends[k] = append(ends[k], t.Params[i], d.Snapshot[i])
					}
				}
			}
			if d := apart(ends[0], ends[1], b.tolerance()); d != "" {
				return at(fmt.Sprintf("batches of %d, %s", batch, c.name), d)
			}
		}
	}
	return ""
}

// A variant is what a descent is asked for beside plain steps.
type variant struct {
	name   string
	change func(d *fl.Descent)
}

// descents are plain steps, each correction, and some of them at once. The two ways to make a step
// part where a rectifier bends between them: with these μ, no network has one there.
func descents(b *bench) []variant {
	start := b.points[1]
	away := normals(rand.New(rand.NewPCG(5, 6)), len(start), 0.1)
	near := start.Clone()
	near.Add(away)
	block := b.model.Layout().Blocks[:1]
	return append(guided(b), []variant{
		{"plain", func(*fl.Descent) {}},
		{"projected", func(d *fl.Descent) { d.Radius = start.Norm() }},
		{"shifted", func(d *fl.Descent) { d.Shift = away }},
		{"unshifted", func(d *fl.Descent) { d.Unshift = away }},
		{"shifted by a difference", func(d *fl.Descent) { d.Shift, d.Unshift = near, start }},
		{"proximal", func(d *fl.Descent) { d.Pull = 0.5 }},
		{"anchored", func(d *fl.Descent) { d.Pull, d.Anchor = 0.5, near }},
		{"proximal and shifted", func(d *fl.Descent) { d.Pull, d.Shift = 0.4, away }},
		{"proximal and unshifted", func(d *fl.Descent) { d.Pull, d.Unshift = 0.4, away }},
		{"proximal and shifted by a difference", func(d *fl.Descent) {
			d.Pull, d.Shift, d.Unshift = 0.4, near, start
		}},
		{"slightly proximal and shifted", func(d *fl.Descent) { d.Pull, d.Shift = 1e-10, away }},
		{"hardly proximal and shifted", func(d *fl.Descent) { d.Pull, d.Shift = 1e-40, away }},
		{"clipped", func(d *fl.Descent) { d.Shift, d.Clip = away, 0.1 }},
		{"ascending", func(d *fl.Descent) { d.Ascent = 0.05 }},
		{"frozen", func(d *fl.Descent) { d.Freeze = block }},
		{"all of them", func(d *fl.Descent) {
			d.Shift, d.Pull, d.Anchor, d.Clip, d.Ascent, d.Freeze = away, 0.5, near, 1, 0.01, block
		}},
	}...)
}

// derivesAlong compares slopes along random lines: single precision leaves too few digits
// for differences by coordinate. A rectifier that bends on the way costs a line a little, so
// it is their mean that counts.
func derivesAlong(b *bench) string {
	rng := rand.New(rand.NewPCG(3, 4))
	some := []int{3, 17, 8, 30, 5}
	for k, theta := range b.points[:2] {
		for _, rows := range [][]int{nil, upTo(b.data.Len()), some} {
			data := b.data
			if len(rows) == len(some) {
				data = b.data.Pick(some)
			}
			grad, off, size := b.gradient(theta, b.data, rows), 0.0, 0.0
			const lines = 12
			for range lines {
				v := normals(rng, len(theta), 1/math.Sqrt(float64(len(theta))))
				v.AddScaled(1/grad.Norm(), grad) // else slopes drown in rounding
				const h = 1e-3
				up, down := theta.Clone(), theta.Clone()
				up.AddScaled(h, v)
				down.AddScaled(-h, v)
				slope := (b.loss(up, data) - b.loss(down, data)) / (2 * h)
				off += math.Abs(slope-grad.Dot(v)) / lines
				size += math.Abs(slope) / lines
			}
			if !(off <= 1e-2*size+1e-5) {
				return fmt.Sprintf("%d rows, point %d: off by %.2g where slopes are %.2g",
					data.Len(), k+1, off, size)
			}
		}
	}
	return ""
}
