package corpora

import "strings"

// replaceDirectives makes ordinary comments of directives for the compiler: they say how code is
// generated, not what it computes.
func (a *adapter) replaceDirectives() {
	for _, g := range a.tree.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//line ") {
				a.edit(c.Pos()+2, c.Pos()+2, " ")
			}
		}
	}
}
