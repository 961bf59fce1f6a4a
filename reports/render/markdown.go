package render

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
)

// Markdown writes tables as GitHub-flavoured Markdown.
func Markdown(w io.Writer, tables []table.Table) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		markdownTable(&b, &tables[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func markdownTable(b *bytes.Buffer, t *table.Table) {
	g := table.Layout(t)
	origins := provenance(t)
	for _, origin := range origins {
		b.WriteString(htmlComment(origin) + "\n")
	}
	if len(origins) > 0 {
		b.WriteString("\n")
	}
	if g.Title != "" {
		b.WriteString("**" + escapeMarkdown(g.Title) + "**\n\n")
	}
	b.WriteString("| " + escapeMarkdown(g.Corner) + " |")
	for _, c := range g.Columns {
		names := append(slices.Clone(g.Groups[c.Group]), c.Head)
		names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
		b.WriteString(" " + escapeMarkdown(table.WithMarks(strings.Join(names, " · "), c.Notes)) +
			" |")
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(g.Columns)) + "\n")
	for i, r := range g.Rows {
		b.WriteString("| " + escapeMarkdown(table.WithMarks(r.Label, r.Notes)) + " |")
		for _, c := range g.Columns {
			b.WriteString(" " + markdownEntry(c.Entries[i]) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + escapeMarkdown(g.Summary) + "\n\n")
	for _, n := range g.Notes {
		b.WriteString("- " + escapeMarkdown(table.NoteText(n)) + "\n")
	}
}

// markdownEntry writes a cell.
func markdownEntry(e table.Entry) string {
	text := escapeMarkdown(e.String())
	if e.Best {
		text = "**" + text + "**"
	}
	text += table.Before(" ", escapeMarkdown(e.Parentheses()))
	if e.Star != "" {
		text += "<sup>" + escapeMarkdown(e.Star) + "</sup>"
	}
	return table.WithMarks(text, e.Notes)
}

// provenance says how to make a table again, and the run that it is of, in lines for comments.
func provenance(t *table.Table) []string {
	var parts, lines []string
	for _, s := range []string{t.Command, t.Hash} {
		if s = study.OneLine(s); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(parts, " · "))
	}
	if origin := study.OneLine(t.Origin); origin != "" {
		lines = append(lines, "the run: "+origin)
	}
	return lines
}

// escapeMarkdown escapes whatever Markdown, its tables, HTML or GitHub's formulas would
// read as their own.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '\\', '`', '*', '_', '{', '}', '[', ']', '#', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
