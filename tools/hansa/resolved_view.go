package main

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/settings"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// widestValue is how many columns a value may take where many are listed.
const widestValue = 44

// resolvedView returns every value of an experiment once, under what decides it.
func (c *command) resolvedView(x *session.Experiment) string {
	var arms []study.Cell
	for _, i := range x.Arms() {
		arms = append(arms, x.Cells[i])
	}
	all := settings.Sections(arms, x.Seeds())
	var rows [][]string
	for _, s := range all {
		for _, v := range s.Values {
			rows = append(rows, []string{v.Path, phrase.Clip(v.Text, widestValue), v.Origin})
		}
	}
	var b strings.Builder
	lines := strings.SplitAfter(console.Grid(rows, console.Margin, console.Gutter,
		console.WidestText), "\n")
	for _, s := range all {
		b.WriteString("\n" + c.Paint(c.Out, console.Bold, s.Title(arms[s.Arm])) + "\n")
		b.WriteString(strings.Join(lines[:len(s.Values)], ""))
		lines = lines[len(s.Values):]
	}
	return b.String()
}
