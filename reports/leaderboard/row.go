package leaderboard

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A row is a method in a condition.
type row struct {
	Label string // of the method, or on the page of a method that of the condition
	File  string // the page of that
	Role  string // "" of a method that competes
	Rule  bool   // a line above sets it off
	Best  bool   // it is in the set of the best
	N     string // seeds with a value: "5", "3/5"
	State string // why there is no number; "" where there is one
	Mark  string // ▲ ▼ · =; "" where nothing was tested
	Word  string // what the mark says

	Mean, Interval    string
	Delta, DeltaRange string // "" where nothing is compared
	DeltaN            int
	P                 string
	Tuned             string
	Power             string // the smallest difference that would have been found; "" for none
	Costs             []amount
	Command           string

	Value, Change table.Number // to sort by

	cell  *table.Cell
	cells []int // of the group
}

// An amount is a cost of a row.
type amount struct {
	Text  string
	Value table.Number
}

// rows returns the rows of a condition, the best mean first; those that do not compete are last.
func (g *group) rows(k int) []row {
	t := &g.result.Each
	values, deltas := g.writers(k)
	at := infer.Point(t.Columns[k].Point)
	var list []row
	for r := range t.Rows {
		cell := &t.Rows[r].Cells[k]
		m := infer.Method{Label: t.Rows[r].Method, Role: t.Rows[r].Role, Parent: t.Rows[r].Parent}
		cells := g.plan.CellsAt(m, &g.plan.Blocks[0], at)
		if len(cells) == 0 {
			continue // it is no part of the experiment
		}
		row := row{Label: m.Label, Role: m.Role, cell: cell, cells: cells, Best: cell.Best}
		row.fill(values, deltas, t.Columns[k].Direction)
		if m.Label == g.Baseline {
			row.Word = "baseline"
		}
		row.Tuned = g.tuned(&g.in.Cells[cells[0]])
		row.Command = g.command(cells[0])
		list = append(list, row)
	}
	g.addAmounts(list)
	up := t.Columns[k].Direction == infer.Up
	slices.SortStableFunc(list, func(a, b row) int { return a.before(&b, up) })
	for i := 1; i < len(list); i++ {
		list[i].Rule = list[i].Role != list[i-1].Role
	}
	return list
}

// writers return what writes means and differences of a condition.
func (g *group) writers(k int) (values, deltas table.Writer) {
	t := &g.result.Each
	var means, differences [][2]float64
	for r := range t.Rows {
		cell := &t.Rows[r].Cells[k]
		low, high := infer.MeanInterval(floats(cell.Values))
		if infer.Finite(low) {
			means = append(means, [2]float64{low, high})
		}
		if v := cell.Versus; v != nil && infer.Finite(float64(v.Low)) {
			differences = append(differences, [2]float64{float64(v.Low), float64(v.High)})
		}
	}
	unit := t.Columns[k].Unit
	return table.NewWriter(unit, means), table.NewWriter(unit, differences)
}

// fill writes what a row says of its cell.
func (r *row) fill(values, deltas table.Writer, d infer.Direction) {
	c := r.cell
	r.N = fmt.Sprint(c.N())
	if c.N() < c.Planned {
		r.N = fmt.Sprintf("%d/%d", c.N(), c.Planned)
	}
	r.Value, r.Change = table.Number(math.NaN()), table.Number(math.NaN())
	if c.N() == 0 {
		r.State = string(c.State)
		return
	}
	low, high := infer.MeanInterval(floats(c.Values))
	r.Value, r.Mean = c.Mean, values.Value(float64(c.Mean), low, high)
	r.Interval = values.Interval(low, high)
	v := c.Versus
	if v == nil {
		return
	}
	if !infer.Finite(float64(v.Low)) { // a difference without an interval says too little
		r.Word = "not tested"
		return
	}
	r.Change, r.Delta, r.DeltaN = v.Delta, deltas.Difference(v), v.N
	r.DeltaRange = deltas.Interval(float64(v.Low), float64(v.High))
	r.P = table.PValue(v.P)
	if v.Outcome == infer.NotSignificant && infer.Finite(float64(v.Detectable)) {
		r.Power = table.ThreeDigits(float64(v.Detectable))
	}
	r.Mark, r.Word = outcomeOf(v, d)
}

// outcomeOf says what became of the comparison with the baseline.
func outcomeOf(v *table.PairedDifference, d infer.Direction) (mark, word string) {
	switch v.Outcome {
	case infer.Untested:
		return "", "not tested"
	case infer.NotSignificant:
		return "·", "no significant difference"
	case infer.Identical:
		return "=", "identical"
	}
	if (v.Delta > 0) == (d == infer.Up) {
		return "▲", "significantly better"
	}
	return "▼", "significantly worse"
}

// before orders rows.
func (r *row) before(o *row, up bool) int {
	if a, b := r.class(), o.class(); a != b {
		return a - b
	}
	x, y := float64(r.Value), float64(o.Value)
	if up {
		x, y = y, x
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// class is 0 of what competes, and larger of what stands below.
func (r *row) class() int {
	switch {
	case r.Role != "":
		return 2
	case r.State != "" || r.cell.State != table.Complete:
		return 1
	}
	return 0
}

// edge marks a value that was chosen, and was the least or the largest that was tried.
const edge = "†"

// tuned says which parameters of a cell were chosen.
func (g *group) tuned(c *study.Cell) string {
	t := g.in.Tuning
	if t == nil {
		return "nothing"
	}
	one := t.Choice(c)
	if one == nil || len(one.Paths) == 0 || c.Parent != "" {
		return strings.TrimPrefix(table.TunedText(t, c), "tuned: ")
	}
	var words []string
	for k, path := range one.Paths {
		text := study.ValueLabel(path, one.Values[k])
		if slices.Contains(one.Edges, path) {
			text += edge
		}
		words = append(words, text)
	}
	return fmt.Sprintf("%s; best of %d%s", strings.Join(words, ", "), one.Tried, table.Outcome(one))
}

// command is the line that runs a row again.
func (g *group) command(cell int) string {
	if g.site.Command == nil {
		return ""
	}
	run, k := g.origin(cell)
	return g.site.names[run].In(g.site.Command(run, &g.site.Runs[run].Cells[k]))
}

// origin returns of which run a cell is, and which of its cells.
func (g *group) origin(cell int) (run, k int) {
	if g.origins == nil {
		g.origins = map[string][2]int{}
		for _, run := range g.runs {
			for k, id := range g.site.Runs[run].IDs {
				if _, known := g.origins[id]; !known {
					g.origins[id] = [2]int{run, k}
				}
			}
		}
	}
	if at, ok := g.origins[g.in.IDs[cell]]; ok {
		return at[0], at[1]
	}
	return g.runs[0], 0
}

// floats are numbers.
func floats(list []table.Number) []float64 {
	x := make([]float64, len(list))
	for i := range list {
		x[i] = float64(list[i])
	}
	return x
}
