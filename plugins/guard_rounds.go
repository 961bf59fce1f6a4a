package plugins

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// aggregator guards an fl.Aggregator.
type aggregator guarding[fl.Aggregator]

// guardAggregator guards an aggregator, or the parts of a weighted sum, which the engine is to
// know.
func guardAggregator(g guarded, rule fl.Aggregator) (fl.Aggregator, error) {
	sum, ok := rule.(*fl.WeightedSum)
	if !ok {
		return &aggregator{g, rule}, nil
	}
	guard := &fl.WeightedSum{Weigher: &weigher{g, sum.Weigher}}
	if sum.Optimizer != nil {
		guard.Optimizer = &serverOptimizer{g, sum.Optimizer}
	}
	return guard, nil
}

// Aggregate implements fl.Aggregator.
func (a *aggregator) Aggregate(r *fl.Round) (out fl.Outcome, err error) {
	parameters := len(r.Global)
	err = a.try("Aggregate", func() (err error) {
		if out, err = a.of.Aggregate(r); err != nil {
			return err
		}
		return checkParams(out.Params, parameters)
	}, input{"r", r})
	return out, err
}

// weigher guards an fl.Weigher.
type weigher guarding[fl.Weigher]

// Weights implements fl.Weigher.
func (w *weigher) Weights(r *fl.Round) (weights fl.Weights, err error) {
	updates := len(r.Updates)
	err = w.try("Weights", func() (err error) {
		if weights, err = w.of.Weights(r); err != nil {
			return err
		}
		if n := len(weights.By); n != updates {
			return fmt.Errorf("returned %d weights for %d updates", n, updates)
		}
		if k := slices.IndexFunc(weights.By, func(x float64) bool { return x-x != 0 }); k >= 0 {
			return fmt.Errorf("returned %v as weight %d", weights.By[k], k)
		}
		return nil
	}, input{"r", r})
	return weights, err
}

// serverOptimizer guards an fl.ServerOptimizer.
type serverOptimizer guarding[fl.ServerOptimizer]

// Step implements fl.ServerOptimizer.
func (o *serverOptimizer) Step(r *fl.Round, sum fl.Vector) (out fl.Outcome, err error) {
	parameters := len(r.Global)
	err = o.try("Step", func() (err error) {
		if out, err = o.of.Step(r, sum); err != nil {
			return err
		}
		return checkParams(out.Params, parameters)
	}, input{"r", r})
	return out, err
}

// checkParams refuses parameters that cannot be those of the model.
func checkParams(v fl.Vector, n int) error {
	if len(v) != n {
		return fmt.Errorf("returned %d parameters, the model has %d", len(v), n)
	}
	if v.Finite() {
		return nil
	}
	i := slices.IndexFunc(v, func(x float64) bool { return x-x != 0 })
	return fmt.Errorf("returned %v at parameter %d", v[i], i)
}

// localRule guards an fl.LocalRule. Clients that train at once wait for each other.
type localRule guarding[fl.LocalRule]

func guardLocalRule(g guarded, rule fl.LocalRule) (fl.LocalRule, error) {
	return &localRule{g, rule}, nil
}

// Run implements fl.LocalRule.
func (l *localRule) Run(t *fl.Task) (u fl.Update, err error) {
	parameters := len(t.Global)
	err = l.try("Run", func() (err error) {
		if u, err = l.of.Run(t); err != nil {
			return err
		}
		if u.Steps < 0 {
			return fmt.Errorf("returned %d steps", u.Steps)
		}
		if u.Params != nil {
			return checkParams(u.Params, parameters)
		}
		return nil
	}, input{"t", t})
	return u, err
}

// metric guards an fl.Metric, whose unit and direction never change.
type metric struct {
	guarded
	metric fl.Metric
	unit   string
	higher bool
}

func guardMetric(g guarded, m fl.Metric) (fl.Metric, error) {
	guard := &metric{guarded: g, metric: m}
	err := g.try("Unit", func() error { guard.unit = m.Unit(); return nil })
	if err == nil {
		err = g.try("Higher", func() error { guard.higher = m.Higher(); return nil })
	}
	return guard, err
}

// Measure implements fl.Metric.
func (m *metric) Measure(s *fl.Snapshot) (value float64, err error) {
	err = m.try("Measure", func() (err error) {
		if value, err = m.metric.Measure(s); err != nil {
			return err
		}
		if value != value {
			return fmt.Errorf("returned NaN")
		}
		return nil
	}, input{"s", s})
	return value, err
}

// Unit implements fl.Metric.
func (m *metric) Unit() string { return m.unit }

// Higher implements fl.Metric.
func (m *metric) Higher() bool { return m.higher }
