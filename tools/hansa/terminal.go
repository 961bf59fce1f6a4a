package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

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
func (c *command) colorOn(w io.Writer) bool {
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
func (c *command) paint(w io.Writer, style, text string) string {
	if !c.colorOn(w) {
		return text
	}
	return style + text + off
}
