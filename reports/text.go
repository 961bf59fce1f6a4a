package reports

import (
	"bytes"
	"io"
	"strings"
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
	hanging  = "  "       // indent of a wrapped line
)

// Text writes tables for a terminal.
func Text(w io.Writer, tables []Table, o TextOptions) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if err := text(&b, layout(&tables[i]), o); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func text(b *bytes.Buffer, g *grid, o TextOptions) error {
	heads, columns := g.flat(o.Color)
	var body bytes.Buffer
	widest := 0
	r := &ruler{head: width(heads[0]), gap: len(gap), text: width,
		column: func(c int) int { return width(columns[c][0]) }}
	for i, part := range g.parts(r, o.Width) {
		if i > 0 {
			body.WriteByte('\n')
		}
		widths := g.widths(part, r)
		if err := g.draw(&body, part, heads, stretched(columns, part, widths)); err != nil {
			return err
		}
		widest = max(widest, r.head+r.gap+total(widths, r.gap))
	}
	g.writeTitle(b, widest, o.Width)
	b.Write(body.Bytes())
	for _, n := range g.notes {
		writeNote(b, n, o)
	}
	return nil
}

// draw writes one part of a table, whose columns have these texts.
func (g *grid) draw(b *bytes.Buffer, part []int, heads []string, columns [][]string) error {
	look := &booktabs{rules: make([]bool, len(g.rows))}
	for i, r := range g.rows {
		look.rules[i] = r.rule
	}
	for level := range g.levels() {
		look.levels = append(look.levels, g.spans(part, level))
	}
	lines := make([][]string, len(heads))
	for i := range heads {
		lines[i] = append(lines[i], heads[i])
		for _, column := range columns {
			lines[i] = append(lines[i], column[i])
		}
	}
	return look.draw(b, lines)
}

// writeTitle writes the title on the left and what the numbers are on the right.
func (g *grid) writeTitle(b *bytes.Buffer, table, limit int) {
	if space := table - width(g.title) - width(g.summary); space >= len(gap) {
		b.WriteString(g.title + strings.Repeat(" ", space) + g.summary + "\n")
		return
	}
	if g.title != "" {
		wrap(b, g.title, "", limit)
	}
	wrap(b, g.summary, "", limit)
}

// writeNote writes a footnote. Where there is no bold, the mark in its place is explained.
func writeNote(b *bytes.Buffer, n Note, o TextOptions) {
	if n.Term == bold && !o.Color {
		n.Term = bestMark
	}
	wrap(b, numbered(n), hanging, o.Width)
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
