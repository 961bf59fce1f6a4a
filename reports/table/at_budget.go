package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// addBudgets adds to a sheet what the metric is worth once a cost is spent: at the last evaluation
// by which no more was, such as "accuracy at upload = 10 MB".
func (c *comparison) addBudgets(d *draft) {
	first := c.table.Columns[0]
	for _, b := range c.options.Budgets {
		name := fmt.Sprintf("%s at %s", study.OneLine(c.options.Metric), b.text(c.AnySeries(
			b.Metric).Unit))
		c.addColumn(d, Column{Metric: name, Unit: first.Unit, Direction: first.Direction},
			c.gather(func(i int) (float64, bool) { return c.valueAt(i, b) }))
		d.rank(len(d.table.Columns) - 1)
	}
}

// valueAt returns the metric of a run at the last evaluation by which no more than a budget was
// spent.
func (c *comparison) valueAt(i int, b Target) (x float64, ok bool) {
	_, values := c.Curve(i, c.options.Metric)
	_, spent := c.Curve(i, b.Metric)
	for k := range min(len(values), len(spent)) {
		if spent[k] <= b.Value {
			x, ok = values[k], true
		}
	}
	return x, ok
}

// text writes a budget: "upload = 10 MB".
func (t *Target) text(unit string) string {
	return study.OneLine(t.Metric) + " = " + quantity(t.Value, unit)
}

// explainBudgets says what stands in the columns of budgets.
func (c *comparison) explainBudgets(d *draft) {
	if len(c.options.Budgets) > 0 {
		d.explain("", "at a budget: the value at the last evaluation by which no more was spent; "+
			"of a run that spends less in all, the last value")
	}
}

// readBudgets returns budgets by the keys of metrics and in their units. It refuses budgets of what
// is no cost, or is not measured.
func (p *tablePlan) readBudgets(given []Target) ([]Target, error) {
	budgets := slices.Clone(given)
	for k := range budgets {
		budgets[k].Metric = p.In.CostKey(budgets[k].Metric)
	}
	if err := p.checkBudgets(budgets); err != nil {
		return given, err
	}
	for k := range budgets {
		b, unit := &budgets[k], p.AnySeries(budgets[k].Metric).Unit
		switch {
		case b.Unit == "" || b.Unit == unit:
		case b.Unit == "s" && unit == fl.Hours:
			b.Value /= 3600
		default:
			return given, fmt.Errorf("%q is in %s, not in %s", b.Metric, unit, b.Unit)
		}
		b.Unit = ""
	}
	return budgets, nil
}

// checkBudgets refuses budgets of what is no cost, or is not measured.
func (p *tablePlan) checkBudgets(budgets []Target) error {
	var costs []string
	for _, key := range p.measuredMetrics() {
		if s := p.AnySeries(key); s != nil && fl.Cumulative(s.Unit) {
			costs = append(costs, key)
		}
	}
	for _, b := range budgets {
		s := p.AnySeries(b.Metric)
		switch {
		case s != nil && fl.Cumulative(s.Unit):
		case len(costs) == 0:
			return fmt.Errorf("no cost is measured by which %q could be compared; metrics such as "+
				"upload are", b.Metric)
		default:
			return fmt.Errorf("%q is no cost that is measured; these are: %s", b.Metric,
				strings.Join(costs, ", "))
		}
	}
	return nil
}
