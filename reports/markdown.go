package reports

import (
	"bytes"
	"io"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// Markdown writes tables as GitHub-flavoured Markdown.
func Markdown(w io.Writer, tables []Table) error {
	var b bytes.Buffer
	for i := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		markdown(&b, &tables[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

func markdown(b *bytes.Buffer, t *Table) {
	g := layout(t)
	origins := provenance(t)
	for _, origin := range origins {
		b.WriteString(comment(origin) + "\n")
	}
	if len(origins) > 0 {
		b.WriteString("\n")
	}
	if g.title != "" {
		b.WriteString("**" + escapeMarkdown(g.title) + "**\n\n")
	}
	b.WriteString("| " + escapeMarkdown(g.corner) + " |")
	for _, c := range g.columns {
		names := append(append([]string{}, g.groups[c.group]...), c.head)
		b.WriteString(" " + escapeMarkdown(suffixed(strings.Join(names, " · "), c.notes)) + " |")
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(g.columns)) + "\n")
	for i, r := range g.rows {
		b.WriteString("| " + escapeMarkdown(suffixed(r.label, r.notes)) + " |")
		for _, c := range g.columns {
			b.WriteString(" " + markdownEntry(c.entries[i]) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + escapeMarkdown(g.summary) + "\n\n")
	for _, n := range g.notes {
		b.WriteString("- " + escapeMarkdown(numbered(n)) + "\n")
	}
}

// markdownEntry writes a cell.
func markdownEntry(e entry) string {
	text := escapeMarkdown(e.String())
	if e.best {
		text = "**" + text + "**"
	}
	text += before(" ", escapeMarkdown(e.parentheses()))
	if e.star != "" {
		text += "<sup>" + escapeMarkdown(e.star) + "</sup>"
	}
	return suffixed(text, e.notes)
}

// provenance says how to make a table again, and the run that it is of, in lines for comments.
func provenance(t *Table) []string {
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
