package contract

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// stepper is an optimizer of one function.
type stepper struct {
	slots int
	step  func(s *fl.Step)
	rule  fl.Rule
}

func (o stepper) Rule() fl.Rule   { return o.rule }
func (o stepper) Slots() int      { return o.slots }
func (o stepper) Step(s *fl.Step) { o.step(s) }

// heavy is an optimizer with momentum that meets every requirement.
var heavy = fl.OptimizerEntry{
	Name: "heavy", Summary: "gradient steps with a velocity",
	New: func(p *fl.Params) (fl.Optimizer, error) {
		mu := p.Float("momentum", 0.5, fl.RightOpen(0, 1), "how much of the velocity stays")
		rule := fl.Rule{Form: fl.Momentum, Momentum: mu}
		return stepper{slots: 1, rule: rule, step: func(s *fl.Step) {
			s.Slots[0].Scale(mu)
			s.Slots[0].AddScaled(1, s.Grad)
			plain(s.Params, s.Rate, s.Slots[0])
		}}, nil
	},
}

func plain(params fl.Vector, rate float64, move fl.Vector) { params.AddScaled(-rate, move) }

// stepping is an optimizer without slots, of one function.
func stepping(breaks, found string, step func(s *fl.Step)) citizen[fl.Optimizer] {
	return made(breaks, found, func() fl.Optimizer { return stepper{step: step} })
}

func TestBadOptimizers(t *testing.T) {
	calls, built := 0, 0.0
	catches(t, optimizers(), optimizers().checks, []citizen[fl.Optimizer]{
		made("slots", "-1 slots", func() fl.Optimizer { return stepper{slots: -1} }),
		made("slots", "slots, and then", func() fl.Optimizer {
			calls++
			return stepper{slots: calls % 3,
				step: func(s *fl.Step) { plain(s.Params, s.Rate, s.Grad) }}
		}),
		stepping("descends", "became", func(s *fl.Step) { plain(s.Params, -s.Rate/10, s.Grad) }),
		stepping("zero-gradient", "element 0 is ", func(s *fl.Step) {
			s.Params.Scale(1 - s.Rate)
			plain(s.Params, s.Rate, s.Grad)
		}),
		stepping("zero-rate", "element ", func(s *fl.Step) {
			plain(s.Params, s.Rate+0.01, s.Grad)
		}),
		made("repeatable", "element ", func() fl.Optimizer {
			built++
			slow := 1 / (1 + built/1e6)
			return stepper{step: func(s *fl.Step) { plain(s.Params, slow*s.Rate, s.Grad) }}
		}),
		made("forgets", "element ", func() fl.Optimizer {
			var last fl.Vector // belongs to Slots
			return stepper{step: func(s *fl.Step) {
				move := s.Grad.Clone()
				if len(last) == len(move) && s.T > 0 {
					move.AddScaled(0.1, last)
				}
				last = move
				plain(s.Params, s.Rate, move)
			}}
		}),
		made("rule", "element ", func() fl.Optimizer {
			return stepper{rule: fl.Rule{Form: fl.Momentum, Decay: 0.1},
				step: func(s *fl.Step) { plain(s.Params, s.Rate, s.Grad) }}
		}),
		made("rule", "0 slots, the rule needs 2", func() fl.Optimizer {
			return stepper{rule: fl.Rule{Form: fl.Adam},
				step: func(s *fl.Step) { plain(s.Params, s.Rate, s.Grad) }}
		}),
		stepping("slices", "parameter 4 is ", func(s *fl.Step) {
			if norm := s.Grad.Norm(); norm > 1 {
				s.Grad.Scale(1 / norm)
			}
			plain(s.Params, s.Rate, s.Grad)
		}),
	})
}
