package render

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/tw"

	"github.com/hansa-fl/hansa/reports/table"
)

// TextOptions say what a terminal can show.
type TextOptions struct {
	Width int  // in columns; wider tables are stacked in parts; 0: as wide as it gets
	Color bool // bold is shown as such; without, it is a mark
}

const (
	gap      = "  "       // between columns
	bestMark = "◂"        // bold, where there is none
	boldOn   = "\x1b[1m"  //
	boldOff  = "\x1b[22m" //
	indent   = "  "       // indent of a wrapped line
)

// Text writes tables for a terminal.
func Text(w io.Writer, tables []table.Table, o TextOptions) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if err := writeTable(&b, table.Layout(&tables[i]), o); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeTable writes one table.
func writeTable(b *bytes.Buffer, g *table.Grid, o TextOptions) error {
	names, columns := textCells(g, o.Color)
	heads := foldHeads(names, columns, o.Width)
	var body bytes.Buffer
	widest := 0
	r := &widthRule{head: maxWidth(slices.Concat(heads...)), gap: len(gap), text: width,
		column: func(c int) int { return maxWidth(columns[c]) }}
	for i, part := range stackParts(g, r, o.Width) {
		if i > 0 {
			body.WriteByte('\n')
		}
		if err := drawPart(&body, g, part, heads, columns); err != nil {
			return err
		}
		widest = max(widest, r.head+r.gap+total(widths(g, part, r), r.gap))
	}
	writeTitle(b, g, widest, o.Width)
	b.Write(body.Bytes())
	for _, n := range g.Notes {
		writeNote(b, n, o)
	}
	return nil
}

// foldHeads cuts row heads that leave no room for the widest column into lines. The first,
// above the others, stays whole.
func foldHeads(heads []string, columns [][]string, limit int) [][]string {
	const least = 12 // columns that a head needs to be readable
	widest := 0
	for _, column := range columns {
		widest = max(widest, maxWidth(column))
	}
	room := limit - len(gap) - widest
	narrow := limit > 0 && room >= least && maxWidth(heads) > room
	var list [][]string
	for i, head := range heads {
		part := []string{head}
		if narrow {
			text := strings.TrimSpace(head)
			lead := head[:strings.Index(head, text)]
			if part[0] = lead + text; i > 0 {
				var b bytes.Buffer
				wrap(&b, text, indent, room-len(lead))
				part = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
				for k := range part {
					part[k] = lead + part[k]
				}
			}
		}
		list = append(list, part)
	}
	return list
}

// drawPart writes one part of a table, whose row heads and columns have these texts.
func drawPart(b *bytes.Buffer, g *table.Grid, part []int, heads, columns [][]string) error {
	look := &booktabs{}
	for level := range g.Levels() {
		look.levels = append(look.levels, g.Spans(part, level))
	}
	var lines [][]string
	for i, head := range heads {
		for k, text := range head {
			line := []string{text}
			for _, c := range part {
				cell := columns[c][i]
				if k > 0 { // where only the head goes on
					cell = ""
				}
				line = append(line, cell)
			}
			lines = append(lines, line)
			if i > 0 {
				look.rules = append(look.rules, k == 0 && g.Rows[i-1].Rule)
			}
		}
	}
	return look.draw(b, lines, tw.AlignLeft)
}

// writeTitle writes the title on the left and what the numbers are on the right.
func writeTitle(b *bytes.Buffer, g *table.Grid, across, limit int) {
	if space := across - width(g.Title) - width(g.Summary); space >= len(gap) {
		b.WriteString(g.Title + strings.Repeat(" ", space) + g.Summary + "\n")
		return
	}
	if g.Title != "" {
		wrap(b, g.Title, "", limit)
	}
	wrap(b, g.Summary, "", limit)
}

// writeNote writes a footnote. Where there is no bold, the mark in its place is explained.
func writeNote(b *bytes.Buffer, n table.Note, o TextOptions) {
	if n.Term == table.Bold && !o.Color {
		n.Term = bestMark
	}
	wrap(b, table.NoteText(n), indent, o.Width)
}

// wrap writes a text in lines of at most the given width, if it is not 0, all but the
// first behind an indent. A longer word stands alone.
func wrap(b *bytes.Buffer, text, indent string, limit int) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case limit > 0 && width(line)+1+width(word) > limit:
			b.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}
