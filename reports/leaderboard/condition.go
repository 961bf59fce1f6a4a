package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A condition is a point of the sweep of a group.
type condition struct {
	Group   *group
	Label   string
	Short   string // without the title of the group
	File    string
	Rows    []row
	Best    []string // labels of the methods in the set of the best
	BestSet string   // what that says, in a sentence
	Setting []fact
	Notes   []string
	Figures []costFigure
	Seeds   string
	Power   string // what comparisons would have found; "" where all are significant

	Top     *row // the best mean of what competes; nil for none
	Base    *row // the baseline; nil for none
	Compete int  // methods
	Better  int  // that are significantly better than the baseline
	Worse   int
}

// addCondition adds the page of a condition.
func (g *group) addCondition(k int, names namer) {
	t := &g.result.Each
	at := infer.Point(t.Columns[k].Point)
	c := condition{Group: g, Short: cmp.Or(infer.Label(g.varying(at)), "all runs")}
	c.Label = g.Title + ": " + c.Short
	c.File = names.name("condition", g.site.Runs[g.runs[0]].Name+" "+infer.Label(at))
	c.Rows = g.rows(k)
	var cells []int
	for _, m := range g.plan.Methods {
		cells = append(cells, g.plan.CellsAt(m, &g.plan.Blocks[0], at)...)
	}
	c.Setting = append(g.common(), g.shared(cells)...)
	for i := range c.Rows {
		if c.Rows[i].Best {
			c.Best = append(c.Best, c.Rows[i].Label)
		}
	}
	c.count()
	c.BestSet = bestSet(&c)
	c.Seeds = counted(len(seedsOf(g, cells)), "seed")
	c.Notes = notesOf(t, k)
	g.Conditions = append(g.Conditions, c)
}

// seedsOf lists the seeds of cells.
func seedsOf(g *group, cells []int) (seeds []uint64) {
	known := map[uint64]bool{}
	for _, i := range cells {
		if s := g.in.Cells[i].Seed; !known[s] {
			known[s] = true
			seeds = append(seeds, s)
		}
	}
	return seeds
}

// count counts methods, and says which differences they would have been told apart by.
func (c *condition) count() {
	least, most := math.Inf(1), 0.0
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.class() == 0 {
			c.Compete++
			if c.Top == nil {
				c.Top = r
			}
		}
		if r.Label == c.Group.Baseline {
			c.Base = r
		}
		switch r.Mark {
		case "▲":
			c.Better++
		case "▼":
			c.Worse++
		}
		if r.Power != "" {
			x := float64(r.cell.Versus.Detectable)
			least, most = min(least, x), max(most, x)
		}
	}
	if most > 0 {
		size := table.ThreeDigits(least)
		if most > least {
			size += " to " + table.ThreeDigits(most) + ", depending on the method,"
		}
		c.Power = fmt.Sprintf("Of what is not significant, these seeds find a difference from %s "+
			"of %s with a power of 80 %%.", c.Group.Baseline, size)
	}
}

// bestSet says how large the set of the best is.
func bestSet(c *condition) string {
	compete := c.Compete
	switch n := len(c.Best); {
	case n == 0:
		return fmt.Sprintf("No set of the best: that takes two complete methods and %d seeds.",
			infer.FewestSeeds)
	case n == 1:
		return fmt.Sprintf("1 of %d methods is in the best set: every other one differs "+
			"significantly from it.", compete)
	default:
		return fmt.Sprintf("%d of %d methods are in the best set: the data do not tell which of "+
			"them is the best.", n, compete)
	}
}

// notesOf lists the footnotes of a column and of its rows, those of what was tuned apart, which
// have a column of their own.
func notesOf(t *table.Table, k int) (list []string) {
	wanted := slices.Clone(t.Columns[k].Notes)
	by := map[int][]string{}
	for _, r := range t.Rows {
		for _, n := range append(slices.Clone(r.Notes), r.Cells[k].Notes...) {
			if !slices.Contains(by[n], r.Method) {
				by[n] = append(by[n], r.Method)
			}
			wanted = append(wanted, n)
		}
	}
	for _, n := range t.Notes {
		if n.Number == 0 || !slices.Contains(wanted, n.Number) || tunedNote(n.Text) {
			continue
		}
		text := n.Text
		if methods := by[n.Number]; len(methods) > 0 && len(methods) < len(t.Rows) {
			text = joined(methods) + ": " + text
		}
		list = append(list, text)
	}
	return list
}
