package console

import (
	"io"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

const (
	WidestText = 100 // columns, where nothing says how wide text may be
	leastText  = 25  // columns that text needs to be readable
	Margin     = "  "
	Gutter     = "   " // between columns
)

// Columns is how wide text written to w may be.
func Columns(w io.Writer) int {
	width, ok := Terminal(w)
	if !ok {
		return WidestText
	}
	return min(max(width, 60), WidestText)
}

// Wrap breaks text between words into lines of at most width columns. Line breaks in it
// stay.
func Wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case phrase.Width(line)+1+phrase.Width(word) <= width:
				line += " " + word
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Paragraph returns text as lines of at most width columns, the first after a head and all
// others below its first word.
func Paragraph(head, text string, width int) string {
	return Grid([][]string{{head, text}}, "", "", width)
}

// Grid returns rows in columns of even width. What does not fit into the last column of a
// line goes on below it; where there is no room for that column, all of it goes below.
func Grid(rows [][]string, before, between string, width int) string {
	var widths []int
	longest := 0
	for _, row := range rows {
		for k, cell := range row[:len(row)-1] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], phrase.Width(cell))
		}
		longest = max(longest, phrase.Width(row[len(row)-1]))
	}
	indent := phrase.Width(before)
	for _, w := range widths {
		indent += w + phrase.Width(between)
	}
	below := width-indent < min(leastText, longest)
	if below {
		indent = phrase.Width(before) + phrase.Width(Gutter)
	}
	hanging := "\n" + strings.Repeat(" ", indent)
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(before)
		for k, cell := range row[:len(row)-1] {
			line.WriteString(cell + strings.Repeat(" ", widths[k]-phrase.Width(cell)) + between)
		}
		left := line.String()
		if below {
			left = strings.TrimRight(left, " ") + hanging
		}
		text := strings.Join(Wrap(row[len(row)-1], max(width-indent, leastText)), hanging)
		b.WriteString(strings.TrimRight(left+text, " \n") + "\n")
	}
	return b.String()
}
