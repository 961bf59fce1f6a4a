package table

import (
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Note is a footnote. It either explains a sign of the table, or concerns the places
// that carry its number, or the table as a whole.
type Note struct {
	Number int    `json:"number"` // 0 when it concerns no place in particular
	Term   string `json:"term"`   // the sign it explains: "±", "bold", "~" …; "" for none
	Text   string `json:"text"`   // lower case, no full stop
}

// NoteText returns a footnote behind its number or the sign it explains.
func NoteText(n Note) string {
	switch {
	case n.Number > 0:
		return superscript(n.Number) + " " + n.Text
	case n.Term != "":
		return study.OneLine(n.Term) + ": " + n.Text
	default:
		return n.Text
	}
}

// WithMarks returns s with the marks of its footnotes.
func WithMarks(s string, notes []int) string {
	var marks []string
	for _, n := range notes {
		marks = append(marks, superscript(n))
	}
	return s + Before(" ", strings.Join(marks, ","))
}

// superscript writes a number in raised digits.
func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return strings.Map(func(r rune) rune { return raised[r-'0'] }, strconv.Itoa(n))
}

// Before returns s behind a separator, or nothing when there is no s.
func Before(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}
