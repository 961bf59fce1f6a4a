package table

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A Grid is a table as every renderer shows it: the same columns in the same words.
type Grid struct {
	Title   string
	Corner  string     // above the row heads
	Summary string     // "5 seeds · mean ± s.d."
	Groups  [][]string // headings above columns, by point and axis; empty without axes
	Rows    []gridRow
	Columns []GridColumn
	Notes   []Note
}

// A gridRow is the head of one row.
type gridRow struct {
	Label string // in full
	Short string // without the name of the method it changes, under which it stands
	Notes []int
	Rule  bool // a line above sets it off
}

// A GridColumn is one column, row heads apart.
type GridColumn struct {
	Group   int // index into groups
	Family  int // columns of one family stay side by side
	Head    string
	Notes   []int
	Entries []Entry // one per row
}

// Layout arranges a table.
func Layout(t *Table) *Grid {
	g := &Grid{Title: study.OneLine(tableTitle(t)), Corner: "method", Summary: summary(t),
		Notes: slices.Clone(t.Notes)}
	for i := range g.Notes {
		g.Notes[i].Text = study.OneLine(g.Notes[i].Text)
	}
	for i, r := range t.Rows {
		head := gridRow{Label: study.OneLine(r.Method), Short: study.OneLine(r.Method),
			Notes: r.Notes}
		if rest, under := strings.CutPrefix(r.Method, r.Parent+", "); under && r.Parent != "" {
			head.Short = "  " + study.OneLine(rest)
		}
		head.Rule = i > 0 && r.Role != t.Rows[i-1].Role
		g.Rows = append(g.Rows, head)
	}
	several := points(t) > 1
	var last []infer.Coordinate
	group := -1
	for c := range t.Columns {
		if at := t.Columns[c].Point; group < 0 || !slices.Equal(at, last) {
			group, last = group+1, at
			var headings []string
			for _, co := range at {
				headings = append(headings, study.OneLine(co.Label))
			}
			if t.Columns[c].Cost {
				headings = costHeadings(t, headings)
			}
			g.Groups = append(g.Groups, headings)
		}
		if t.View != Values {
			g.addView(t, c, group)
			continue
		}
		g.addValues(t, c, group, several)
	}
	if t.Transposed {
		return g.transposed()
	}
	return g
}

// transposed returns a grid with methods across. A row is headed by its point and metric,
// the metric in the corner where there is one.
func (g *Grid) transposed() *Grid {
	single := g.Levels() > 0
	for i, c := range g.Columns {
		beside := i > 0 && c.Family == g.Columns[i-1].Family
		single = single && (beside || c.Head == g.Columns[0].Head)
	}
	t := &Grid{Title: g.Title, Summary: g.Summary, Corner: "metric", Notes: g.Notes,
		Groups: [][]string{{}}}
	if single {
		t.Corner = g.Columns[0].Head
	}
	for i, c := range g.Columns {
		labels := slices.DeleteFunc(slices.Clone(g.Groups[c.Group]),
			func(label string) bool { return label == "" })
		if !single || c.Head != t.Corner {
			labels = append(labels, c.Head)
		}
		name := strings.Join(labels, " · ")
		row := gridRow{Label: name, Short: name, Notes: c.Notes}
		if levels := g.Levels(); i > 0 && levels > 0 && !(single && levels == 1) {
			row.Rule = !g.Under(i-1, i, 0)
		}
		t.Rows = append(t.Rows, row)
	}
	for r, row := range g.Rows {
		column := GridColumn{Family: r, Head: row.Label, Notes: row.Notes}
		for _, c := range g.Columns {
			column.Entries = append(column.Entries, c.Entries[r])
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// addValues appends a column of the table, and those that stand beside it.
func (g *Grid) addValues(t *Table, c, group int, several bool) {
	column := &t.Columns[c]
	cells := make([]*Cell, len(t.Rows))
	for r := range t.Rows {
		cells[r] = &t.Rows[r].Cells[c]
	}
	s := styleOf(column.Unit, cells)
	values := GridColumn{Group: group, Family: c, Head: columnHead(column), Notes: column.Notes}
	versus := GridColumn{Group: group, Family: c, Head: versusHead}
	paper := GridColumn{Group: group, Family: c, Head: "paper"}
	quoted := false
	for r, cell := range cells {
		e := s.value(cell)
		if several || t.deltaBehind() {
			e.Star = significanceMark(cell.Versus)
		}
		if t.deltaBehind() {
			e.Delta = s.delta(cell)
		}
		values.Entries = append(values.Entries, e)
		v := changeEntry(cell.Versus, column.Unit)
		if t.Rows[r].Method == t.Baseline {
			v = Entry{Word: "baseline"}
		}
		versus.Entries = append(versus.Entries, v)
		paper.Entries = append(paper.Entries, quotationEntry(cell.Paper, column.Unit))
		quoted = quoted || cell.Paper != nil
	}
	g.Columns = append(g.Columns, values)
	if column.Primary && t.Baseline != "" && !several && !t.deltaBehind() {
		g.Columns = append(g.Columns, versus)
	}
	if quoted {
		g.Columns = append(g.Columns, paper)
	}
}

// points counts the points of a table.
func points(t *Table) int {
	n := 0
	for c := range t.Columns {
		if t.Columns[c].Cost {
			continue
		}
		if c == 0 || !slices.Equal(t.Columns[c].Point, t.Columns[c-1].Point) {
			n++
		}
	}
	return n
}
