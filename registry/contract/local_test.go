package contract

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// training is a local rule of one function.
func training(breaks, found string, f localRule) citizen[fl.LocalRule] {
	return made(breaks, found, func() fl.LocalRule { return f })
}

// step takes a gradient step on all samples.
func step(t *fl.Task, lr float64) fl.Update {
	grad := t.Scratch(len(t.Params))
	t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
	t.Params.AddScaled(-lr, grad)
	return fl.Update{Steps: 1, Params: t.Params}
}

// then lets a local rule take a step and do something else to the update.
func then(do func(t *fl.Task, u *fl.Update)) localRule {
	return func(t *fl.Task) (fl.Update, error) {
		u := step(t, 0.1)
		do(t, &u)
		return u, nil
	}
}

// tallies sends the sum of the client's features.
func tallies(t *fl.Task) (fl.Update, error) {
	d := &t.Client.Data
	sum := fl.NewMatrix(1, d.X.Cols)
	for i := range d.Len() {
		fl.Vector(sum.Data).Add(d.X.Row(i))
	}
	return fl.Update{Payload: fl.Tensors{"sum": sum}}, nil
}

// telling lets a local rule send a sum and do something else to the update.
func telling(do func(t *fl.Task, u *fl.Update)) localRule {
	return func(t *fl.Task) (fl.Update, error) {
		u, err := tallies(t)
		do(t, &u)
		return u, err
	}
}

// sending builds a local rule that says that it sends sums.
func sending(found string, f localRule) citizen[fl.LocalRule] {
	c := training("statistics", found, f)
	c.entry.Traits = fl.LocalTraits{Statistics: "sums"}
	return c
}

// modelless builds one that says that it needs no model for that.
func modelless(found string, f localRule) citizen[fl.LocalRule] {
	c := sending(found, f)
	c.entry.Traits = fl.LocalTraits{Statistics: "sums", NoModel: true}
	return c
}

// unsent builds a local rule that says that it needs no model, and sends one.
func unsent(found string, f localRule) citizen[fl.LocalRule] {
	c := training("statistics", found, f)
	c.entry.Traits = fl.LocalTraits{NoModel: true}
	return c
}

