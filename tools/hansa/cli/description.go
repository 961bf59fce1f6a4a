package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// Description writes what an entry says of itself, and how an experiment picks it, in lines of at
// most width columns. Shown are a kind and a sentence for every test that shows something of it;
// the name is painted.
func Description(
	e registry.Description, shown [][]string, paint func(name string) string, width int,
) string {
	var b strings.Builder
	title := fmt.Sprintf("%s %s — %s", e.Kind, e.Name, e.Summary)
	head, rest, _ := strings.Cut(console.Paragraph("", title, width), e.Name)
	b.WriteString(head + paint(e.Name) + rest)
	if e.Paper != "" {
		b.WriteString(console.Paragraph(console.Margin, e.Paper, width))
	}
	if len(e.Params) > 0 {
		rows := [][]string{{"parameter", "default", "values", "meaning"}}
		for _, p := range e.Params {
			rows = append(rows, ParameterRow(p, width))
		}
		b.WriteString("\n" + console.Grid(rows, console.Margin, console.Gutter, width))
	}
	if e.Deviations != "" {
		b.WriteString("\n" + console.Paragraph(console.Margin+"Departures: ", e.Deviations+".",
			width))
	}
	for _, s := range e.Says {
		b.WriteString("\n" + console.Paragraph(console.Margin, s, width))
	}
	for _, check := range slices.Sorted(maps.Keys(e.Waives)) {
		b.WriteString("\n" + console.Paragraph(console.Margin+"Waives "+check+": ",
			e.Waives[check]+".", width))
	}
	if len(shown) > 0 {
		rows := append([][]string{{"verified", "what tests show, beyond the contract"}}, shown...)
		b.WriteString("\n" + console.Grid(rows, console.Margin, console.Gutter, width))
	}
	b.WriteString("\n" + Example(e, width))
	return b.String()
}
