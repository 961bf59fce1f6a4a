package render

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Sheet is a table in words, with the heads, numbers and notes that every renderer shows: for
// pages, which add how it looks.
type Sheet struct {
	Title   string
	Summary string      // what the numbers are
	Levels  [][]Heading // above Columns, the uppermost first
	Columns []Heading
	Rows    []SheetRow
	Notes   []table.Note
}

// A Heading stands above some columns.
type Heading struct {
	Text  string
	Span  int // columns
	Notes []int
}

// A SheetRow is one method.
type SheetRow struct {
	Under string // what stands before Label, as a row above says; "" for none
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
	Value table.Number // to sort by; NaN for none
}

// SheetOf arranges a table.
func SheetOf(t *table.Table) Sheet {
	g := table.Layout(t)
	s := Sheet{Title: g.Title, Summary: g.Summary, Notes: g.Notes}
	for c := range g.Columns {
		s.Columns = append(s.Columns, Heading{g.Columns[c].Head, 1, g.Columns[c].Notes})
	}
	for level := range g.Levels() {
		var heads []Heading
		for _, span := range g.Spans(g.AllColumns(), level) {
			heads = append(heads, Heading{Text: span.Heading, Span: span.To - span.From})
		}
		s.Levels = append(s.Levels, heads)
	}
	for i, r := range g.Rows {
		row := SheetRow{Label: r.Label, Rule: r.Rule, Notes: r.Notes}
		if r.Short != r.Label {
			row.Label = strings.TrimSpace(r.Short)
			row.Under = strings.TrimSuffix(r.Label, row.Label)
		}
		for _, c := range g.Columns {
			e := c.Entries[i]
			row.Cells = append(row.Cells, SheetCell{Text: e.String(), Aside: e.Parentheses(),
				Star: e.Star, Best: e.Best, Notes: e.Notes, Value: e.Value()})
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// AuditSheets arranges what is known of participation and weights: a sheet for each point of the
// sweep.
func AuditSheets(findings []audit.Finding) []Sheet {
	var sheets []Sheet
	for _, t := range table.AuditTables(findings, false) {
		s := Sheet{Title: strings.Join(t.Labels, ", "), Notes: t.Notes}
		for _, head := range t.Lines[0][1:] {
			s.Columns = append(s.Columns, Heading{Text: head, Span: 1})
		}
		for _, line := range t.Lines[1:] {
			row := SheetRow{Label: line[0]}
			for _, text := range line[1:] {
				row.Cells = append(row.Cells, SheetCell{Text: text,
					Value: table.LeadingNumber(text)})
			}
			s.Rows = append(s.Rows, row)
		}
		sheets = append(sheets, s)
	}
	return sheets
}
