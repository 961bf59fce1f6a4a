package contract

import (
	"math"
	"runtime"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

type (
	corrupt func(a *fl.Attack) error
	poison  func(p *fl.Poisoning) error
)

func (f corrupt) Corrupt(a *fl.Attack) error { return f(a) }

func (f poison) Poison(p *fl.Poisoning) error { return f(p) }

// reverse is a good adversary, which knows its own updates.
var reverse = fl.AdversaryEntry{
	Name: "reverse", Summary: "updates reversed",
	New: func(*fl.Params) (fl.Adversary, error) { return corrupt(back), nil },
}

// back reverses updates.
func back(a *fl.Attack) error {
	for k := range a.Updates {
		a.Updates[k].Params.Scale(-1)
		a.Updates[k].Params.AddScaled(2, a.Global)
	}
	return nil
}

// slide is a good adversary with a state, which knows the cohort.
var slide = fl.AdversaryEntry{
	Name: "slide", Summary: "a running mean",
	New: func(*fl.Params) (fl.Adversary, error) {
		return corrupt(func(a *fl.Attack) error {
			mean, _ := a.Moments()
			running := a.State.Vector("running", len(mean))
			running.Add(mean)
			a.Send(running)
			return nil
		}), nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

// smudge is a good adversary that poisons data.
var smudge = fl.AdversaryEntry{
	Name: "smudge", Summary: "rows with noise",
	New: func(*fl.Params) (fl.Adversary, error) {
		return fl.DataAttack(poison(func(p *fl.Poisoning) error {
			for r := range p.Data.Len() {
				p.Data.X.Row(r).AddNoise(1, p.RNG)
			}
			return nil
		})), nil
	},
}

func TestBadAdversaries(t *testing.T) {
	bad := func(breaks, found string, knows fl.Knowledge, f corrupt) citizen[fl.Adversary] {
		c := made(breaks, found, func() fl.Adversary { return f })
		c.entry.Traits = fl.AdversaryTraits{Knows: knows}
		return c
	}
	calls := 0
	lasting := made("state", "takes over", func() fl.Adversary {
		rounds := 0.0
		return corrupt(func(a *fl.Attack) error {
			rounds++
			for k := range a.Updates {
				a.Updates[k].Params.AddConst(rounds)
			}
			return nil
		})
	})
	lasting.entry.Traits = fl.AdversaryTraits{Knows: fl.KnowsCohort}
	catches(t, adversaries(), adversaries().checks, []citizen[fl.Adversary]{
		bad("length", "finite: false", fl.KnowsOwn, func(a *fl.Attack) error {
			a.Updates[0].Params[0] = math.NaN()
			return nil
		}),
		made("length", "data of another size", func() fl.Adversary {
			return fl.DataAttack(poison(func(p *fl.Poisoning) error {
				p.Data.X.Rows--
				return nil
			}))
		}),
		bad("corrupts", "what honest ones do", fl.KnowsOwn, func(*fl.Attack) error { return nil }),
		bad("read-only", "Honest or the clients of Updates changed", fl.KnowsCohort,
			func(a *fl.Attack) error {
				if len(a.Honest) > 0 {
					a.Honest[0].Params[0]++
				}
				return back(a)
			}),
		bad("repeatable", "two instances differ", fl.KnowsCohort, func(a *fl.Attack) error {
			calls++
			a.Updates[0].Params.AddConst(float64(calls))
			return nil
		}),
		lasting,
		bad("blind", "it tries the rule", fl.KnowsCohort, func(a *fl.Attack) error {
			next, err := a.Try()
			if err != nil {
				return back(a)
			}
			_ = next
			return back(a)
		}),
		made("blind", "other bits after other faulty clients", func() fl.Adversary {
			var sum fl.Vector // it forgets between rounds, and not between clients
			return corrupt(func(a *fl.Attack) error {
				if a.Updates[0].Client == 0 || sum == nil {
					sum = a.Global.Clone()
				}
				sum.Add(a.Updates[0].Params)
				copy(a.Updates[0].Params, sum)
				return nil
			})
		}),
		made("at-once", "beside another", func() fl.Adversary {
			shared := new(crowding)
			return corrupt(func(a *fl.Attack) error {
				if shared.enter(runtime.Gosched) {
					a.Updates[0].Params.AddConst(1)
				}
				return back(a)
			})
		}),
	})
}
