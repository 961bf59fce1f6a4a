// Package console is where a command prints: text in columns, colours, progress on a terminal.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
)

// A Console is where a command prints results, and where it says the rest: two terminals, or
// two files. It is what listens to a session.
type Console struct {
	Out, Err io.Writer
	Color    string // "auto", "always" or "never"
}

// Colors are the values of its colour.
var Colors = []string{"auto", "always", "never"}

// Say implements session.Listener.
func (c *Console) Say(line string) { fmt.Fprintln(c.Err, line) }

// Warn implements session.Listener.
func (c *Console) Warn(problems study.Problems) error {
	return problems.Warn(c.Err, c.ColorOn(c.Err))
}

// Watch implements session.Listener.
func (c *Console) Watch(cells, rounds, atOnce int) session.Progress {
	return newDisplay(c, cells, rounds, atOnce)
}

// PrintText writes text to where results go.
func (c *Console) PrintText(text string) error {
	_, err := io.WriteString(c.Out, text)
	return fault.Of(err)
}

// PrintJSON writes a value to where results go.
func (c *Console) PrintJSON(v any) error {
	encoder := json.NewEncoder(c.Out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return fault.Of(encoder.Encode(v))
}

// Terminal reports whether w is a terminal, and how wide it is.
func Terminal(w io.Writer) (width int, ok bool) {
	f, isFile := fileOf(w)
	if !isFile || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// ColorOn reports whether what is written to w may be coloured.
func (c *Console) ColorOn(w io.Writer) bool {
	switch c.Color {
	case "always":
		return true
	case "never":
		return false
	}
	_, tty := Terminal(w)
	return tty && os.Getenv("NO_COLOR") == ""
}

// TextWidth is how wide a table written to w may be: as the terminal, else as $COLUMNS says; 0 is
// as wide as it takes.
func TextWidth(w io.Writer) int {
	if width, ok := Terminal(w); ok {
		return width
	}
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width < 1 {
		return 0
	}
	return width
}

// Escape sequences of a terminal.
const (
	Bold = "\x1b[1m"
	Red  = "\x1b[31;1m"
	off  = "\x1b[0m"
)

// Paint returns a text in a style, where what is written to w may be coloured.
func (c *Console) Paint(w io.Writer, style, text string) string {
	if !c.ColorOn(w) {
		return text
	}
	return style + text + off
}
