package render

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/hansa-fl/hansa/reports/table"
)

// width is how many columns of a terminal a text takes. It does not ask the locale, in
// which ± may count as two.
func width(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// padded returns s with spaces behind it up to a width.
func padded(s string, to int) string { return s + strings.Repeat(" ", max(0, to-width(s))) }

// textCells returns row heads and columns as text, header first.
func textCells(g *table.Grid, color bool) (heads []string, columns [][]string) {
	heads = []string{g.Corner}
	for _, r := range g.Rows {
		heads = append(heads, table.WithMarks(r.Short, r.Notes))
	}
	for _, c := range g.Columns {
		columns = append(columns, append([]string{table.WithMarks(c.Head, c.Notes)},
			columnLines(&c, color)...))
	}
	return heads, columns
}

// maxWidth is the width of the widest of some texts.
func maxWidth(texts []string) int {
	most := 0
	for _, s := range texts {
		most = max(most, width(s))
	}
	return most
}

// padAll pads texts to the width of the widest.
func padAll(texts []string) {
	to := maxWidth(texts)
	for i, s := range texts {
		texts[i] = padded(s, to)
	}
}

// columnLines writes the entries of a column so that decimal points, ± and marks line up.
func columnLines(c *table.GridColumn, color bool) []string {
	n := len(c.Entries)
	lead, rest, tail := make([]string, n), make([]string, n), make([]string, n)
	delta, aside, best := make([]string, n), make([]string, n), make([]string, n)
	number := 0
	for i, e := range c.Entries {
		lead[i], rest[i], tail[i] = e.Pieces()
		delta[i], aside[i] = table.Before(" ", e.Parentheses()), e.Star+table.Before(" ", e.Aside)
		if e.Best && !color {
			best[i] = " " + bestMark
		}
		number = max(number, width(e.Word))
	}
	alignRight(lead)
	padAll(rest)
	for i := range c.Entries {
		number = max(number, width(lead[i])+width(rest[i]))
	}
	padAll(tail)
	alignRight(delta)
	padAll(aside)
	padAll(best)
	texts := make([]string, n)
	for i, e := range c.Entries {
		value := lead[i] + rest[i]
		if e.Word != "" {
			value = e.Word
		}
		value = strings.Repeat(" ", number-width(value)) + value + tail[i]
		if e.Best && color {
			value = boldOn + value + boldOff
		}
		texts[i] = table.WithMarks(value+delta[i]+aside[i]+best[i], e.Notes)
	}
	return texts
}

// alignRight puts spaces before texts up to the width of the widest.
func alignRight(texts []string) {
	to := maxWidth(texts)
	for i, s := range texts {
		texts[i] = strings.Repeat(" ", to-width(s)) + s
	}
}
