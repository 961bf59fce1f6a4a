package render

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hansa-fl/hansa/reports/table"
)

// DiffText writes what differs in the results of two runs, which are called so, for a terminal.
func DiffText(w io.Writer, d table.ResultDiff, before, after string, o TextOptions) error {
	var b bytes.Buffer
	if len(d.Changes) > 0 {
		lines := [][]string{{"result", before, after, "change", "95 % interval", "seeds"}}
		for i := range d.Changes {
			lines = append(lines, diffLine(&d.Changes[i]))
		}
		if err := writeLines(&b, lines, o.Width); err != nil {
			return err
		}
		wrap(&b, "change: mean of the paired differences over the seeds that both runs have; "+
			"interval by Student's t, not adjusted for the number of comparisons", "", o.Width)
	}
	switch {
	case len(d.Changes) == 0 && d.Same == 0:
		b.WriteString("there are no results to compare\n")
	case len(d.Changes) == 0:
		fmt.Fprintf(&b, "all %d results are the same in every seed, to the last bit\n", d.Same)
	case d.Same > 0:
		fmt.Fprintf(&b, "the same in every seed, to the last bit: %d more\n", d.Same)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// diffLine is the line of one difference.
func diffLine(s *table.ResultChange) []string {
	name := strings.Join(append(append([]string{s.Method}, s.Point...), s.Metric), " · ")
	line := []string{name, "–", "–", "–", "–", fmt.Sprint(s.Seeds)}
	if s.Seeds > 0 {
		line[1], line[2] = smallDigits(s.Before), smallDigits(s.After)
		line[3] = smallDigits(s.Delta)
		if s.Delta > 0 {
			line[3] = "+" + line[3]
		}
	}
	if !math.IsNaN(float64(s.Low)) {
		line[4] = smallDigits(s.Low) + " … " + smallDigits(s.High)
	}
	if s.Lost > 0 {
		line[5] += fmt.Sprintf(", %d only before", s.Lost)
	}
	if s.Gained > 0 {
		line[5] += fmt.Sprintf(", %d only after", s.Gained)
	}
	return line
}

// smallDigits writes a number briefly, however small: a difference of rounding is none of zero.
func smallDigits(x table.Number) string {
	if f := float64(x); f != 0 && math.Abs(f) < 1e-12 {
		return strings.ReplaceAll(fmt.Sprintf("%.3g", f), "-", "−")
	}
	return table.ThreeDigits(float64(x))
}
