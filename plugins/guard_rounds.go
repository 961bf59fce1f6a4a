package plugins

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// aggregator guards an fl.Aggregator.
type aggregator struct {
	guarded
	rule fl.Aggregator
	seen watch
}

func guardAggregator(g guarded, rule fl.Aggregator) (fl.Aggregator, error) {
	return &aggregator{guarded: g, rule: rule}, nil
}

// Aggregate implements fl.Aggregator.
func (a *aggregator) Aggregate(r *fl.Round) (next fl.Vector, err error) {
	if fold := r.Fold; fold != nil {
		// The clients train in there: that is not the aggregator's time.
		r.Fold = func(w, sum fl.Vector) {
			defer a.calls.pause(a.machine)()
			fold(w, sum)
		}
		defer func() { r.Fold = fold }()
	}
	err = a.try("Aggregate", func() (err error) {
		a.seen.reset()
		a.seen.add("r.Global", r.Global)
		a.seen.add("r.Roster.Importance", r.Roster.Importance)
		for k := range r.Updates {
			a.seen.add(fmt.Sprintf("r.Updates[%d].Params", k), r.Updates[k].Params)
		}
		if next, err = a.rule.Aggregate(r); err != nil {
			return err
		}
		if err := checkParams(next, len(r.Global)); err != nil {
			return err
		}
		return a.seen.changed()
	})
	return next, err
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
type localRule struct {
	guarded
	rule fl.LocalRule
	seen watch
}

func guardLocalRule(g guarded, rule fl.LocalRule) (fl.LocalRule, error) {
	return &localRule{guarded: g, rule: rule}, nil
}

// Run implements fl.LocalRule.
func (l *localRule) Run(t *fl.Task) (u fl.Update, err error) {
	err = l.try("Run", func() (err error) {
		l.seen.reset()
		l.seen.add("t.Global", t.Global)
		l.seen.add("t.Client.Data.X", t.Client.Data.X.Data)
		l.seen.add("t.Client.Data.Target", t.Client.Data.Target)
		if u, err = l.rule.Run(t); err != nil {
			return err
		}
		if u.Steps < 0 {
			return fmt.Errorf("returned %d steps", u.Steps)
		}
		if u.Params != nil {
			if err := checkParams(u.Params, len(t.Global)); err != nil {
				return err
			}
		}
		return l.seen.changed()
	})
	return u, err
}

// metric guards an fl.Metric, whose unit and direction never change.
type metric struct {
	guarded
	metric fl.Metric
	unit   string
	higher bool
	seen   watch
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
		m.seen.reset()
		m.seen.add("s.Params", s.Params)
		m.seen.add("s.Roster.Importance", s.Roster.Importance)
		if value, err = m.metric.Measure(s); err != nil {
			return err
		}
		if value != value {
			return fmt.Errorf("returned NaN")
		}
		return m.seen.changed()
	})
	return value, err
}

// Unit implements fl.Metric.
func (m *metric) Unit() string { return m.unit }

// Higher implements fl.Metric.
func (m *metric) Higher() bool { return m.higher }
