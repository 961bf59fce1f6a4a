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

// fewer is how many rows those descents see at most that differ in what is done to parameters: five
// batches of three begin them anew, with a batch that is short in between.
const fewer = 11

// descends compares a Worker's own descent with that by its gradients, with each correction. What
// has no gradient anywhere, such as the running statistics of a network, is not compared. All rows
// at once make a difference to how gradients are added up, which corrections do not see: plain
// steps, guided ones and those with all corrections have all rows, the others have fewer.
func descends(b *bench) string {
	trained := make([]bool, len(b.points[0]))
	for _, theta := range b.points {
		for k, g := range b.gradient(theta, b.data, nil) {
			trained[k] = trained[k] || g != 0
		}
	}
	few := *b
	few.data = b.data.Pick(upTo(fewer))
	whole, part := descents(b), descents(&few)
	for _, batch := range []int{0, 3} {
		for k := range whole {
			on, c := b, whole[k]
			if !c.whole {
				on, c = &few, part[k]
			}
			if d := on.descend(c, batch, trained); d != "" {
				return at(fmt.Sprintf("batches of %d, %s", batch, c.name), d)
			}
		}
	}
	return ""
}

// descend says how far the two ways of one descent end apart, in what is trained.
func (b *bench) descend(c variant, batch int, trained []bool) string {
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
	return apart(ends[0], ends[1], b.tolerance())
}

// A variant is what a descent is asked for beside plain steps.
type variant struct {
	name   string
	change func(d *fl.Descent)
	whole  bool // it sees all rows
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
		{"plain", func(*fl.Descent) {}, true},
		{"projected", func(d *fl.Descent) { d.Radius = start.Norm() }, false},
		{"shifted", func(d *fl.Descent) { d.Shift = away }, false},
		{"unshifted", func(d *fl.Descent) { d.Unshift = away }, false},
		{"shifted by a difference", func(d *fl.Descent) {
			d.Shift, d.Unshift = near, start
		}, false},
		{"proximal", func(d *fl.Descent) { d.Pull = 0.5 }, false},
		{"anchored", func(d *fl.Descent) { d.Pull, d.Anchor = 0.5, near }, false},
		{"proximal and shifted", func(d *fl.Descent) { d.Pull, d.Shift = 0.4, away }, false},
		{"proximal and unshifted", func(d *fl.Descent) { d.Pull, d.Unshift = 0.4, away }, false},
		{"proximal and shifted by a difference", func(d *fl.Descent) {
			d.Pull, d.Shift, d.Unshift = 0.4, near, start
		}, false},
		{"slightly proximal and shifted", func(d *fl.Descent) {
			d.Pull, d.Shift = 1e-10, away
		}, false},
		{"hardly proximal and shifted", func(d *fl.Descent) {
			d.Pull, d.Shift = 1e-40, away
		}, false},
		{"clipped", func(d *fl.Descent) { d.Shift, d.Clip = away, 0.1 }, false},
		{"ascending", func(d *fl.Descent) { d.Ascent = 0.05 }, false},
		{"frozen", func(d *fl.Descent) { d.Freeze = block }, false},
		{"all of them", func(d *fl.Descent) {
			d.Shift, d.Pull, d.Anchor, d.Clip, d.Ascent, d.Freeze = away, 0.5, near, 1, 0.01, block
		}, true},
	}...)
}

// derivesAlong compares slopes along random lines: single precision leaves too few digits
// for differences by coordinate. A rectifier that bends on the way costs a line a little, so
// it is their mean that counts.
func derivesAlong(b *bench) string {
	rng := rand.New(rand.NewPCG(3, 4))
	some := []int{3, 17, 8, 30, 5}
	for k, theta := range b.points[:2] {
		for _, c := range []struct {
			data *fl.Dataset
			rows [][]int // lists of them among all rows, which are to mean the same
		}{
			{b.data, [][]int{nil, upTo(b.data.Len())}},
			{b.data.Pick(some), [][]int{some}},
		} {
			if off := b.along(theta, c.data, c.rows, rng); off != "" {
				return fmt.Sprintf("%d rows, point %d: %s", c.data.Len(), k+1, off)
			}
		}
	}
	return ""
}

// along compares slopes of the loss on data along random lines with the gradient on the same
// rows of the bench, by each of the lists that mean them.
func (b *bench) along(theta fl.Vector, data *fl.Dataset, lists [][]int, rng *rand.Rand) string {
	const lines, h = 12, 1e-3
	w, grads := b.model.Worker(), make([]fl.Vector, len(lists))
	for i, rows := range lists {
		grads[i] = b.gradient(theta, b.data, rows)
	}
	off, size := make(fl.Vector, len(lists)), 0.0
	for range lines {
		v := normals(rng, len(theta), 1/math.Sqrt(float64(len(theta))))
		v.AddScaled(1/grads[0].Norm(), grads[0]) // else slopes drown in rounding
		up, down := theta.Clone(), theta.Clone()
		up.AddScaled(h, v)
		down.AddScaled(-h, v)
		slope := (w.Loss(up, data) - w.Loss(down, data)) / (2 * h)
		size += math.Abs(slope) / lines
		for i, grad := range grads {
			off[i] += math.Abs(slope-grad.Dot(v)) / lines
		}
	}
	for i := range off {
		if !(off[i] <= 1e-2*size+1e-5) {
			return fmt.Sprintf("off by %.2g where slopes are %.2g", off[i], size)
		}
	}
	return ""
}
