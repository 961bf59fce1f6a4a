package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// heading is the title of a table, with its block.
func heading(t *Table) string {
	if len(t.Block) == 0 {
		return t.Title
	}
	if t.Title == "" {
		return infer.Label(t.Block)
	}
	return t.Title + " — " + infer.Label(t.Block)
}

// shortSpreads are the names of what ± is that fit above a table.
var shortSpreads = map[string]string{"sd": "s.d.", "sem": "s.e.m.", "ci": "95 % CI"}

func summary(t *Table) string {
	seeds := t.planned()
	if t.View == Differences && compares(t) {
		seeds = t.pairs("")
	}
	if t.View == Standings {
		seeds = t.within
	}
	if len(seeds) == 0 {
		seeds = []int{len(t.Seeds)}
	}
	text := among(seeds, "seed")
	if t.View == Values || t.View == Courses {
		if slices.Max(seeds) > 1 {
			text += " · mean ± " + shortSpreads[t.Spread]
		}
		if s := t.rounds(); s != nil {
			text += " · " + s.String()
		}
	} else if compares(t) {
		if t.ablates() {
			text = "Δ against what a row changes · " + text
		} else {
			text = "Δ against " + study.OneLine(t.Baseline) + " · " + text
		}
	}
	if t.Conditions > 1 {
		text += " · " + counted(t.Conditions, "condition")
	}
	return text
}

// rounds returns the rounds that all values of a table are of, or nil.
func (t *Table) rounds() *infer.Span {
	if len(t.Columns) == 0 || t.View != Values {
		return nil
	}
	first := t.Columns[0].Rounds
	for i := range t.Columns {
		if s := t.Columns[i].Rounds; s == nil || *s != *first {
			return nil
		}
	}
	return first
}

// head is the heading of a column: the metric, its unit, and which way is better.
func head(c *Column) string {
	text := study.OneLine(c.Metric)
	if c.Unit != "" {
		text += " (" + c.Unit + ")"
	}
	return text + arrow(c.Direction)
}

// arrow says which way is better.
func arrow(d infer.Direction) string {
	switch d {
	case infer.Up:
		return " ↑"
	case infer.Down:
		return " ↓"
	default:
		return ""
	}
}

// numbered returns a footnote behind its number or the sign it explains.
func numbered(n Note) string {
	switch {
	case n.Number > 0:
		return superscript(n.Number) + " " + n.Text
	case n.Term != "":
		return study.OneLine(n.Term) + ": " + n.Text
	default:
		return n.Text
	}
}

// suffixed returns s with the marks of its footnotes.
func suffixed(s string, notes []int) string {
	var marks []string
	for _, n := range notes {
		marks = append(marks, superscript(n))
	}
	return s + before(" ", strings.Join(marks, ","))
}

// superscript writes a number in raised digits.
func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return strings.Map(func(r rune) rune { return raised[r-'0'] }, strconv.Itoa(n))
}

// before returns s behind a separator, or nothing when there is no s.
func before(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}
