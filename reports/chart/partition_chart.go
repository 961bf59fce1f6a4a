package chart

import (
	"fmt"
	"slices"
)

// A ClientCounts says how many samples of each class each client has.
type ClientCounts struct {
	Title   string
	Samples [][]int // by client and class
}

// Partition shows the samples of each client: circles by client and class whose areas are numbers
// of samples, with one measure for all panels.
func Partition(dealings []ClientCounts) *Chart {
	c := &Chart{Note: "areas are proportional to numbers of samples"}
	most := 1
	for _, d := range dealings {
		for _, row := range d.Samples {
			most = max(most, slices.Max(append([]int{0}, row...)))
		}
	}
	for _, d := range dealings {
		p := Panel{Title: d.Title, X: Axis{Label: "client", Names: numbers(len(d.Samples))},
			Y: Axis{Label: "class"}}
		m := Mark{Shape: Bubbles, Entry: -1}
		for i, row := range d.Samples {
			p.Y.Names = numbers(max(len(p.Y.Names), len(row)))
			for class, n := range row {
				m.X, m.Y = append(m.X, float64(i)), append(m.Y, float64(class))
				m.Size = append(m.Size, float64(n)/float64(most))
			}
		}
		p.Marks = []Mark{m}
		c.Panels = append(c.Panels, p)
	}
	if len(c.Panels) == 1 {
		c.Panels[0].Title = ""
	}
	c.Note += fmt.Sprintf(", the largest is %d", most)
	return c
}

// numbers returns "0", "1", … as names.
func numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	return names
}
