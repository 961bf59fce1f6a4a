package grammar

import (
	"fmt"
	"strings"
)

// Size says how many productions and cells there are.
func (g *Grammar) Size() string {
	return fmt.Sprintf("%d productions in %d contexts, %d cells",
		len(g.Productions), len(g.Contexts), len(g.Cells()))
}

// Report returns the matrix for a reader, as Markdown: by groups of productions, then what is
// refused, what is open and what is impossible.
func (m *Matrix) Report() string {
	var b strings.Builder
	all := m.Totals(func(*Production, Context) bool { return true })
	fmt.Fprintf(&b, "%s: %s.\n\n", m.g.Size(), all)
	b.WriteString("| productions |")
	for _, c := range m.g.Contexts {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(m.g.Contexts)) + "\n")
	for _, group := range m.g.Groups() {
		fmt.Fprintf(&b, "| %s |", group)
		for _, context := range m.g.Contexts {
			t := m.Totals(func(p *Production, c Context) bool {
				return p.Group == group && c.Name == context.Name
			})
			b.WriteString(" " + t.short() + " |")
		}
		b.WriteByte('\n')
	}
	m.lists(&b)
	return b.String()
}

// missed is how many cells no program hit.
func (t Total) missed() int { return t.Cells - t.Equal - t.Refused - t.Open - t.Differ }

// String implements fmt.Stringer.
func (t Total) String() string {
	const layout = "%d equal, %d refused, %d open, %d different, %d missed; %d impossible in Go"
	return fmt.Sprintf(layout, t.Equal, t.Refused, t.Open, t.Differ, t.missed(), t.Impossible)
}

// short returns what fits into a table.
func (t Total) short() string {
	parts := []string{fmt.Sprint(t.Equal)}
	for _, part := range []struct {
		n    int
		what string
	}{{t.Refused, "refused"}, {t.Open, "open"}, {t.Differ, "different"},
		{t.Impossible, "impossible"}, {t.missed(), "missed"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// lists writes what is refused, open and impossible.
func (m *Matrix) lists(b *strings.Builder) {
	if list := m.Refusals(); len(list) > 0 {
		b.WriteString("\n| refused | cells | what hansa says |\n|---|---:|---|\n")
		for _, r := range list {
			fmt.Fprintf(b, "| %s | %d | %s |\n", escape(r.Production), r.Cells, escape(r.Message))
		}
	}
	open := m.tally(func(_ *Production, c Cell) string {
		if f := m.cells[c]; f == nil || f.differs == 0 {
			return ""
		}
		return m.g.open[c]
	})
	table(b, "open: accepted, and wrong", "what is wrong", open)
	table(b, "impossible", "why", m.tally(func(p *Production, c Cell) string {
		why := p.not[m.g.Contexts[c.Context].Name]
		if why == "" {
			return ""
		}
		return m.g.Contexts[c.Context].Name + ": " + why
	}))
}

// A counted is a production for which something holds in some cells.
type counted struct {
	production, why string
	cells           int
}

// tally returns the productions for which something can be said, without their types.
func (m *Matrix) tally(why func(p *Production, c Cell) string) (list []counted) {
	at := map[counted]int{}
	for i, p := range m.g.Productions {
		for j := range m.g.Contexts {
			said := why(p, Cell{i, j})
			if said == "" {
				continue
			}
			name, _, _ := strings.Cut(p.Group+": "+p.Name, " · ")
			key := counted{production: name, why: said}
			if _, ok := at[key]; !ok {
				at[key] = len(list)
				list = append(list, key)
			}
			list[at[key]].cells++
		}
	}
	return list
}

// table writes a list as a table.
func table(b *strings.Builder, what, why string, list []counted) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | cells | %s |\n|---|---:|---|\n", what, why)
	for _, c := range list {
		fmt.Fprintf(b, "| %s | %d | %s |\n", escape(c.production), c.cells, escape(c.why))
	}
}

// escape keeps a text from ending a cell of a table.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
