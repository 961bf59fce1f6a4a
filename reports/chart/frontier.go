package chart

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// Frontier returns the least total variation of p̃ from p for every variance of the weights of a
// round, as a curve for convex weights and one for weights of any sign and sum, and every method as
// a point: a panel for each point of the sweep.
func Frontier(findings []audit.Finding) (*Chart, error) {
	c := &Chart{Note: "a point is a method: the variance E‖w‖²/(EΣw)² of its weights, and the " +
		"total variation of its p̃ from p. Curves are the least total variation for every " +
		"variance: of weights w ≥ 0 with Σw = 1 in every cohort, and of weights of any sign and " +
		"sum"}
	for _, group := range table.GroupByPoint(findings) {
		_, frontiers := table.Frontiers(group)
		if frontiers == nil {
			continue
		}
		p := Panel{Title: infer.Label(infer.PointOf(group[0].Point)),
			X: Axis{Label: "variance of weights, E‖w‖²"},
			Y: Axis{Label: "TV from p", Zero: true}}
		least, most := spread(group)
		for _, f := range frontiers {
			p.Marks = append(p.Marks,
				curve(c.entry("frontier, convex weights", "curve"), &f.Convex, most),
				curve(c.entry("frontier, any weights", "curve"), &f.Any, most))
			least = min(least, f.Any.Points[0].Variance)
		}
		p.X.Log = most > 20*least
		for i := range group {
			f := &group[i]
			if e := f.Effective; e != nil && !e.Thin && e.Variance > 0 {
				p.Marks = append(p.Marks, Mark{Shape: Points, Entry: c.entry(f.Method, f.Role),
					X: []float64{e.Variance}, Y: []float64{f.TV}})
			}
		}
		c.Panels = append(c.Panels, p)
	}
	if len(c.Panels) == 0 {
		return nil, errors.New("no method has a frontier: the distribution of its cohorts is not " +
			"known well enough")
	}
	return c, nil
}

// spread returns the least and the largest variance of methods and of frontiers.
func spread(group []audit.Finding) (least, most float64) {
	least = 1
	for i := range group {
		if e := group[i].Effective; e != nil && !e.Thin && e.Variance > 0 {
			least, most = min(least, e.Variance), max(most, e.Variance)
		}
	}
	_, frontiers := table.Frontiers(group)
	for _, f := range frontiers {
		for _, curve := range []*ot.Frontier{&f.Convex, &f.Any} {
			most = max(most, curve.Points[len(curve.Points)-1].Variance)
		}
	}
	return least, most
}

// curve returns a frontier as a line, which goes on at its end: more variance does no harm.
func curve(entry int, f *ot.Frontier, most float64) Mark {
	m := Mark{Shape: Line, Entry: entry}
	for _, pt := range f.Points {
		m.X, m.Y = append(m.X, pt.Variance), append(m.Y, pt.TV)
	}
	if last := len(m.X) - 1; m.X[last] < most {
		m.X, m.Y = append(m.X, most), append(m.Y, m.Y[last])
	}
	return m
}
