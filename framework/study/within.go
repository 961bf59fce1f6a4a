package study

import (
	"strings"
	"unicode/utf8"
)

// within returns the place of n bytes of a text, from byte from on, in the file where the text is
// written as a string at a place. Where the file does not have the text there, as for one from the
// command line, it is the place of the whole string.
func within(at Pos, text string, from, n int) Pos {
	raw, ok := at.rest()
	if !ok {
		return at
	}
	w := walker{raw: raw}
	w.open()
	start := w.to(text[:from])
	w.to(text[from : from+n])
	if w.lost || strings.Contains(raw[:w.i], "\n") {
		return at
	}
	at.Col += utf8.RuneCountInString(raw[:start])
	at.Len = max(1, utf8.RuneCountInString(raw[start:w.i]))
	return at
}

// rest returns the text of the file from a place on.
func (p Pos) rest() (string, bool) {
	if p.text == nil || p.Line < 1 {
		return "", false
	}
	text := *p.text
	for range p.Line - 1 {
		_, below, found := strings.Cut(text, "\n")
		if !found {
			return "", false
		}
		text = below
	}
	for range p.Col - 1 {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text, text != ""
}

// A walker goes through a string of TOML as it is written, beside the text that it stands for.
type walker struct {
	raw     string
	i       int
	escapes bool // the string is in double quotes
	lost    bool // what is written is not the text
}

// open skips the quotes.
func (w *walker) open() {
	quote := w.raw[0]
	w.escapes, w.lost = quote == '"', quote != '"' && quote != '\''
	w.i = 1
	if strings.HasPrefix(w.raw, strings.Repeat(string(quote), 3)) {
		w.i = 3
	}
}

// to goes on until a text has been read, and returns where that ends.
func (w *walker) to(text string) int {
	for range utf8.RuneCountInString(text) {
		w.next()
	}
	return w.i
}

// next goes on by one character of the text.
func (w *walker) next() {
	_, size := utf8.DecodeRuneInString(w.raw[w.i:])
	w.lost = w.lost || size == 0
	if w.escapes && strings.HasPrefix(w.raw[w.i:], `\`) {
		size = 2
		if len(w.raw) > w.i+1 {
			size += map[byte]int{'x': 2, 'u': 4, 'U': 8}[w.raw[w.i+1]]
		}
	}
	w.i = min(w.i+size, len(w.raw))
}
