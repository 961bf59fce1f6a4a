package plugins

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// completion guards an fl.Completion.
type completion guarding[fl.Completion]

// guardCompletion guards a completion model.
func guardCompletion(g guarded, c fl.Completion) (fl.Completion, error) {
	return &completion{g, c}, nil
}

// Finish implements fl.Completion.
func (c *completion) Finish(f *fl.Finishing) error {
	n := len(f.Asked)
	return c.try("Finish", func() error {
		if err := c.of.Finish(f); err != nil {
			return err
		}
		if len(f.After) != n {
			return fmt.Errorf("left %d elements of After, want %d", len(f.After), n)
		}
		if len(f.Work) != n {
			return fmt.Errorf("left %d elements of Work, want %d", len(f.Work), n)
		}
		for k, x := range f.After {
			if !(x >= 0) || math.IsInf(x, 0) {
				return fmt.Errorf("set After[%d] to %v", k, x)
			}
		}
		return nil
	}, input{"f", f})
}

// Chances implements fl.Completion.
func (c *completion) Chances(f *fl.Finishing, seconds float64) (p fl.Vector, known bool) {
	n := len(f.Asked)
	c.must("Chances", func() error {
		if p, known = c.of.Chances(f, seconds); !known {
			return nil
		}
		if len(p) != n {
			return fmt.Errorf("returned %d probabilities, want %d", len(p), n)
		}
		for k, x := range p {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("returned %v as probability %d", x, k)
			}
		}
		return nil
	}, input{"f", f})
	return p, known
}

// finishing returns a round of so many clients.
func finishing(c fl.Completion, _ *registry.Registry, clients int) func() (int, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	of := func(int) *rand.Rand { return rng }
	f := &fl.Finishing{Roster: equalRoster(clients), After: make(fl.Vector, clients),
		Work: make(fl.Vector, clients), Fixed: of, Draw: of, State: fl.NewStore()}
	for i := range clients {
		f.Asked, f.Steps = append(f.Asked, i), append(f.Steps, 5)
		f.Down, f.Up = append(f.Down, 1_000_000), append(f.Up, 1_000_000)
	}
	return func() (int, error) {
		f.Recycle()
		err := c.Finish(f)
		f.T++
		return 1, err
	}
}
