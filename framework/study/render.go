package study

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// widest is how many characters of a source line are shown around a problem.
const widest = 120

// Render writes the problems for a person: place and message, the line before, the line,
// a caret under the mistake with the hint beside it; at the end their number.
func (ps Problems) Render(w io.Writer, color bool) error {
	p := painter{}
	if color {
		p = painter{bold: "\x1b[1m", red: "\x1b[31;1m", blue: "\x1b[34m", off: "\x1b[0m"}
	}
	all := ps.tidy()
	var b strings.Builder
	for _, problem := range all {
		p.problem(&b, problem)
	}
	noun := "problems"
	if len(all) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "%d %s; nothing was run\n", len(all), noun)
	_, err := io.WriteString(w, b.String())
	return err
}

// A painter holds the escape sequences of a terminal, empty ones where there is none.
type painter struct{ bold, red, blue, off string }

func (p painter) problem(b *strings.Builder, is Problem) {
	if is.Pos.File != "" {
		fmt.Fprintf(b, "%s%s:%s ", p.bold, is.Pos, p.off)
	}
	fmt.Fprintf(b, "%serror:%s %s%s%s\n", p.red, p.off, p.bold, is.Message, p.off)
	if p.source(b, is.Pos) {
		if is.Hint != "" {
			fmt.Fprintf(b, " %s", is.Hint)
		}
		b.WriteByte('\n')
	} else if is.Hint != "" {
		fmt.Fprintf(b, "       %s\n", is.Hint)
	}
}

// source writes the lines and the carets of a place, without the last line break. It
// reports whether there were any.
func (p painter) source(b *strings.Builder, at Pos) bool {
	if at.text == nil || at.Line < 1 {
		return false
	}
	lines := strings.Split(*at.text, "\n")
	if at.Line > len(lines) {
		return false
	}
	// A long list on one line is cut around the caret; the line before it says nothing then.
	from, first := 0, max(1, at.Line-1)
	if at.Col > widest*2/3 {
		from, first = at.Col-widest/3, at.Line
	}
	for n := first; n <= at.Line; n++ {
		line := strings.TrimRight(window(lines[n-1], from), " ")
		fmt.Fprintf(b, "%s%5d |%s", p.blue, n, p.off)
		if line != "" {
			b.WriteString(" " + line)
		}
		b.WriteByte('\n')
	}
	carets := strings.Repeat("^", max(1, min(at.Len, widest-(at.Col-1-from))))
	fmt.Fprintf(b, "%s      |%s %s%s%s%s", p.blue, p.off,
		strings.Repeat(" ", at.Col-1-from), p.red, carets, p.off)
	return true
}

// window returns the characters of a line from the given one on, as many as are shown.
// Tabs and whatever else could disturb a terminal become spaces, so that one character
// is one column.
func window(line string, from int) string {
	runes := []rune(strings.TrimSuffix(line, "\r"))
	for i, r := range runes {
		if unicode.IsControl(r) {
			runes[i] = ' '
		}
	}
	runes = runes[min(from, len(runes)):]
	if from > 0 && len(runes) > 0 {
		runes[0] = '…'
	}
	if len(runes) > widest {
		runes = append(runes[:widest-1:widest-1], '…')
	}
	return string(runes)
}
