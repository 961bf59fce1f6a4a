package render

import (
	"slices"

	"github.com/hansa-fl/hansa/reports/table"
)

// A widthRule measures what a renderer writes, in a unit of its own.
type widthRule struct {
	head   int              // width of the row heads
	gap    int              // between columns
	text   func(string) int // width of a heading
	column func(c int) int  // width of a column by itself
}

// stackParts stacks columns in parts no wider than a limit, if it is not 0: cut under the
// uppermost headings where that suffices, else under those below, else between metrics,
// else between columns, whether they fit or not.
func stackParts(g *table.Grid, r *widthRule, limit int) [][]int {
	fits := func(list []int) bool {
		return limit == 0 || r.head+r.gap+total(widths(g, list, r), r.gap) <= limit
	}
	var cuts []func(a, b int) bool // whether neighbours stay together
	for level := range g.Levels() {
		cuts = append(cuts, func(a, b int) bool { return g.Under(a, b, level) })
	}
	cuts = append(cuts, func(a, b int) bool { return g.Columns[a].Family == g.Columns[b].Family },
		func(a, b int) bool { return false })
	var parts [][]int
	var current []int
	var place func(list []int, depth int)
	place = func(list []int, depth int) {
		if depth < len(cuts) && !fits(list) {
			for _, run := range table.SplitRuns(list, cuts[depth]) {
				place(run, depth+1)
			}
			return
		}
		both := slices.Concat(current, list)
		if len(current) > 0 && !fits(both) {
			parts, both = append(parts, current), list
		}
		current = both
	}
	place(g.AllColumns(), 0)
	return append(parts, current)
}

// widths returns the widths of the given columns, the last under a heading made wide
// enough for it.
func widths(g *table.Grid, part []int, r *widthRule) []int {
	list := make([]int, len(part))
	for i, c := range part {
		list[i] = r.column(c)
	}
	for level := g.Levels() - 1; level >= 0; level-- {
		makeRoom(list, g.Spans(part, level), r.text, r.gap)
	}
	return list
}

// makeRoom makes the last column under each heading wide enough for it.
func makeRoom(widths []int, spans []table.HeadingSpan, text func(string) int, gap int) {
	for _, s := range spans {
		widths[s.To-1] += max(0, text(s.Heading)-total(widths[s.From:s.To], gap))
	}
}

// total is the width of columns side by side.
func total(widths []int, gap int) int {
	sum := -gap
	for _, w := range widths {
		sum += gap + w
	}
	return sum
}
