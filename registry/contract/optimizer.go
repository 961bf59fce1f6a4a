package contract

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func optimizers() exam[fl.Optimizer] {
	type s = *subject[fl.Optimizer]
	return exam[fl.Optimizer]{
		of: registry.Optimizers(),
		checks: []check[s]{
			{"slots", "it keeps a number of vectors that is fixed and not negative",
				"", fixedSlots},
			{"descends", "500 steps of rate 0.05 bring ½ Σ (k+1) θₖ² of 8 parameters to a tenth " +
				"of where it was", "slots", descendsQuadratic},
			{"zero-gradient", "where every gradient was zero, a step does not move",
				"slots", restsAtZero},
			{"zero-rate", "a step of rate 0 does not move", "slots", restsAtRateZero},
			{"repeatable", "two fresh instances make the same bits of the same gradients",
				"descends", repeatsSteps},
			{"forgets", "a step depends on its Step alone: two descents that take turns on one " +
				"instance end where each ends alone", "repeatable", forgetsDescents},
			{"rule", "a Rule makes the steps that Step makes (within 1e-9) and needs its slots",
				"repeatable", statesItself},
			{"slices", "parameters move alone: half of them move as they do among all",
				"repeatable", movesHalves},
		},
	}
}

// quadratic is a descent on ½ Σ (k+1) θₖ², from θ = (1, −2, 3, …).
type quadratic struct {
	fl.Step
	optimizer fl.Optimizer
	curve     fl.Vector // k + 1
}

// newQuadratic returns a descent of n parameters, the first of which has the given number.
func newQuadratic(o fl.Optimizer, first, n int) *quadratic {
	b := &quadratic{optimizer: o, curve: make(fl.Vector, n)}
	b.Rate, b.Params, b.Grad = 0.05, make(fl.Vector, n), make(fl.Vector, n)
	for k := range n {
		b.curve[k] = float64(first + k + 1)
		b.Params[k] = b.curve[k] * float64(1-2*((first+k)%2))
	}
	for range o.Slots() {
		b.Slots = append(b.Slots, make(fl.Vector, n))
	}
	return b
}

func (b *quadratic) value() float64 {
	sum := 0.0
	for k, x := range b.Params {
		sum += b.curve[k] * x * x / 2
	}
	return sum
}

// descend makes steps.
func (b *quadratic) descend(steps int) {
	for range steps {
		for k, x := range b.Params {
			b.Grad[k] = b.curve[k] * x
		}
		b.optimizer.Step(&b.Step)
		b.T++
	}
}

const dimensions = 8 // parameters

func fixedSlots(s *subject[fl.Optimizer]) string {
	o := s.build()
	if n, again := o.Slots(), s.build().Slots(); n < 0 || n != again || n != o.Slots() {
		return fmt.Sprintf("%d slots, and then %d", n, again)
	}
	return ""
}

func descendsQuadratic(s *subject[fl.Optimizer]) string {
	b := newQuadratic(s.build(), 0, dimensions)
	before := b.value()
	b.descend(500)
	if after := b.value(); !(after <= before/10) {
		return fmt.Sprintf("%.3g became %.3g", before, after)
	}
	return ""
}

func restsAtZero(s *subject[fl.Optimizer]) string {
	b := newQuadratic(s.build(), 0, dimensions)
	start := b.Params.Clone()
	for range 3 {
		clear(b.Grad)
		b.optimizer.Step(&b.Step)
		b.T++
	}
	return apart(start, b.Params, 0)
}

func restsAtRateZero(s *subject[fl.Optimizer]) string {
	b := newQuadratic(s.build(), 0, dimensions)
	b.descend(3)
	start := b.Params.Clone()
	b.Rate = 0
	b.descend(3)
	return apart(start, b.Params, 0)
}

func repeatsSteps(s *subject[fl.Optimizer]) string {
	first, second := newQuadratic(s.build(), 0, dimensions), newQuadratic(s.build(), 0, dimensions)
	first.descend(20)
	second.descend(20)
	return apart(first.Params, second.Params, 0)
}

func forgetsDescents(s *subject[fl.Optimizer]) string {
	alone := newQuadratic(s.build(), 0, dimensions)
	alone.descend(20)
	shared := s.build()
	one, other := newQuadratic(shared, 0, dimensions), newQuadratic(shared, 3, dimensions)
	for range 20 {
		one.descend(1)
		other.descend(1)
	}
	return apart(alone.Params, one.Params, 0)
}

func movesHalves(s *subject[fl.Optimizer]) string {
	whole := newQuadratic(s.build(), 0, dimensions)
	upper := newQuadratic(s.build(), dimensions/2, dimensions/2)
	whole.descend(20)
	upper.descend(20)
	for k, x := range upper.Params {
		if want := whole.Params[dimensions/2+k]; math.Abs(x-want) > 1e-12*(1+math.Abs(want)) {
			return fmt.Sprintf("parameter %d is %v among all, %v among half", dimensions/2+k,
				want, x)
		}
	}
	return ""
}
