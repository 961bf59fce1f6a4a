package engine

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// openMeasures readies what the measures of a cell are shown.
func (c *Cell) openMeasures() {
	s := c.setup
	c.snapshot = fl.Snapshot{
		Model: s.Model, Worker: s.Model.Worker(), Roster: c.world.Environment,
		Population: c.world.Population, Pooled: c.world.Pooled,
	}
	c.models = &clientModels{cell: c}
	c.snapshot.Own = c.models
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
	p := c.progress
	p.Measured = append(p.Measured, p.Round)
	for k := range p.Values {
		p.Values[k] = append(p.Values[k], 0)
	}
	if err := c.measureAt(p.Global, false); err != nil || p.Average == nil {
		return err
	}
	at := p.Average
	if p.Round == 0 {
		at = p.Global // the mean of nothing: where the iterates will start
	}
	return c.measureAt(at, true)
}

func (c *Cell) measureAt(params fl.Vector, average bool) error {
	p, s := c.progress, &c.snapshot
	s.Reset()
	s.T, s.Params = p.Round, params
	s.Uploaded, s.Downloaded, s.Seconds = p.Uploaded, p.Downloaded, c.watch.seconds()
	s.Coded, s.Time = p.Coded, p.Time
	if p.Shadow != nil {
		s.CodedDown = p.Shadow.Sent
	}
	if p.Residual != nil {
		p.Residual.report(s)
	}
	c.expose()
	for k, m := range c.setup.Measures {
		if m.Average != average {
			continue
		}
		x, err := m.Metric.Measure(s)
		if err != nil {
			return fmt.Errorf("round %d: metric %s: %w", p.Round, m.Key, err)
		}
		last := len(p.Measured) - 1
		if m.Best && last > 0 && !better(x, p.Values[k][last-1], m.Metric.Higher()) {
			x = p.Values[k][last-1]
		}
		p.Values[k][last] = x
	}
	return nil
}

// better reports whether a value of a metric is better than another one, which NaN never is.
func better(x, than float64, higher bool) bool {
	if higher {
		return x > than
	}
	return x < than
}
