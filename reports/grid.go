package reports

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A grid is a table as every renderer shows it: the same columns in the same words.
type grid struct {
	title   string
	corner  string     // above the row heads
	summary string     // "5 seeds · mean ± s.d."
	groups  [][]string // headings above columns, by point and axis; empty without axes
	rows    []gridRow
	columns []gridColumn
	notes   []Note
}

// A gridRow is the head of one row.
type gridRow struct {
	label string // in full
	short string // without the name of the method it changes, under which it stands
	notes []int
	rule  bool // a line above sets it off
}

// A gridColumn is one column, row heads apart.
type gridColumn struct {
	group   int // index into groups
	family  int // columns of one family stay side by side
	head    string
	notes   []int
	entries []entry // one per row
}

// layout arranges a table.
func layout(t *Table) *grid {
	g := &grid{title: study.OneLine(heading(t)), corner: "method", summary: summary(t),
		notes: slices.Clone(t.Notes)}
	for i := range g.notes {
		g.notes[i].Text = study.OneLine(g.notes[i].Text)
	}
	for i, r := range t.Rows {
		head := gridRow{label: study.OneLine(r.Method), short: study.OneLine(r.Method),
			notes: r.Notes}
		if rest, under := strings.CutPrefix(r.Method, r.Parent+", "); under && r.Parent != "" {
			head.short = "  " + study.OneLine(rest)
		}
		head.rule = i > 0 && r.Role != t.Rows[i-1].Role
		g.rows = append(g.rows, head)
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
			g.groups = append(g.groups, headings)
		}
		if t.View != Values {
			g.view(t, c, group)
			continue
		}
		g.add(t, c, group, several)
	}
	if t.Transposed {
		return g.transposed()
	}
	return g
}

// transposed returns a grid with methods across. A row is headed by its point and metric,
// the metric in the corner where there is one.
func (g *grid) transposed() *grid {
	single := g.levels() > 0
	for i, c := range g.columns {
		beside := i > 0 && c.family == g.columns[i-1].family
		single = single && (beside || c.head == g.columns[0].head)
	}
	t := &grid{title: g.title, summary: g.summary, corner: "metric", notes: g.notes,
		groups: [][]string{{}}}
	if single {
		t.corner = g.columns[0].head
	}
	for i, c := range g.columns {
		labels := slices.Clone(g.groups[c.group])
		if !single || c.head != t.corner {
			labels = append(labels, c.head)
		}
		name := strings.Join(labels, " · ")
		row := gridRow{label: name, short: name, notes: c.notes}
		if levels := g.levels(); i > 0 && levels > 0 && !(single && levels == 1) {
			row.rule = !g.under(i-1, i, 0)
		}
		t.rows = append(t.rows, row)
	}
	for r, row := range g.rows {
		column := gridColumn{family: r, head: row.label, notes: row.notes}
		for _, c := range g.columns {
			column.entries = append(column.entries, c.entries[r])
		}
		t.columns = append(t.columns, column)
	}
	return t
}

// add appends a column of the table, and those that stand beside it.
func (g *grid) add(t *Table, c, group int, several bool) {
	column := &t.Columns[c]
	cells := make([]*Cell, len(t.Rows))
	for r := range t.Rows {
		cells[r] = &t.Rows[r].Cells[c]
	}
	s := styleOf(column.Unit, cells)
	values := gridColumn{group: group, family: c, head: head(column), notes: column.Notes}
	versus := gridColumn{group: group, family: c, head: versusHead}
	paper := gridColumn{group: group, family: c, head: "paper"}
	quoted := false
	for r, cell := range cells {
		e := s.value(cell)
		if several || t.behind() {
			e.star = star(cell.Versus)
		}
		if t.behind() {
			e.delta = s.delta(cell)
		}
		values.entries = append(values.entries, e)
		v := change(cell.Versus, column.Unit)
		if t.Rows[r].Method == t.Baseline {
			v = entry{word: "baseline"}
		}
		versus.entries = append(versus.entries, v)
		paper.entries = append(paper.entries, quotation(cell.Paper, column.Unit))
		quoted = quoted || cell.Paper != nil
	}
	g.columns = append(g.columns, values)
	if column.Primary && t.Baseline != "" && !several && !t.behind() {
		g.columns = append(g.columns, versus)
	}
	if quoted {
		g.columns = append(g.columns, paper)
	}
}

// points counts the points of a table.
func points(t *Table) int {
	n := 0
	for c := range t.Columns {
		if c == 0 || !slices.Equal(t.Columns[c].Point, t.Columns[c-1].Point) {
			n++
		}
	}
	return n
}
