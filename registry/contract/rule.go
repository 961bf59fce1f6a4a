package contract

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// follow makes a step by a Rule, as its comments say.
func follow(r fl.Rule, s *fl.Step) {
	for k, g := range s.Grad {
		s.Params[k] *= 1 - s.Rate*r.Shrink
		g += r.Decay * s.Params[k]
		switch r.Form {
		case fl.Momentum:
			move := g
			if r.Momentum > 0 {
				s.Slots[0][k] = r.Momentum*s.Slots[0][k] + g
				move = s.Slots[0][k]
				if r.Nesterov {
					move = g + r.Momentum*move
				}
			}
			s.Params[k] -= s.Rate * move
		case fl.Adam:
			t := float64(s.T + 1)
			m, v := &s.Slots[0][k], &s.Slots[1][k]
			*m = r.Beta1**m + (1-r.Beta1)*g
			*v = r.Beta2**v + (1-r.Beta2)*g*g
			root := math.Sqrt(*v/(1-math.Pow(r.Beta2, t))) + r.Epsilon
			s.Params[k] -= s.Rate * *m / (1 - math.Pow(r.Beta1, t)) / root
		}
	}
}

// byRule is an optimizer that does what a Rule says.
type byRule struct {
	fl.Optimizer
	rule fl.Rule
}

func (o byRule) Step(s *fl.Step) { follow(o.rule, s) }

func statesItself(s *subject[fl.Optimizer]) string {
	o := s.build()
	r := o.Rule()
	need := map[fl.RuleForm]int{fl.Adam: 2}[r.Form]
	if r.Form == fl.Momentum && r.Momentum > 0 {
		need = 1
	}
	switch {
	case r.Form == fl.Unstated:
		return ""
	case o.Slots() != need:
		return fmt.Sprintf("%d slots, the rule needs %d", o.Slots(), need)
	}
	own, stated := newQuadratic(o, 0, dimensions), newQuadratic(byRule{o, r}, 0, dimensions)
	own.descend(20)
	stated.descend(20)
	return apart(own.Params, stated.Params, 1e-9)
}
