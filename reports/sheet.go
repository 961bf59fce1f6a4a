package reports

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
)

// A Sheet is a table in words, with the heads, numbers and notes that every renderer shows: for
// pages, which add how it looks.
type Sheet struct {
	Title   string
	Summary string      // what the numbers are
	Levels  [][]Heading // above Columns, the uppermost first
	Columns []Heading
	Rows    []SheetRow
	Notes   []Note
}

// A Heading stands above some columns.
type Heading struct {
	Text  string
	Span  int // columns
	Notes []int
}

// A SheetRow is one method.
type SheetRow struct {
	Under string // what comes before Label, as a row above says; "" for none
	Label string
	Rule  bool // a line above sets it off
	Notes []int
	Cells []SheetCell // one per column
}

// A SheetCell is what stands in a cell.
type SheetCell struct {
	Text  string
	Aside string // in parentheses: a difference
	Star  string
	Best  bool
	Notes []int
	Value Number // to sort by; NaN for none
}

// SheetOf arranges a table.
func SheetOf(t *Table) Sheet {
	g := layout(t)
	s := Sheet{Title: g.title, Summary: g.summary, Notes: g.notes}
	every := make([]int, len(g.columns))
	for c := range every {
		every[c] = c
		s.Columns = append(s.Columns, Heading{g.columns[c].head, 1, g.columns[c].notes})
	}
	for level := range g.levels() {
		var heads []Heading
		for _, span := range g.spans(every, level) {
			heads = append(heads, Heading{Text: span.heading, Span: span.to - span.from})
		}
		s.Levels = append(s.Levels, heads)
	}
	for i, r := range g.rows {
		row := SheetRow{Label: r.label, Rule: r.rule, Notes: r.notes}
		if r.short != r.label {
			row.Label = strings.TrimSpace(r.short)
			row.Under = strings.TrimSuffix(r.label, row.Label)
		}
		for _, c := range g.columns {
			e := c.entries[i]
			row.Cells = append(row.Cells, SheetCell{Text: e.String(), Aside: e.parentheses(),
				Star: e.star, Best: e.best, Notes: e.notes, Value: e.value()})
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// AuditSheets arranges what is known of who comes and what it weighs: a sheet for each point of the
// sweep.
func AuditSheets(findings []audit.Finding) []Sheet {
	var sheets []Sheet
	for _, t := range AuditTables(findings, false) {
		s := Sheet{Title: strings.Join(t.Labels, ", "), Notes: t.Notes}
		for _, head := range t.Lines[0][1:] {
			s.Columns = append(s.Columns, Heading{Text: head, Span: 1})
		}
		for _, line := range t.Lines[1:] {
			row := SheetRow{Label: line[0]}
			for _, text := range line[1:] {
				row.Cells = append(row.Cells, SheetCell{Text: text, Value: LeadingNumber(text)})
			}
			s.Rows = append(s.Rows, row)
		}
		sheets = append(sheets, s)
	}
	return sheets
}
