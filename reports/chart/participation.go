package chart

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// Participation returns participation and weights, by client: in one panel the probability
// to come, in another the importance p and the mean weight p̃ that each method really gives. At
// each point of the sweep it has both.
func Participation(findings []audit.Finding) (*Chart, error) {
	c := &Chart{Note: "by client: the probability π to take part in a round, and the importance " +
		"p beside the mean weight p̃ that each method gives"}
	for _, group := range table.GroupByPoint(findings) {
		title := infer.Label(infer.PointOf(group[0].Point))
		come := Panel{Title: title, X: Axis{Label: "client"}, Y: Axis{Label: "π", Zero: true}}
		weigh := come
		weigh.Y.Label = "weight"
		given := map[string]bool{}
		for _, f := range group {
			if f.Importance == nil {
				return nil, fmt.Errorf("%d clients are too many to show each", f.Clients)
			}
			if key := fmt.Sprint(f.Inclusion); f.Inclusion != nil && !given[key] {
				given[key] = true
				come.Marks = append(come.Marks, dots(c.entry(f.Method, f.Role), f.Inclusion))
			}
			if f.Realised != nil {
				weigh.Marks = append(weigh.Marks, dots(c.entry(f.Method, f.Role), f.Realised))
			}
		}
		p := dots(c.entry("importance p", "p"), group[0].Importance)
		if inOrder(p.Y) {
			p.Shape = Line
		}
		weigh.Marks = append([]Mark{p}, weigh.Marks...)
		c.Panels = append(c.Panels, come, weigh)
	}
	return c, nil
}

// inOrder reports whether the values of clients ascend or descend, so that a line through them
// says no more than they do: clients are in no order otherwise, and are not joined.
func inOrder(values []float64) bool {
	return slices.IsSorted(values) ||
		slices.IsSortedFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
}

// dots returns dots for the values of clients.
func dots(entry int, values []float64) Mark {
	m := Mark{Shape: Dots, Entry: entry, Y: slices.Clone(values)}
	for i := range values {
		m.X = append(m.X, float64(i))
	}
	return m
}

// Weights returns the importance that each method really optimises, p̃, against the one that it
// should, p: a panel for each method, a dot for each client, and the line on which both agree.
// Where p has fewer than three values, dots over p would stand in one or two columns: there
// clients are side by side, in the order of p and then of p̃, and the line is p.
func Weights(findings []audit.Finding) (*Chart, error) {
	c := &Chart{Note: "a dot is a client: the mean weight p̃ that it is given"}
	against, beside := false, false
	var why []string
	for _, f := range findings {
		if f.Realised == nil {
			if f.Why == "" {
				f.Why = fmt.Sprintf("%d clients are too many to show each", f.Clients)
			}
			why = append(why, f.Method+": "+f.Why)
			continue
		}
		title := f.Method
		if at := infer.Label(infer.PointOf(f.Point)); at != "" {
			title += ", " + at
		}
		p := Panel{Title: fmt.Sprintf("%s (TV\u00a0%s)", title, table.ThreeDecimals(f.TV)),
			X: Axis{Label: "importance p"}, Y: Axis{Label: "effective importance"}}
		if countLevels(f.Importance) < 3 {
			beside = true
			p.X.Label, p.Y.Zero, p.Marks = "client, sorted", true, c.sideBySide(&f)
		} else {
			against = true
			p.Marks = []Mark{{Shape: Diagonal, Entry: -1},
				{Shape: Dots, Entry: -1, X: f.Importance, Y: f.Realised}}
		}
		c.Panels = append(c.Panels, p)
	}
	switch {
	case len(c.Panels) == 0:
		return nil, errors.New("no method has a p̃: " + strings.Join(why, "; "))
	case against && beside:
		c.Note += ", against its importance p, the line where both agree; or by client, where p, " +
			"the line, has fewer than three values"
	case against:
		c.Note += " against its importance p; on the line both agree"
	default:
		c.Note += ", in the order of its importance p, the line, and then of p̃"
	}
	c.Square = against
	return c, nil
}

// countLevels counts the different values of p, up to rounding.
func countLevels(p []float64) int {
	sorted := slices.Sorted(slices.Values(p))
	n := 0
	for i, x := range sorted {
		if i == 0 || x-sorted[i-1] > infer.Rounding(max(x, 1/float64(len(p)))) {
			n++
		}
	}
	return n
}

// sideBySide returns p as a line and p̃ as dots, over clients in the order of p and then of p̃.
func (c *Chart) sideBySide(f *audit.Finding) []Mark {
	order := make([]int, len(f.Importance))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.Importance[a], f.Importance[b]),
			cmp.Compare(f.Realised[a], f.Realised[b]))
	})
	p := Mark{Shape: Line, Entry: c.entry("importance p", "p")}
	given := Mark{Shape: Dots, Entry: c.entry("mean weight given", "")}
	for k, i := range order {
		p.X, given.X = append(p.X, float64(k)), append(given.X, float64(k))
		p.Y, given.Y = append(p.Y, f.Importance[i]), append(given.Y, f.Realised[i])
	}
	return []Mark{p, given}
}
