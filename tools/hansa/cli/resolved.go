package cli

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// WidestValue is how many columns a value may take where many are listed.
const WidestValue = 44

// Resolved returns every value of an experiment once, under what decides it, in titles that are
// painted.
func Resolved(x *session.Experiment, title func(text string) string) string {
	var arms []study.Cell
	for _, i := range x.Arms() {
		arms = append(arms, x.Cells[i])
	}
	all := settings.Sections(arms, x.Seeds())
	var rows [][]string
	for _, s := range all {
		for _, v := range s.Values {
			rows = append(rows, []string{v.Path, phrase.Clip(v.Text, WidestValue), v.Origin})
		}
	}
	var b strings.Builder
	lines := strings.SplitAfter(console.Grid(rows, console.Margin, console.Gutter,
		console.WidestText), "\n")
	for _, s := range all {
		b.WriteString("\n" + title(s.Title(arms[s.Arm])) + "\n")
		b.WriteString(strings.Join(lines[:len(s.Values)], ""))
		lines = lines[len(s.Values):]
	}
	return b.String()
}
