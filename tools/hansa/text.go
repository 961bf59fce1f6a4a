package main

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

const (
	widestText = 100 // columns, where nothing says how wide text may be
	leastText  = 25  // columns that text needs to be readable
	margin     = "  "
	gutter     = "   " // between columns
)

// columns is how wide text written to w may be.
func columns(w io.Writer) int {
	width, ok := terminal(w)
	if !ok {
		return widestText
	}
	return min(max(width, 60), widestText)
}

// columnsOf is how many columns of a terminal a text takes.
func columnsOf(text string) int { return twwidth.WidthWithOptions(text, twwidth.Options{}) }

// wrap breaks text between words into lines of at most width columns. Line breaks in it
// stay.
func wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			switch {
			case line == "":
				line = word
			case columnsOf(line)+1+columnsOf(word) <= width:
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

// paragraph returns text as lines of at most width columns, the first after a head and all
// others below its first word.
func paragraph(head, text string, width int) string {
	return grid([][]string{{head, text}}, "", "", width)
}

// grid returns rows in columns of even width. What does not fit into the last column of a
// line goes on below it; where there is no room for that column, all of it goes below.
func grid(rows [][]string, before, between string, width int) string {
	var widths []int
	longest := 0
	for _, row := range rows {
		for k, cell := range row[:len(row)-1] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], columnsOf(cell))
		}
		longest = max(longest, columnsOf(row[len(row)-1]))
	}
	indent := columnsOf(before)
	for _, w := range widths {
		indent += w + columnsOf(between)
	}
	below := width-indent < min(leastText, longest)
	if below {
		indent = columnsOf(before) + columnsOf(gutter)
	}
	hanging := "\n" + strings.Repeat(" ", indent)
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(before)
		for k, cell := range row[:len(row)-1] {
			line.WriteString(cell + strings.Repeat(" ", widths[k]-columnsOf(cell)) + between)
		}
		left := line.String()
		if below {
			left = strings.TrimRight(left, " ") + hanging
		}
		text := strings.Join(wrap(row[len(row)-1], max(width-indent, leastText)), hanging)
		b.WriteString(strings.TrimRight(left+text, " \n") + "\n")
	}
	return b.String()
}

// clip shortens a text to a width. It looks at no more of it than fits.
func clip(text string, width int) string {
	used, end := 0, -1 // end: of what stands before the …, once there is more
	for i, r := range text {
		used += columnsOf(string(r))
		if end < 0 && used >= width {
			end = i
		}
		if used > width {
			return text[:end] + "…"
		}
	}
	return text
}
