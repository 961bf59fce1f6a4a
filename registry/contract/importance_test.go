package contract

import (
	"errors"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// counting is an importance of one function.
func counting(breaks, found string, f importance) citizen[fl.Importance] {
	return made(breaks, found, func() fl.Importance { return f })
}

// proportional returns weights proportional to w(i).
func proportional(pop *fl.Roster, w func(i int) float64) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		p[i] = w(i)
	}
	p.Scale(1 / p.Sum())
	return p
}

func TestBadImportances(t *testing.T) {
	calls, owned := 0.0, equal(clients, 1./clients)
	catches(t, importances(), importances().checks, []citizen[fl.Importance]{
		counting("weights", "of 6 clients: 5 weights, want 6", func(pop *fl.Roster) fl.Vector {
			return equal(pop.N-1, 0.2)
		}),
		counting("weights", "of 6 clients: weights of which element 0 is -0.1", func(pop *fl.Roster) fl.Vector {
			return append(fl.Vector{-0.1}, equal(pop.N-1, 1.1/float64(pop.N-1))...)
		}),
		counting("weights", "sum to 1.2", func(pop *fl.Roster) fl.Vector {
			return equal(pop.N, 1.2/float64(pop.N))
		}),
		counting("weights", "is NaN", func(pop *fl.Roster) fl.Vector {
			return proportional(pop, func(int) float64 { return 0 })
		}),

		counting("any-size", "of 100000 clients: weights of which element 710 is NaN", func(pop *fl.Roster) fl.Vector {
			return proportional(pop, func(i int) float64 { return math.Exp(float64(i)) })
		}),
		counting("any-size", "panic: ", func(pop *fl.Roster) fl.Vector {
			_ = pop.Samples[1]
			return equal(pop.N, 1/float64(pop.N))
		}),
		{"any-size", "it does not build for 100000 clients", fl.ImportanceEntry{
			New: func(p *fl.Params) (fl.Importance, error) {
				if p.Setting().Clients > 1000 {
					return nil, errors.New("too many")
				}
				return importance(shares), nil
			}}},

		counting("repeatable", "another instance", func(pop *fl.Roster) fl.Vector {
			calls++
			return proportional(pop, func(i int) float64 { return calls + float64(i) })
		}),
		counting("repeatable", "after writing to them: element 0 is 0.16666666666666666 against -1",
			func(pop *fl.Roster) fl.Vector {
				if pop.N == clients {
					return owned
				}
				return equal(pop.N, 1/float64(pop.N))
			}),

		counting("read-only", "the Roster changed", func(pop *fl.Roster) fl.Vector {
			p := shares(pop)
			pop.Importance = p.Clone()
			return p
		}),

		counting("equivariant", "have weights", func(pop *fl.Roster) fl.Vector {
			return proportional(pop, func(i int) float64 {
				return float64((i + 1) * pop.Samples[i])
			})
		}),
	})
}
