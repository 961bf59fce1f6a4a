package engine

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// openMeasures readies what the measures of a cell need, before the first is taken.
func (c *Cell) openMeasures() {
	s := c.setup
	c.values = make([][]float64, len(s.Measures))
	moments := min(s.Rounds/s.Every+2, 1<<12) // more of them grow as they come
	c.rounds = make([]int, 0, moments)
	for k, m := range s.Measures {
		c.values[k] = make([]float64, 0, moments)
		if m.Average && c.average == nil {
			c.average = make(fl.Vector, len(c.global))
		}
		if m.Judges && c.residual == nil {
			c.residual = newResidual(c.world.Roster.N)
		}
	}
	c.snapshot = fl.Snapshot{
		Model: s.Model, Worker: s.Model.Worker(), Roster: c.world.Environment,
		Population: c.world.Population, Pooled: c.world.Pooled, Notes: c.round.Notes,
	}
	if s.Model.Facts().Solve != nil {
		c.snapshot.Optimal = func() (*fl.Optimum, error) { return Optimum(s, c.opts, c.world) }
	}
}

// Optimum returns the minimiser of the objective Σ pᵢ fᵢ of a cell whose model has a
// solver.
func Optimum(s *Setup, o Options, w *World) (*fl.Optimum, error) {
	best, err := remember(o.Memo, w.key(optima, s.GoalKey), func() (*fl.Optimum, error) {
		best, err := s.Model.Facts().Solve(w.Population, w.Roster.Importance)
		return &best, err
	})
	if err != nil {
		return nil, fmt.Errorf("optimum: %w", err)
	}
	return best, nil
}

// measure takes all measures, first those of θᵗ and then those of its running mean, so
// that what is computed once per model is computed once.
func (c *Cell) measure() error {
	c.rounds = append(c.rounds, c.t)
	for k := range c.values {
		c.values[k] = append(c.values[k], 0)
	}
	if err := c.measureAt(c.global, false); err != nil || c.average == nil {
		return err
	}
	at := c.average
	if c.t == 0 {
		at = c.global // the mean of nothing: where the iterates will start
	}
	return c.measureAt(at, true)
}

func (c *Cell) measureAt(params fl.Vector, average bool) error {
	s := &c.snapshot
	s.Reset()
	s.T, s.Params = c.t, params
	s.Uploaded, s.Downloaded, s.Seconds = c.uploaded, c.downloaded, c.watch.seconds()
	if c.residual != nil {
		c.residual.report(s)
	}
	for k, m := range c.setup.Measures {
		if m.Average != average {
			continue
		}
		x, err := m.Metric.Measure(s)
		if err != nil {
			return fmt.Errorf("round %d: metric %s: %w", c.t, m.Key, err)
		}
		c.values[k][len(c.rounds)-1] = x
	}
	return nil
}
