package leaderboard

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A heat is a table of all methods in all conditions: by how much they differ from the baseline.
type heat struct {
	Caption string
	Uneven  bool // numbers of seeds differ, and stand in the cells
	Columns []heatColumn
	Rows    []heatRow
}

// A heatColumn is a condition.
type heatColumn struct{ Label, File string }

// A heatRow is a method.
type heatRow struct {
	Label, File string
	Cells       []heatCell
}

// A heatCell is a method in a condition.
type heatCell struct {
	*row
	Shown bool   // the method has such a condition
	Shade string // the class of its colour
}

// shades is how many colours there are for significant gains beside that of the others, and as many
// for losses.
const shades = 3

// heatMap makes the table; nil where there is no baseline.
func (g *group) heatMap() *heat {
	if g.Baseline == "" {
		return nil
	}
	h := &heat{}
	most, sizes := 0.0, map[int]bool{}
	for i := range g.Conditions {
		c := &g.Conditions[i]
		h.Columns = append(h.Columns, heatColumn{c.Short, c.File})
		for k := range c.Rows {
			if x := math.Abs(float64(c.Rows[k].Change)); infer.Finite(x) {
				most, sizes[c.Rows[k].DeltaN] = max(most, x), true
			}
		}
	}
	h.Uneven = len(sizes) != 1
	seeds := "the number n of seeds"
	if !h.Uneven {
		seeds = fmt.Sprintf("n = %d seeds everywhere", slices.Collect(maps.Keys(sizes))[0])
	}
	h.Caption = fmt.Sprintf("Difference of %s from %s, paired by seed, with its 95 %% interval; "+
		"%s.", g.Metric, g.Baseline, seeds)
	up := g.column().Direction == infer.Up
	for _, m := range g.result.Each.Rows {
		line, some := heatRow{Label: m.Method}, false
		for i := range g.Conditions {
			cell := heatCell{row: new(row)}
			for k := range g.Conditions[i].Rows {
				if r := &g.Conditions[i].Rows[k]; r.Label == m.Method {
					cell = heatCell{r, true, shade(r, most, up)}
					some = true
				}
			}
			line.Cells = append(line.Cells, cell)
		}
		if some {
			h.Rows = append(h.Rows, line)
		}
	}
	return h
}

// shade returns the class of a difference: up1 of a gain and down1 of a loss that is not
// significant, up2 to up4 and down2 to down4 of those that are, by the root of their size.
func shade(r *row, most float64, up bool) string {
	x := float64(r.Change)
	if !infer.Finite(x) || x == 0 {
		return ""
	}
	k := 1
	if r.Mark == "▲" || r.Mark == "▼" {
		k = 2 + int(math.Sqrt(min(math.Abs(x)/most, 1-1e-12))*shades)
	}
	if (x > 0) == up {
		return fmt.Sprintf("up%d", k)
	}
	return fmt.Sprintf("down%d", k)
}
