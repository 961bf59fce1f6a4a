package contract

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// finisher is a completion model of functions.
type finisher struct {
	finish  func(f *fl.Finishing) error
	chances func(f *fl.Finishing, seconds float64) (fl.Vector, bool)
}

func (c finisher) Finish(f *fl.Finishing) error { return c.finish(f) }
func (c finisher) Chances(f *fl.Finishing, seconds float64) (fl.Vector, bool) {
	return c.chances(f, seconds)
}

// shifted is a good completion model: an exponential time beyond one of each client.
func shifted() finisher {
	return finisher{
		finish: func(f *fl.Finishing) error {
			for k, i := range f.Asked {
				f.After[k] = f.Fixed(i).Float64() + f.Draw(i).ExpFloat64()
			}
			return nil
		},
		chances: func(f *fl.Finishing, seconds float64) (fl.Vector, bool) {
			p := f.Scratch(len(f.Asked))
			for k, i := range f.Asked {
				p[k] = max(0, -math.Expm1(f.Fixed(i).Float64()-seconds))
			}
			return p, true
		},
	}
}

// tiring is a good completion model with a state: clients that were asked are slower.
var tiring = fl.CompletionEntry{
	Name: "tiring", Summary: "slower whenever asked",
	New: func(*fl.Params) (fl.Completion, error) {
		c := shifted()
		c.finish = func(f *fl.Finishing) error {
			asked := f.State.Vector("asked", f.Roster.N)
			for k, i := range f.Asked {
				asked[i]++
				f.After[k] = asked[i]
			}
			return nil
		}
		c.chances = func(*fl.Finishing, float64) (fl.Vector, bool) { return nil, false }
		return c, nil
	},
}

// late is a good completion model without state.
var late = fl.CompletionEntry{
	Name: "late", Summary: "an exponential time beyond that of each client",
	New: func(*fl.Params) (fl.Completion, error) { return shifted(), nil },
}

func TestBadCompletions(t *testing.T) {
	bad := func(breaks, found string, change func(c *finisher)) citizen[fl.Completion] {
		return made(breaks, found, func() fl.Completion {
			c := shifted()
			change(&c)
			return c
		})
	}
	calls := 0.0
	catches(t, completions(), completions().checks, []citizen[fl.Completion]{
		bad("seconds", "needs NaN seconds", func(c *finisher) {
			c.finish = func(f *fl.Finishing) error {
				f.After[0] = 1
				return nil
			}
		}),
		bad("inspects", "it reads files, and has no Inspect", func(c *finisher) {
			good := c.finish
			c.finish = func(f *fl.Finishing) error {
				if f.Folders == nil {
					_, err := data.Locate(nil, "lacking", "no-such-file")
					return err
				}
				return good(f)
			}
		}),
		bad("work", "its traits say false", func(c *finisher) {
			good := c.finish
			c.finish = func(f *fl.Finishing) error {
				f.Work[0] = 1e-3
				return good(f)
			}
		}),
		bad(readOnly, "changed its input", func(c *finisher) {
			good := c.finish
			c.finish = func(f *fl.Finishing) error {
				f.Steps[0]++
				return good(f)
			}
		}),
		bad("repeatable", "two instances differ", func(c *finisher) {
			calls++
			mine := calls
			c.finish = func(f *fl.Finishing) error {
				f.After.Fill(mine)
				return nil
			}
		}),
		bad("state", "takes over", func(c *finisher) {
			rounds := 0.0
			c.finish = func(f *fl.Finishing) error {
				rounds++
				f.After.Fill(rounds)
				return nil
			}
		}),
		bad("chances", "its probability is", func(c *finisher) {
			c.chances = func(f *fl.Finishing, seconds float64) (fl.Vector, bool) {
				p := f.Scratch(len(f.Asked))
				p.Fill(-math.Expm1(-seconds))
				return p, true
			}
		}),
	})
}
