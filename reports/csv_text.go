package reports

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// sheetText returns a text for a cell of CSV: one line in which nothing is hidden, and behind an
// apostrophe where a spreadsheet would take it for a formula, as OWASP advises against CSV
// injection: what begins with =, +, −, @ or their wide forms and is no number.
func sheetText(s string) string {
	s = study.OneLine(s)
	if s == "" || !strings.ContainsAny(s[:1], "=+-@") &&
		!strings.HasPrefix(s, "＝") && !strings.HasPrefix(s, "＋") &&
		!strings.HasPrefix(s, "－") && !strings.HasPrefix(s, "＠") {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// A sheetWriter writes CSV whose texts no spreadsheet takes for formulas.
type sheetWriter struct{ *csv.Writer }

// Write writes a line.
func (w sheetWriter) Write(fields []string) error {
	safe := make([]string, len(fields))
	for i, field := range fields {
		safe[i] = sheetText(field)
	}
	return w.Writer.Write(safe)
}

// Raw writes a number for CSV so that it reads back the same; NaN is an empty field.
func Raw(f float64) string {
	switch {
	case math.IsNaN(f):
		return ""
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	default:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
}
