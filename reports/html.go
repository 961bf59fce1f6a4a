package reports

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// HTML writes tables as a fragment that reads well wherever it is put, without a style sheet:
// it aligns and rules by attributes, has no ids, and outside of comments no characters but those
// of ASCII, as the encoding is the document's to choose.
func HTML(w io.Writer, tables []Table) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		hypertext(&b, &tables[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func hypertext(b *bytes.Buffer, t *Table) {
	g := layout(t)
	for _, origin := range provenance(t) {
		b.WriteString(comment(origin) + "\n")
	}
	b.WriteString(`<table frame="hsides" rules="groups" cellpadding="4">` + "\n")
	caption := hyper(g.summary)
	if g.title != "" {
		caption = "<b>" + hyper(g.title) + "</b><br>" + caption
	}
	b.WriteString("<caption>" + caption + "</caption>\n")
	hyperHead(b, g)
	hyperBody(b, g)
	b.WriteString("</table>\n<p><small>\n")
	for i, n := range g.notes {
		if i > 0 {
			b.WriteString("<br>\n")
		}
		b.WriteString(hyperNote(n))
	}
	b.WriteString("\n</small></p>\n")
}

// hyperHead writes the headings of a table.
func hyperHead(b *bytes.Buffer, g *grid) {
	b.WriteString("<thead>\n")
	every := make([]int, len(g.columns))
	for c := range every {
		every[c] = c
	}
	for level := range g.levels() {
		b.WriteString("<tr><td></td>")
		for _, s := range g.spans(every, level) {
			fmt.Fprintf(b, `<th colspan="%d" scope="colgroup">%s</th>`, s.to-s.from,
				hyper(s.heading))
		}
		b.WriteString("</tr>\n")
	}
	fmt.Fprintf(b, `<tr><th scope="col" align="left">%s</th>`, hyper(g.corner))
	for _, c := range g.columns {
		fmt.Fprintf(b, `<th scope="col" align="left">%s%s</th>`, hyper(c.head),
			raised(marks(c.notes)))
	}
	b.WriteString("</tr>\n</thead>\n")
}

// hyperBody writes the rows of a table.
func hyperBody(b *bytes.Buffer, g *grid) {
	columns := make([][]string, len(g.columns))
	for c := range g.columns {
		columns[c] = hyperColumn(&g.columns[c])
	}
	b.WriteString("<tbody>\n")
	for i, r := range g.rows {
		if r.rule {
			b.WriteString("</tbody>\n<tbody>\n")
		}
		name, under := strings.CutPrefix(r.short, "  ")
		if name = hyper(name); under {
			name = "&emsp;" + name
		}
		fmt.Fprintf(b, `<tr><th scope="row" align="left">%s%s</th>`, name,
			raised(marks(r.notes)))
		for _, cells := range columns {
			fmt.Fprintf(b, `<td align="left">%s</td>`, cells[i])
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n")
}

// hyperColumn writes the entries of a column so that decimal points line up: behind spaces as wide
// as digits.
func hyperColumn(c *gridColumn) []string {
	widest := 0
	for _, e := range c.entries {
		lead, _, _ := e.pieces()
		widest = max(widest, width(lead))
	}
	var cells []string
	for _, e := range c.entries {
		cell := hyperEntry(e)
		if lead, _, _ := e.pieces(); e.word == "" && e.whole != "" {
			cell = strings.Repeat("&#8199;", widest-width(lead)) + cell
		}
		cells = append(cells, cell)
	}
	return cells
}

// hyperEntry writes a cell.
func hyperEntry(e entry) string {
	difference, aside := e.parentheses(), e.aside
	e.aside = ""
	text := hyper(e.String())
	if e.best {
		text = "<b>" + text + "</b>"
	}
	text += before(" ", hyper(difference)) + raised(e.star) +
		before(" ", hyper(aside)) + raised(marks(e.notes))
	return strings.ReplaceAll(text, " ", "&nbsp;") // a cell is no place to break a line
}

// hyperNote writes a footnote.
func hyperNote(n Note) string {
	switch text := hyper(n.Text); {
	case n.Number > 0:
		return raised(marks([]int{n.Number})) + " " + text
	case n.Term != "":
		return hyper(study.OneLine(n.Term)) + ": " + text
	default:
		return text
	}
}

// raised writes what stands above the line.
func raised(s string) string {
	if s == "" {
		return ""
	}
	return "<sup>" + hyper(s) + "</sup>"
}

// hyper writes text for HTML, characters outside of ASCII by their numbers. No line ends before an
// arrow.
func hyper(s string) string {
	var b strings.Builder
	s = strings.NewReplacer(" ↑", "\u00a0↑", " ↓", "\u00a0↓").Replace(s)
	for _, r := range html.EscapeString(s) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// comment makes a comment of a text, for HTML and Markdown.
func comment(s string) string {
	return "<!-- " + strings.NewReplacer("-->", "-- >", "--!>", "-- !>").Replace(s) + " -->"
}
