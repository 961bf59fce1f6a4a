package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// Forest returns the paired differences of methods from what they are compared with, and the
// 95 % confidence intervals of their means: one panel for each point of the sweep.
func Forest(in infer.Input, metric string) (*Chart, error) {
	if metric != "" {
		in.Report.Metrics = []string{metric}
	}
	if in.Report.Baseline == "" && in.Report.Against != "parent" {
		return nil, errors.New("differences need a baseline: name one with --baseline METHOD, or " +
			"as baseline of [report] in the experiment")
	}
	tables, err := table.Build(in)
	if err != nil {
		return nil, err
	}
	c := &Chart{}
	var seeds []int
	for i := range tables {
		for k := range tables[i].Columns {
			if column := &tables[i].Columns[k]; column.Primary {
				if p, n := differences(&tables[i], k); len(n) > 0 {
					c.Panels, seeds = append(c.Panels, p), append(seeds, n...)
				}
			}
		}
	}
	if len(c.Panels) == 0 {
		return nil, errors.New("no method has differences from the baseline in two seeds or more")
	}
	c.Note = "mean difference over " + table.CountedRange(seeds, "seed") +
		", paired, and its 95 % confidence interval"
	return c, nil
}

// differences returns one column of a table as a panel, and of how many seeds each of its
// differences is: where these numbers differ they stand behind the methods.
func differences(t *table.Table, k int) (p Panel, seeds []int) {
	column := &t.Columns[k]
	unit := column.Unit
	if unit == "%" {
		unit = "pp"
	}
	axis := "Δ " + column.Metric
	if unit != "" {
		axis += " (" + unit + ")"
	}
	if t.Baseline != "" {
		axis += " vs " + t.Baseline
	}
	p = Panel{Title: infer.Label(slices.Concat(t.Block, column.Point)), X: Axis{Label: axis}}
	m := Mark{Shape: Across, Entry: -1}
	for r := range t.Rows {
		v := t.Rows[r].Cells[k].Versus
		if v == nil || !infer.Finite(float64(v.Delta)) {
			continue
		}
		m.Y = append(m.Y, float64(len(p.Y.Names)))
		p.Y.Names = append(p.Y.Names, t.Rows[r].Method)
		seeds = append(seeds, v.N)
		m.X = append(m.X, float64(v.Delta))
		m.Low, m.High = append(m.Low, float64(v.Low)), append(m.High, float64(v.High))
	}
	for i := range m.Low {
		if !infer.Finite(m.Low[i]) || !infer.Finite(m.High[i]) {
			m.Low[i], m.High[i] = math.NaN(), math.NaN()
		}
	}
	p.Marks = []Mark{{Shape: Upright, Entry: -1, X: []float64{0}, Y: []float64{0}}, m}
	for i := range seeds {
		if table.Uneven(seeds) {
			p.Y.Names[i] += fmt.Sprintf(" (n = %d)", seeds[i])
		}
	}
	return p, seeds
}
