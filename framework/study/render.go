package study

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// widest is how many characters of a source line are shown around a problem.
const widest = 120

// Render writes the problems for a person: place and message, the line before, the line,
// a caret under the mistake with the hint beside it; at the end their number.
func (ps Problems) Render(w io.Writer, color bool) error {
	p := newPainter(color)
	all := ps.tidy()
	var b strings.Builder
	var text source
	for _, problem := range all {
		p.problem(&b, &text, "error", problem)
	}
	noun := "problems"
	if len(all) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "%d %s; nothing was run\n", len(all), noun)
	_, err := io.WriteString(w, b.String())
	return err
}

// Warn writes the problems as warnings, as Render writes them; nothing when there are none.
func (ps Problems) Warn(w io.Writer, color bool) error {
	p := newPainter(color)
	p.red = p.yellow
	var b strings.Builder
	var text source
	for _, problem := range ps.tidy() {
		p.problem(&b, &text, "warning", problem)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// newPainter returns what paints, or does not.
func newPainter(color bool) painter {
	if !color {
		return painter{}
	}
	return painter{bold: "\x1b[1m", red: "\x1b[31;1m", yellow: "\x1b[33;1m", blue: "\x1b[34m",
		off: "\x1b[0m"}
}

// A painter holds the escape sequences of a terminal, empty ones where there is none.
type painter struct{ bold, red, yellow, blue, off string }

// problem writes a problem that is called an error or a warning.
func (p painter) problem(b *strings.Builder, text *source, called string, is Problem) {
	if is.Pos.File != "" {
		fmt.Fprintf(b, "%s%s:%s ", p.bold, is.Pos, p.off)
	}
	fmt.Fprintf(b, "%s%s:%s %s%s%s\n", p.red, called, p.off, p.bold, is.Message, p.off)
	if p.source(b, text.lines(is.Pos), is.Pos) {
		if is.Hint != "" {
			fmt.Fprintf(b, " %s", is.Hint)
		}
		b.WriteByte('\n')
	} else if is.Hint != "" {
		fmt.Fprintf(b, "       %s\n", is.Hint)
	}
}

// A source is the text of the file that problems were last shown of, taken apart once for all of
// them.
type source struct {
	text *string
	all  [][]rune
}

// lines returns the lines of the file of a place, in characters, up to that of the place; none
// where it has no line.
func (s *source) lines(at Pos) [][]rune {
	if at.text == nil || at.Line < 1 {
		return nil
	}
	if s.text != at.text {
		s.text, s.all = at.text, nil
		for line := range strings.SplitSeq(*at.text, "\n") {
			s.all = append(s.all, []rune(strings.TrimSuffix(line, "\r")))
		}
	}
	if at.Line > len(s.all) {
		return nil
	}
	return s.all[:at.Line]
}

// source writes the lines and the carets of a place, without the last line break. It
// reports whether there were any.
func (p painter) source(b *strings.Builder, lines [][]rune, at Pos) bool {
	if lines == nil {
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
func window(line []rune, from int) string {
	rest := line[min(from, len(line)):]
	runes := slices.Clone(rest[:min(len(rest), widest)])
	for i, r := range runes {
		if Hidden(r) {
			runes[i] = ' '
		}
	}
	if from > 0 && len(runes) > 0 {
		runes[0] = '…'
	}
	if len(rest) > widest {
		runes[widest-1] = '…'
	}
	return string(runes)
}
