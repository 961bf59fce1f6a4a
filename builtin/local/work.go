package local

import (
	"iter"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A work is how much a client trains in a round: how many steps, on which batches, at which rate.
type work struct {
	steps   int // H; 0: as many as epochs take
	epochs  int // passes over the samples when steps is 0
	batch   int // b; 0: all samples
	rate    fl.Schedule
	augment fl.Augmentation
}

func newWork(p *fl.Params) work {
	w := work{
		steps: p.Int("steps", 0, fl.AtLeast(0), "gradient steps H; 0: as many as epochs take"),
		epochs: p.Int("epochs", 0, fl.AtLeast(0),
			"passes over the client's samples, instead of steps; one when neither is given"),
		batch: p.Int("batch", 0, fl.AtLeast(0),
			"samples per step, drawn without replacement; 0: all of them"),
		rate: newSchedule(p), augment: newAugmentation(p),
	}
	switch {
	case w.steps > 0 && w.epochs > 0:
		p.Clash("epochs", "steps", "steps = %d is given too; set one of them to 0", w.steps)
	case w.steps == 0 && w.epochs == 0:
		w.epochs = 1
	}
	return w
}

// descent returns a descent of this much work in the round of a task, by plain gradient steps.
func (w *work) descent(t *fl.Task) *fl.Descent {
	d := t.Descent()
	d.Optimizer, d.Rate, d.Augment = plain{}, w.rate.At(t.T), w.augment
	d.Batches, d.Steps = t.Batches(w.batch), w.steps
	if d.Steps == 0 {
		d.Steps = w.epochs * d.Batches.PerEpoch()
	}
	d.Steps = t.Fit(d.Steps)
	return d
}

// stretches yields parts of vectors of length n, short enough for the first cache: what is computed
// in several passes is computed part by part, and read and written in memory once.
func stretches(n int) iter.Seq2[int, int] {
	const most = 1024
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n && yield(lo, min(lo+most, n)); lo += most {
		}
	}
}

// plain is θ ← θ − ηg, for rules whose formulas hold for no other step.
type plain struct{}

var _ fl.Optimizer = plain{}

// Slots implements fl.Optimizer.
func (plain) Slots() int { return 0 }

// Rule implements fl.Optimizer.
func (plain) Rule() fl.Rule { return fl.Rule{Form: fl.Momentum} }

// Step implements fl.Optimizer.
func (plain) Step(s *fl.Step) { s.Params.AddScaled(-s.Rate, s.Grad) }
