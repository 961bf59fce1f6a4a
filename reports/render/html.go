package render

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
)

// HTML writes tables as a fragment that reads well wherever it is put, without a style sheet:
// it aligns and rules by attributes, has no ids, and outside of comments no characters but those
// of ASCII, as the encoding is the document's to choose.
func HTML(w io.Writer, tables []table.Table) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		htmlTable(&b, &tables[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func htmlTable(b *bytes.Buffer, t *table.Table) {
	g := table.Layout(t)
	for _, origin := range provenance(t) {
		b.WriteString(htmlComment(origin) + "\n")
	}
	b.WriteString(`<table frame="hsides" rules="groups" cellpadding="4">` + "\n")
	caption := htmlText(g.Summary)
	if g.Title != "" {
		caption = "<b>" + htmlText(g.Title) + "</b><br>" + caption
	}
	b.WriteString("<caption>" + caption + "</caption>\n")
	htmlHead(b, g)
	htmlBody(b, g)
	b.WriteString("</table>\n<p><small>\n")
	for i, n := range g.Notes {
		if i > 0 {
			b.WriteString("<br>\n")
		}
		b.WriteString(htmlNote(n))
	}
	b.WriteString("\n</small></p>\n")
}

// htmlHead writes the headings of a table.
func htmlHead(b *bytes.Buffer, g *table.Grid) {
	b.WriteString("<thead>\n")
	for level := range g.Levels() {
		b.WriteString("<tr><td></td>")
		for _, s := range g.Spans(g.AllColumns(), level) {
			fmt.Fprintf(b, `<th colspan="%d" scope="colgroup">%s</th>`, s.To-s.From,
				htmlText(s.Heading))
		}
		b.WriteString("</tr>\n")
	}
	fmt.Fprintf(b, `<tr><th scope="col" align="left">%s</th>`, htmlText(g.Corner))
	for _, c := range g.Columns {
		fmt.Fprintf(b, `<th scope="col" align="left">%s%s</th>`, htmlText(c.Head),
			htmlSuperscript(marks(c.Notes)))
	}
	b.WriteString("</tr>\n</thead>\n")
}

// htmlBody writes the rows of a table.
func htmlBody(b *bytes.Buffer, g *table.Grid) {
	columns := make([][]string, len(g.Columns))
	for c := range g.Columns {
		columns[c] = htmlColumn(&g.Columns[c])
	}
	b.WriteString("<tbody>\n")
	for i, r := range g.Rows {
		if r.Rule {
			b.WriteString("</tbody>\n<tbody>\n")
		}
		name, under := strings.CutPrefix(r.Short, "  ")
		if name = htmlText(name); under {
			name = "&emsp;" + name
		}
		fmt.Fprintf(b, `<tr><th scope="row" align="left">%s%s</th>`, name,
			htmlSuperscript(marks(r.Notes)))
		for _, cells := range columns {
			fmt.Fprintf(b, `<td align="left">%s</td>`, cells[i])
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n")
}

// htmlColumn writes the entries of a column so that decimal points line up: behind spaces as wide
// as digits.
func htmlColumn(c *table.GridColumn) []string {
	widest := 0
	for _, e := range c.Entries {
		lead, _, _ := e.Pieces()
		widest = max(widest, width(lead))
	}
	var cells []string
	for _, e := range c.Entries {
		cell := htmlEntry(e)
		if lead, _, _ := e.Pieces(); e.Word == "" && e.Whole != "" {
			cell = strings.Repeat("&#8199;", widest-width(lead)) + cell
		}
		cells = append(cells, cell)
	}
	return cells
}

// htmlEntry writes a cell.
func htmlEntry(e table.Entry) string {
	difference, aside := e.Parentheses(), e.Aside
	e.Aside = ""
	text := htmlText(e.String())
	if e.Best {
		text = "<b>" + text + "</b>"
	}
	text += table.Before(" ", htmlText(difference)) + htmlSuperscript(e.Star) +
		table.Before(" ", htmlText(aside)) + htmlSuperscript(marks(e.Notes))
	return strings.ReplaceAll(text, " ", "&nbsp;") // a cell is no place to break a line
}

// htmlNote writes a footnote.
func htmlNote(n table.Note) string {
	switch text := htmlText(n.Text); {
	case n.Number > 0:
		return htmlSuperscript(marks([]int{n.Number})) + " " + text
	case n.Term != "":
		return htmlText(study.OneLine(n.Term)) + ": " + text
	default:
		return text
	}
}

// htmlSuperscript writes what stands above the line.
func htmlSuperscript(s string) string {
	if s == "" {
		return ""
	}
	return "<sup>" + htmlText(s) + "</sup>"
}

// htmlText writes text for HTML, characters outside of ASCII by their numbers. No line ends before
// an arrow.
func htmlText(s string) string {
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

// htmlComment makes a comment of a text, for HTML and Markdown.
func htmlComment(s string) string {
	return "<!-- " + strings.NewReplacer("-->", "-- >", "--!>", "-- !>").Replace(s) + " -->"
}
