package model

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
)

// Descend implements fl.Worker: all steps are made in float32, and what they add up to is
// added to the parameters. Optimizers whose Rule is unstated step in float64. None of them
// meets running statistics, which follow the batches.
func (k *netWorker) Descend(d *fl.Descent) {
	k.take(d.Params)
	if k.masks != nil {
		k.masks.Seed(d.Seed())
		k.tape.Mask(k.masks)
		defer k.tape.Mask(nil)
	}
	all, trained := d.Params, k.model.net.Trained()
	rule := d.Optimizer.Rule()
	k.correct.begin(d, k.params, trained)
	if rule.Form == fl.Unstated {
		d.Params = all[:trained]
		d.Follow(tracked{k, d})
		d.Params = all
		k.correct.hold(k.params)
		k.give(all, trained)
		return
	}
	k.openSlots(d)
	if d.Guided() {
		k.guide.Guidance = &d.Guide
	}
	for t := range d.Steps {
		k.step(d, rule, t)
		if d.Radius > 0 {
			project(k.params[:trained], d.Radius)
		}
		k.correct.hold(k.params)
		if d.Snapshot != nil && t+1 == d.At {
			copy(d.Snapshot, all)
			k.give(d.Snapshot, 0)
		}
	}
	k.guide.Guidance = nil
	for s, kept := range d.Kept {
		for j, x := range k.slots[s] {
			kept[j] = float64(x)
		}
	}
	k.give(all, 0)
}

// give adds to parameters, from one of them on, by how much those that were taken from them
// have moved.
func (k *netWorker) give(params fl.Vector, from int) {
	kernel.Moved(params[from:], k.params[from:])
}

// tracked is a netWorker that is given trained parameters alone, and moves its running
// statistics with the first gradient of every step, as training does.
type tracked struct {
	*netWorker
	d *fl.Descent
}

// Gradient implements fl.Worker.
func (k tracked) Gradient(grad, params fl.Vector, d *fl.Dataset, rows []int) {
	k.netWorker.Gradient(grad, params, d, rows)
	k.track()
}

// track moves running statistics, unless the gradient is the second one of a step.
func (k tracked) track() {
	if !k.d.Ascended() {
		k.tape.Track(k.params)
	}
}

// openSlots makes what the optimizer keeps zero, or what the descent has of it.
func (k *netWorker) openSlots(d *fl.Descent) {
	for s := range d.Optimizer.Slots() {
		if k.slots[s] == nil {
			k.slots[s] = make([]float32, k.model.net.Trained())
		}
		if d.Kept == nil {
			clear(k.slots[s])
			continue
		}
		kernel.Narrow(k.slots[s], d.Kept[s][:len(k.slots[s])])
	}
}

// step makes step t of a descent. Running statistics follow the gradient at θ.
func (k *netWorker) step(d *fl.Descent, rule fl.Rule, t int) {
	rows := d.Next()
	n := len(rows)
	if rows == nil {
		n = d.Data.Len()
	}
	w := k.params[:k.model.net.Trained()]
	plain := rule == fl.Rule{Form: fl.Momentum, Nesterov: rule.Nesterov}
	if plain && n <= k.model.most && k.correct.onlyAdds() {
		k.run(d.Data, rows)
		k.tape.DescendCorrected(k.params, float32(d.Rate), k.correct.adds)
		k.tape.Track(k.params)
		return
	}
	grad := k.slope(d.Data, rows)[:len(w)]
	k.tape.Track(k.params)
	if k.correct.ascend(w, grad) {
		grad = k.slope(d.Data, rows)[:len(w)]
		k.correct.descend(w)
	}
	k.correct.adds.Add(grad, w, 1)
	k.correct.bound(grad)
	k.move(rule, d.Rate, d.Made+t, w, grad)
}

// move makes a step of a rule along a gradient, which it may overwrite.
func (k *netWorker) move(rule fl.Rule, rate float64, t int, w, grad []float32) {
	switch {
	case rule.Form == fl.Adam:
		adam := kernel.Adam{Rate: rate, Beta1: rule.Beta1, Beta2: rule.Beta2,
			Epsilon: rule.Epsilon, Decay: rule.Decay}
		if rule.Shrink > 0 {
			adam.Decay, adam.Decoupled = rule.Shrink, true
		}
		adam.Step(t+1, w, grad, k.slots[0], k.slots[1])
	case rule.Momentum > 0:
		heavy := kernel.Momentum{Rate: rate, Momentum: rule.Momentum, Nesterov: rule.Nesterov,
			Decay: rule.Decay}
		heavy.Step(w, grad, k.slots[0])
	default:
		kernel.Axpy32(grad, float32(rule.Decay), w)
		kernel.Axpy32(w, float32(-rate), grad)
	}
}

// project moves w to the nearest point of the ball of a radius around 0.
func project(w []float32, radius float64) {
	square := 0.0
	for _, x := range w {
		square += float64(x) * float64(x)
	}
	if norm := math.Sqrt(square); norm > radius {
		kernel.Scale32(w, float32(radius/norm))
	}
}
