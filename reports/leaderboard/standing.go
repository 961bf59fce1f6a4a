package leaderboard

import (
	"cmp"
	"fmt"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Standing is where a method stands among others in the conditions of runs that are compared.
type Standing struct {
	Title  string // of the runs
	Method string
	Metric string // with its unit and the direction that is better
	Seeds  int
	Places []Place
}

// A Place is where a method stands in a condition, by means over seeds. Ranks count from 1, the
// best; methods with the same mean share the better rank.
type Place struct {
	Condition string
	State     string // why there is no number; "" where there is one
	Mean      string // with the digits that its interval allows
	Interval  string
	Rank, Of  int // among the methods that are complete in all seeds

	// From and To bound the confidence set of the rank; both are 0 where nothing was tested, which
	// takes other methods and infer.FewestSeeds common seeds with each.
	From, To int
	Best     string // the method with the best mean
}

// Standings returns where a method stands, for each group of runs that has it.
//
// The confidence set of its rank, at 95 %, holds 1 + b … n − w, where of n methods b are
// significantly better and w significantly worse than it: paired t tests against all others,
// Holm-adjusted in each condition (Mogstad, Romano, Shaikh and Wilhelm, Rev. Econ. Stud. 91, 2024,
// doi 10.1093/restud/rdad006: two-sided, stepwise, for one population). If no test errs, which it
// does in 5 % of cases at most, all methods that are better in truth are among those that are not
// worse by the tests, and the other way round, so that the set has the true rank.
func Standings(b *Board, method string) (list []Standing, err error) {
	own := *b
	own.Baseline = method
	s := newSite(&own)
	for _, runs := range together(s.Runs) {
		in, _, err := infer.Pool(pick(s.Runs, runs))
		if err != nil {
			return nil, err
		}
		if infer.NewPlan(&in).Row(method) < 0 {
			continue
		}
		g := &group{site: s, runs: runs}
		if err := g.compare(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Runs[runs[0]].Name, err)
		}
		standing := Standing{Title: g.Title, Method: method, Metric: g.Metric,
			Seeds: len(g.plan.Seeds)}
		for k := range g.result.Each.Columns {
			if at, ok := g.placeOf(method, k); ok {
				standing.Places = append(standing.Places, at)
			}
		}
		list = append(list, standing)
	}
	return list, nil
}

// placeOf returns where the baseline stands in a condition, and whether it is a part of that.
func (g *group) placeOf(method string, k int) (Place, bool) {
	t := &g.result.Each
	at := infer.Point(t.Columns[k].Point)
	p := Place{Condition: study.Printable(g.names.In(cmp.Or(infer.Label(at), "all runs")))}
	values, _ := g.writers(k)
	up := t.Columns[k].Direction == infer.Up
	var mine *table.Cell
	for r := range t.Rows {
		if t.Rows[r].Method == method {
			mine = &t.Rows[r].Cells[k]
		}
	}
	if mine == nil || mine.State == table.Absent {
		return p, false
	}
	if mine.State != table.Complete || !mine.Comparable && !t.Across {
		p.State = string(mine.State)
		if mine.State == table.Complete {
			p.State = "measures something else"
		}
		return p, true
	}
	low, high := infer.MeanInterval(floats(mine.Values))
	p.Mean, p.Interval = values.Value(float64(mine.Mean), low, high), values.Interval(low, high)
	p.Rank, p.Of = 1, 1
	best := mine
	p.Best = method
	tested, better, worse := true, 0, 0
	for r := range t.Rows {
		row, cell := &t.Rows[r], &t.Rows[r].Cells[k]
		if cell == mine || row.Role != "" || cell.State != table.Complete ||
			!cell.Comparable && !t.Across {
			continue
		}
		p.Of++
		if ahead(cell, mine, up) {
			p.Rank++
		}
		if ahead(cell, best, up) {
			best, p.Best = cell, row.Method
		}
		if cell.Versus == nil || cell.Versus.Outcome == infer.Untested {
			tested = false
			continue
		}
		switch mark, _ := outcomeOf(cell.Versus, t.Columns[k].Direction); mark {
		case "▲":
			better++
		case "▼":
			worse++
		}
	}
	if tested && p.Of > 1 {
		p.From, p.To = 1+better, p.Of-worse
	}
	return p, true
}

// ahead reports whether a mean is better than another one.
func ahead(a, b *table.Cell, up bool) bool {
	if up {
		return a.Mean > b.Mean
	}
	return a.Mean < b.Mean
}
