package render

import (
	"io"

	"github.com/hansa-fl/hansa/reports/table"
)

// A Format is a way to write tables, and the verdicts of claims.
type Format struct {
	Name   string // as a command line names it
	Title  string // as texts name it
	Ending string // of the names of files, without a dot
	Tables func(w io.Writer, tables []table.Table, o TextOptions) error
	Claims func(w io.Writer, sets []table.ClaimSet, o TextOptions) error
}

// Formats are all formats, the one for terminals first. The commands, their help and what is stored
// of a run follow from this list: a format is added by a file that writes it, and a line here.
func Formats() []Format {
	return []Format{
		{"text", "text", "txt", Text, ClaimsText},
		{"markdown", "Markdown", "md", freely(Markdown), freely(ClaimsMarkdown)},
		{"latex", "LaTeX", "tex", freely(LaTeX), freely(ClaimsLaTeX)},
		{"html", "HTML", "html", freely(HTML), freely(ClaimsHTML)},
		{"csv", "CSV", "csv", freely(CSV), freely(ClaimsCSV)},
		{"json", "JSON", "json", freely(JSON), freely(ClaimsJSON)},
	}
}

// freely makes a function that writes something as wide as it gets one that takes options, too.
func freely[T any](write func(io.Writer, []T) error) func(io.Writer, []T, TextOptions) error {
	return func(w io.Writer, list []T, _ TextOptions) error { return write(w, list) }
}

// FormatNames are the names of all formats.
func FormatNames() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// FormatNamed finds a format.
func FormatNamed(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
