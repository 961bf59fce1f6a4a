package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/hansa-fl/hansa/reports/table"
	"github.com/olekukonko/tablewriter/tw"
)

// AuditJSON writes an audit as JSON.
func AuditJSON(w io.Writer, a table.Audit) error {
	return indented(w, a)
}

// AuditText writes an audit for a terminal: one table per point of the sweep.
func AuditText(w io.Writer, a table.Audit, o TextOptions) error {
	var b bytes.Buffer
	tables := table.AuditTables(a.Findings, true)
	for i := range tables {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if err := writeAudit(&b, a.Title, &tables[i], o); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeAudit(b *bytes.Buffer, title string, t *table.AuditTable, o TextOptions) error {
	heading := strings.Join(append([]string{title}, t.Labels...), " · ")
	wrap(b, fmt.Sprintf("%s — participation, and the objective that follows", heading), "", o.Width)
	if err := writeLines(b, t.Lines, o.Width); err != nil {
		return err
	}
	for _, lines := range append([][][]string{t.Frontier, t.Budgets}, t.Panels...) {
		if lines == nil {
			continue
		}
		b.WriteString("\n")
		if err := writeLines(b, lines, o.Width); err != nil {
			return err
		}
	}
	for _, note := range t.Notes {
		wrap(b, table.NoteText(note), indent, o.Width)
	}
	return nil
}

// writeLines writes lines of cells, the first of which is the header, in as many parts as fit a
// width.
func writeLines(b *bytes.Buffer, lines [][]string, limit int) error {
	for i, part := range splitColumns(lines, limit) {
		if i > 0 {
			b.WriteString("\n")
		}
		look := &booktabs{rules: make([]bool, len(part)-1)}
		if err := look.draw(b, part, tw.AlignRight); err != nil {
			return err
		}
	}
	return nil
}

// splitColumns cuts a table that is wider than a limit into parts that are not; each begins with
// the first column.
func splitColumns(lines [][]string, limit int) [][][]string {
	across := func(c int) (most int) {
		for _, line := range lines {
			most = max(most, width(line[c]))
		}
		return most
	}
	var parts [][][]string
	for from := 1; from < len(lines[0]); {
		to, wide := from, across(0)
		for to < len(lines[0]) {
			wide += len(gap) + across(to)
			if limit > 0 && wide > limit && to > from {
				break
			}
			to++
		}
		part := make([][]string, len(lines))
		for i, line := range lines {
			part[i] = append([]string{line[0]}, line[from:to]...)
		}
		parts = append(parts, part)
		from = to
	}
	return parts
}