func TestBadLocalRules(t *testing.T) {
	calls := 0.0
	catches(t, localRules(), localRules().checks, []citizen[fl.LocalRule]{
		training("length", "1 parameters for 4", then(func(_ *fl.Task, u *fl.Update) {
			u.Params = u.Params[:1]
		})),
		training("length", "0 parameters for 4", then(func(_ *fl.Task, u *fl.Update) {
			u.Params = nil
		})),
		training("length", "NaN or Inf", then(func(_ *fl.Task, u *fl.Update) {
			u.Params[2] = math.NaN()
		})),
		training("length", "NaN or Inf in payload sd", then(func(_ *fl.Task, u *fl.Update) {
			u.Payload = fl.Tensors{"sd": {Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}}
		})),
		training("length", "a client with 1 samples: error: too few", func(t *fl.Task) (fl.Update, error) {
			if t.Client.Data.Len() == 1 {
				return fl.Update{}, errors.New("too few")
			}
			return step(t, 0.1), nil
		}),
		training("length", "panic: ", then(func(t *fl.Task, _ *fl.Update) {
			_ = t.Client.Data.Owner[1]
		})),

		training("statistics", "it sends no model", tallies),
		sending("it sends a model, not only", then(func(_ *fl.Task, u *fl.Update) {
			u.Payload = fl.Tensors{"one": fl.NewMatrix(1, 1)}
		})),
		sending("4 of 3 numbers are float16", telling(func(_ *fl.Task, u *fl.Update) {
			u.Halves = 4
		})),
		sending("in scratch memory", telling(func(t *fl.Task, u *fl.Update) {
			u.Payload["lent"] = fl.Matrix{Rows: 1, Cols: 1, Data: t.Scratch(1)}
		})),
		modelless("from a model, which the entry says that it does not need: payloads differ",
			telling(func(t *fl.Task, u *fl.Update) {
				u.Payload["model"] = fl.Matrix{Rows: 1, Cols: 1, Data: []float64{t.Global.Sum()}}
			})),
		modelless("from a model, which the entry says that it does not need: payloads differ",
			telling(func(t *fl.Task, u *fl.Update) { u.Payload["sum"].Data[0] += t.Params.Sum() })),
		unsent("not what it sends instead of one", tallies),

		training("steps", "-1 steps", then(func(_ *fl.Task, u *fl.Update) { u.Steps = -1 })),

		training("limit", "Limit = 1 of 2 steps: 2 steps", func(t *fl.Task) (fl.Update, error) {
			step(t, 0.1)
			u := step(t, 0.1)
			u.Steps = 2
			return u, nil
		}),
		training("limit", "it trains what it trains with all", func(t *fl.Task) (fl.Update, error) {
			step(t, 0.1)
			u := step(t, 0.1)
			u.Steps = t.Fit(2)
			return u, nil
		}),

		training("read-only", "Global changed", then(func(t *fl.Task, _ *fl.Update) {
			t.Global[0]++
		})),
		training("read-only", "the client changed", then(func(t *fl.Task, _ *fl.Update) {
			t.Client.Data.X.Data[0]++
		})),
		training("read-only", "the broadcast changed", then(func(t *fl.Task, _ *fl.Update) {
			t.Broadcast["mine"] = fl.NewMatrix(1, 1)
		})),
		training("read-only", "the mail changed", then(func(t *fl.Task, _ *fl.Update) {
			for _, m := range t.Mail {
				m.Data[0]++
			}
		})),

		training("repeatable", "element 0", then(func(_ *fl.Task, u *fl.Update) {
			calls++
			u.Params[0] += 1e-3 * calls
		})),
		training("repeatable", "steps against", then(func(_ *fl.Task, u *fl.Update) {
			calls++
			u.Steps = int(calls)
		})),

		made("forgets", "client 1, after others: element 0", func() fl.LocalRule {
			runs := 0.0
			return then(func(_ *fl.Task, u *fl.Update) {
				runs++
				u.Params[0] += 1e-3 * runs
			})
		}),
		training("forgets", "payloads differ", then(func(t *fl.Task, u *fl.Update) {
			ints := t.Ints(2) // another client's, where it is not the first
			u.Payload = fl.Tensors{"left": {Rows: 1, Cols: 1, Data: []float64{float64(ints[1])}}}
			ints[1] = 1 + t.Client.ID
		})),

		made("state", "client 1 in round 2: element 0", func() fl.LocalRule {
			rounds := map[int]float64{} // of clients: what a checkpoint does not have
			return then(func(t *fl.Task, u *fl.Update) {
				u.Params[0] += 1e-3 * rounds[t.Client.ID]
				rounds[t.Client.ID]++
			})
		}),
		made("state", "the states have names", func() fl.LocalRule {
			known := map[int]bool{}
			return then(func(t *fl.Task, u *fl.Update) {
				if known[t.Client.ID] {
					t.State.Vector("again", 1)
				}
				known[t.Client.ID] = true
			})
		}),

		made("alone", "beside another: element 0", func() fl.LocalRule {
			shared := new(crowding)
			return then(func(_ *fl.Task, u *fl.Update) {
				if shared.enter(runtime.Gosched) {
					u.Params[0]++
				}
			})
		}),

		{"zero-rate", "element 0", fl.LocalRuleEntry{New: func(p *fl.Params) (fl.LocalRule, error) {
			lr := p.Float("lr", 0.1, fl.AtLeast(0), "learning rate")
			return localRule(func(t *fl.Task) (fl.Update, error) {
				u := step(t, lr)
				u.Params[0] += 1e-3
				return u, nil
			}), nil
		}}},
	})
}

// TestRatesAboveZero examines a rule whose learning rate cannot be 0.
func TestRatesAboveZero(t *testing.T) {
	e := fl.LocalRuleEntry{New: func(p *fl.Params) (fl.LocalRule, error) {
		lr := p.Float("lr", 0.1, fl.Above(0), "learning rate")
		return localRule(func(t *fl.Task) (fl.Update, error) { return step(t, lr+0.1), nil }), nil
	}}
	for _, v := range examined(t, localRules(), e) {
		t.Error(v)
	}
}

// A rule may keep what it likes in the state of its client.
func TestStatefulRulesAreGood(t *testing.T) {
	e := fl.LocalRuleEntry{New: func(*fl.Params) (fl.LocalRule, error) {
		return then(func(t *fl.Task, u *fl.Update) {
			rounds, slope := t.State.Vector("rounds", 1), t.State.Vector32("slope", len(u.Params))
			for i := range u.Params {
				slope[i] += float32(u.Params[i] - t.Global[i])
				u.Params[i] -= 1e-3 * float64(slope[i]) / (1 + rounds[0])
			}
			rounds[0]++
		}), nil
	}}
	for _, v := range examined(t, localRules(), e) {
		t.Error(v)
	}
}
