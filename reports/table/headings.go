package table

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Under reports whether two columns stand under the same heading of a level.
func (g *Grid) Under(a, b, level int) bool {
	x, y := g.Groups[g.Columns[a].Group], g.Groups[g.Columns[b].Group]
	return slices.Equal(x[:level+1], y[:level+1])
}

// SplitRuns cuts a list between neighbours that do not stay together.
func SplitRuns(list []int, together func(a, b int) bool) [][]int {
	var cut [][]int
	for i, c := range list {
		if i == 0 || !together(list[i-1], c) {
			cut = append(cut, nil)
		}
		cut[len(cut)-1] = append(cut[len(cut)-1], c)
	}
	return cut
}

// A HeadingSpan is a heading over neighbouring columns of a part: from ≤ i < to.
type HeadingSpan struct {
	From, To int
	Heading  string
}

// AllColumns returns the indices of all columns.
func (g *Grid) AllColumns() []int {
	every := make([]int, len(g.Columns))
	for c := range every {
		every[c] = c
	}
	return every
}

// Levels is how many lines of headings stand above that of the metrics.
func (g *Grid) Levels() int { return len(g.Groups[0]) }

// Spans returns the headings of one level over the given columns. Neighbours share one
// where they agree in it and in all levels above.
func (g *Grid) Spans(part []int, level int) []HeadingSpan {
	var list []HeadingSpan
	from := 0
	for _, run := range SplitRuns(part, func(a, b int) bool { return g.Under(a, b, level) }) {
		heading := g.Groups[g.Columns[run[0]].Group][level]
		list = append(list, HeadingSpan{from, from + len(run), heading})
		from += len(run)
	}
	return list
}

// tableTitle is the title of a table, with its block.
func tableTitle(t *Table) string {
	if len(t.Block) == 0 {
		return t.Title
	}
	if t.Title == "" {
		return infer.Label(t.Block)
	}
	return t.Title + " — " + infer.Label(t.Block)
}

// shortSpreads are the names of what ± is that fit above a table.
var shortSpreads = map[string]string{"sd": "s.d.", "sem": "s.e.m.", "ci": "95 % CI"}

func summary(t *Table) string {
	seeds := t.planned()
	if t.View == Differences && hasComparisons(t) {
		seeds = t.pairs("")
	}
	if t.View == Standings {
		seeds = t.seedsWithin
	}
	if len(seeds) == 0 {
		seeds = []int{len(t.Seeds)}
	}
	text := CountedRange(seeds, "seed")
	if t.View == Values || t.View == LearningCurves {
		if slices.Max(seeds) > 1 {
			text += " · mean ± " + shortSpreads[t.Spread]
		}
		if s := t.rounds(); s != nil {
			text += " · " + s.String()
		}
	} else if hasComparisons(t) {
		if t.comparesAblations() {
			text = "Δ against what a row changes · " + text
		} else {
			text = "Δ against " + study.OneLine(t.Baseline) + " · " + text
		}
	}
	if t.Conditions > 1 {
		text += " · " + Counted(t.Conditions, "condition")
	}
	return text
}

// rounds returns the rounds that all values of a table are of, or nil.
func (t *Table) rounds() *infer.Span {
	if len(t.Columns) == 0 || t.View != Values {
		return nil
	}
	first := t.Columns[0].Rounds
	for i := range t.Columns {
		if t.Columns[i].Cost {
			continue
		}
		if s := t.Columns[i].Rounds; s == nil || *s != *first {
			return nil
		}
	}
	return first
}

// columnHead is the heading of a column: the metric, its unit, and which way is better. Bytes
// have theirs, with a prefix, beside each number.
func columnHead(c *Column) string {
	text := study.OneLine(c.Metric)
	if c.Unit != "" && c.Unit != fl.Bytes {
		text += " (" + c.Unit + ")"
	}
	return text + arrow(c.Direction)
}

// arrow says which way is better.
func arrow(d infer.Direction) string {
	switch d {
	case infer.Up:
		return " ↑"
	case infer.Down:
		return " ↓"
	default:
		return ""
	}
}
