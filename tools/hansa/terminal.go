package main

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

// A terminalPair is where a command prints results, and where it says the rest: two terminals, or
// two files. It is what listens to a session.
type terminalPair struct {
	out, err io.Writer
	color    string // "auto", "always" or "never"
}

// colors are the values of its colour.
var colors = []string{"auto", "always", "never"}

// Say implements session.Listener.
func (c *terminalPair) Say(line string) { fmt.Fprintln(c.err, line) }

// Warn implements session.Listener.
func (c *terminalPair) Warn(problems study.Problems) error {
	return problems.Warn(c.err, c.colorOn(c.err))
}

// Watch implements session.Listener.
func (c *terminalPair) Watch(cells, rounds, atOnce int) session.Progress {
	return newDisplay(c, cells, rounds, atOnce)
}

// print writes text to where results go.
func (c *terminalPair) print(text string) error {
	_, err := io.WriteString(c.out, text)
	return fault.Of(err)
}

// printJSON writes a value to where results go.
func (c *terminalPair) printJSON(v any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return fault.Of(encoder.Encode(v))
}

// terminal reports whether w is a terminal, and how wide it is.
func terminal(w io.Writer) (width int, ok bool) {
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

// colorOn reports whether what is written to w may be coloured.
func (c *terminalPair) colorOn(w io.Writer) bool {
	switch c.color {
	case "always":
		return true
	case "never":
		return false
	}
	_, tty := terminal(w)
	return tty && os.Getenv("NO_COLOR") == ""
}

// textWidth is how wide a table written to w may be: as the terminal, else as $COLUMNS says; 0 is
// as wide as it takes.
func textWidth(w io.Writer) int {
	if width, ok := terminal(w); ok {
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
	bold = "\x1b[1m"
	red  = "\x1b[31;1m"
	off  = "\x1b[0m"
)

// paint returns a text in a style, where what is written to w may be coloured.
func (c *terminalPair) paint(w io.Writer, style, text string) string {
	if !c.colorOn(w) {
		return text
	}
	return style + text + off
}
