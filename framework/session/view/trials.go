package view

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/table"
)

// TrialTitle names the method of trials, and the point of the sweep.
func TrialTitle(s *session.TrialSet) string {
	return (&study.Cell{Method: s.Method, Point: s.Point}).ArmLabel()
}

// TrialRows returns the trials of a method as lines under a head; by is the metric that chooses.
func TrialRows(s *session.TrialSet, by string) [][]string {
	if len(s.Paths) == 0 {
		return [][]string{{"no parameter is tuned"}}
	}
	rows := [][]string{append(append([]string{}, s.Paths...), "rounds", measured(s, by), "sd", "")}
	for k := range s.Trials {
		t := &s.Trials[k]
		var row []string
		for _, v := range t.Values {
			row = append(row, fmt.Sprint(v))
		}
		rows = append(rows, append(row, roundsOf(t.Rounds), figures(t.Mean), figures(t.SD),
			fate(s, k)))
	}
	return rows
}

// measured names the metric that decides between the trials of a method, with its unit.
func measured(s *session.TrialSet, by string) string {
	if s.Unit != "" {
		by += " (" + s.Unit + ")"
	}
	for k, axis := range s.Across {
		by += map[bool]string{true: ", worst over ", false: " and "}[k == 0] + study.LastPart(axis)
	}
	if len(s.Missed) > 0 {
		by += ", without " + table.PointNames(s.Missed)
	}
	return by
}

// fate says what became of a trial.
func fate(s *session.TrialSet, k int) string {
	t := &s.Trials[k]
	switch {
	case k == s.Best && t.Failed:
		return "failed" // as all did
	case k == s.Best && len(t.Lost) > 0:
		return "chosen, though it diverged"
	case k == s.Best:
		return "chosen"
	case len(t.Lost) > 0:
		return "diverged"
	case t.Failed:
		return "failed"
	case t.Mean == nil:
		return "not run yet"
	case t.Stopped:
		return "stopped"
	}
	return ""
}

// roundsOf writes a number of rounds, which is 0 where none is known.
func roundsOf(n int) string {
	if n == 0 {
		return "–"
	}
	return strconv.Itoa(n)
}

// figures writes a value with as many digits as tell settings apart.
func figures(x *float64) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'g', 5, 64)
}

// TrialMarkdown returns lines as a table of Markdown.
func TrialMarkdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.ReplaceAll(strings.Join(row, " \x00 "), "|", `\|`) + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return strings.ReplaceAll(b.String(), "\x00", "|")
}

// TrialCSV returns a line for every trial and seed.
func TrialCSV(sets []session.TrialSet) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"method", "point", "setting", "rounds", "seed", "value", "chosen"}}
	for i := range sets {
		s := &sets[i]
		point := strings.TrimPrefix(TrialTitle(s), s.Method)
		for k := range s.Trials {
			t := &s.Trials[k]
			var words []string
			for n, v := range t.Values {
				words = append(words, study.ValueLabel(s.Paths[n], v))
			}
			for _, seed := range t.Seeds() {
				value := "NaN"
				if x, done := t.Results[seed]; done {
					value = strconv.FormatFloat(x, 'g', -1, 64)
				}
				rows = append(rows, []string{s.Method, strings.TrimPrefix(point, " · "),
					strings.Join(words, ", "), strconv.Itoa(t.Rounds),
					strconv.FormatUint(seed, 10), value, strconv.FormatBool(k == s.Best)})
			}
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return "", fault.Of(err)
	}
	return b.String(), nil
}
