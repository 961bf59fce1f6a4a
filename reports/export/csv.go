package export

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// csvText returns a text for a cell of CSV: one line in which nothing is hidden, and behind an
// apostrophe where a spreadsheet would take it for a formula, as OWASP advises against CSV
// injection: what begins with =, +, −, @ or their wide forms and is no number.
func csvText(s string) string {
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

// A CSVWriter writes CSV whose texts no spreadsheet takes for formulas.
type CSVWriter struct{ *csv.Writer }

// Write writes a line.
func (w CSVWriter) Write(fields []string) error {
	safe := make([]string, len(fields))
	for i, field := range fields {
		safe[i] = csvText(field)
	}
	return w.Writer.Write(safe)
}

// FormatNumber writes a number for CSV so that it reads back the same; NaN is an empty field.
func FormatNumber(f float64) string {
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

func csvOf(lines [][]string) ([]byte, error) {
	var b bytes.Buffer
	out := CSVWriter{csv.NewWriter(&b)}
	for _, line := range lines {
		if err := out.Write(line); err != nil {
			return nil, err
		}
	}
	out.Flush()
	return b.Bytes(), out.Error()
}
