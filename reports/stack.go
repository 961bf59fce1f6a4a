package reports

import "slices"

// A ruler measures what a renderer writes, in a unit of its own.
type ruler struct {
	head   int              // width of the row heads
	gap    int              // between columns
	text   func(string) int // width of a heading
	column func(c int) int  // width of a column by itself
}

// parts stacks columns in parts no wider than a limit, if it is not 0: cut under the
// uppermost headings where that suffices, else under those below, else between metrics,
// else between columns, whether they fit or not.
func parts(g *grid, r *ruler, limit int) [][]int {
	fits := func(list []int) bool {
		return limit == 0 || r.head+r.gap+total(widths(g, list, r), r.gap) <= limit
	}
	var cuts []func(a, b int) bool // whether neighbours stay together
	for level := range g.levels() {
		cuts = append(cuts, func(a, b int) bool { return g.under(a, b, level) })
	}
	cuts = append(cuts, func(a, b int) bool { return g.columns[a].family == g.columns[b].family },
		func(a, b int) bool { return false })
	var parts [][]int
	var current []int
	var place func(list []int, depth int)
	place = func(list []int, depth int) {
		if depth < len(cuts) && !fits(list) {
			for _, run := range runs(list, cuts[depth]) {
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
	every := make([]int, len(g.columns))
	for c := range every {
		every[c] = c
	}
	place(every, 0)
	return append(parts, current)
}

// under reports whether two columns stand under the same heading of a level.
func (g *grid) under(a, b, level int) bool {
	x, y := g.groups[g.columns[a].group], g.groups[g.columns[b].group]
	return slices.Equal(x[:level+1], y[:level+1])
}

// widths returns the widths of the given columns, the last under a heading made wide
// enough for it.
func widths(g *grid, part []int, r *ruler) []int {
	list := make([]int, len(part))
	for i, c := range part {
		list[i] = r.column(c)
	}
	for level := g.levels() - 1; level >= 0; level-- {
		for _, s := range g.spans(part, level) {
			list[s.to-1] += max(0, r.text(s.heading)-total(list[s.from:s.to], r.gap))
		}
	}
	return list
}

// total is the width of columns side by side.
func total(widths []int, gap int) int {
	sum := -gap
	for _, w := range widths {
		sum += gap + w
	}
	return sum
}

// runs cuts a list between neighbours that do not stay together.
func runs(list []int, together func(a, b int) bool) [][]int {
	var cut [][]int
	for i, c := range list {
		if i == 0 || !together(list[i-1], c) {
			cut = append(cut, nil)
		}
		cut[len(cut)-1] = append(cut[len(cut)-1], c)
	}
	return cut
}

// A span is a heading over neighbouring columns of a part: from ≤ i < to.
type span struct {
	from, to int
	heading  string
}

// levels is how many lines of headings stand above that of the metrics.
func (g *grid) levels() int { return len(g.groups[0]) }

// spans returns the headings of one level over the given columns. Neighbours share one
// where they agree in it and in all levels above.
func (g *grid) spans(part []int, level int) []span {
	var list []span
	from := 0
	for _, run := range runs(part, func(a, b int) bool { return g.under(a, b, level) }) {
		heading := g.groups[g.columns[run[0]].group][level]
		list = append(list, span{from, from + len(run), heading})
		from += len(run)
	}
	return list
}
