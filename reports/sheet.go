package reports

import (
	"math"
	"slices"
	"strconv"
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
	for _, group := range byPoint(findings) {
		n := &noteList{}
		s := Sheet{Title: pointOf(group[0].Point)}
		heads := auditHead(group)
		for _, head := range heads[1:slices.Index(heads, floorHead)] {
			s.Columns = append(s.Columns, Heading{Text: head, Span: 1})
		}
		for i := range group {
			line := auditLine(&group[i], n)
			if partly(group) {
				line = slices.Insert(line, 1, enrolledCells(&group[i])...)
			}
			row := SheetRow{Label: line[0]}
			for _, text := range line[1:] {
				row.Cells = append(row.Cells, SheetCell{Text: text, Value: leading(text)})
			}
			s.Rows = append(s.Rows, row)
		}
		s.Notes = append(n.list, auditTerms(group)...)
		sheets = append(sheets, s)
	}
	return sheets
}

// leading returns the number that a text begins with; NaN for none.
func leading(text string) Number {
	found := number.FindString(strings.Replace(text, "−", "-", 1))
	if x, err := strconv.ParseFloat(found, 64); err == nil {
		return Number(x)
	}
	return Number(math.NaN())
}

// value returns the number that an entry shows, rounded as it is; NaN for none.
func (e entry) value() Number {
	text := strings.Replace(e.whole+e.frac, "−", "-", 1)
	if rest, ratio := strings.CutPrefix(text, "×"); ratio {
		text = rest
	}
	scale := strings.Replace(strings.TrimSpace(e.scale), "−", "-", 1)
	if i := strings.Index(" kMGTPE", scale); len(scale) == 1 && i > 0 {
		scale = "e" + strconv.Itoa(3*i)
	}
	if strings.HasPrefix(scale, "e") {
		text += scale
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Number(math.NaN())
	}
	return Number(x)
}
