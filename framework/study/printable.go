package study

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Hidden reports whether a character commands a terminal or a renderer of text, or deceives a
// reader: control characters, bidirectional controls, separators of lines, characters without a
// width and tags. A line break and a tab are control characters, too.
func Hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == '\u2028', r == '\u2029', r == '\u200b', r == '\ufeff',
		r >= '\u2060' && r <= '\u206f', r >= '\ufff9' && r <= '\ufffb',
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// Printable returns a text that a terminal shows and does not obey: with hidden characters other
// than line breaks and tabs as \u001b, by the form that JSON has for them, and what is not UTF-8
// as U+FFFD.
func Printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == '\ufffd' || escapes(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !escapes(r) {
			b.WriteRune(r)
			continue
		}
		units := utf16.AppendRune(nil, r)
		for _, u := range units {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// escapes reports whether Printable escapes a character.
func escapes(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }

// OneLine makes a text fit for a table: it is one line, and what a terminal would obey is escaped.
func OneLine(text string) string {
	return strings.TrimSpace(Printable(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) && Hidden(r) {
			return ' '
		}
		return r
	}, text)))
}
