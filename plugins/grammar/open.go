package grammar

import (
	_ "embed" // for the table
	"fmt"
	"strings"
)

//go:embed open.txt
var openTable string

// readOpen returns the cells that are known to differ, and why.
func (g *Grammar) readOpen() (map[Cell]string, error) {
	open := map[Cell]string{}
	for line := range strings.Lines(openTable) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 3 || strings.HasPrefix(line, "What is accepted") {
			continue
		}
		found := false
		for _, c := range g.Cells() {
			p := g.Productions[c.Production]
			full := p.Group + " / " + p.Name
			plain, _, _ := strings.Cut(full, " · ")
			context := g.Contexts[c.Context].Name
			if (parts[0] == full || parts[0] == plain) && (parts[1] == "*" || parts[1] == context) {
				open[c], found = parts[2], true
			}
		}
		if !found {
			return nil, fmt.Errorf("open.txt: there is no %s in context %s", parts[0], parts[1])
		}
	}
	return open, nil
}

// Forms of operands that are left out while the production that is about them is open: they may
// occur in every cell.
const (
	formLiteralCall = "call / of a function literal at once, as an operand"
	formMethodLogic = "operator / && and || of a method of a literal"
	formBool        = "conversion / to bool of a bool"
	formCompare     = "operator / == and != of && and ||"
)

// openForms returns the productions of which cells are open.
func (g *Grammar) openForms() map[string]bool {
	forms := map[string]bool{}
	for c := range g.open {
		p := g.Productions[c.Production]
		forms[p.Group+" / "+p.Name] = true
	}
	return forms
}

// Closed returns what the table of open cells says of productions that were accepted and of which
// no cell differs any more.
func (m *Matrix) Closed() (names []string) {
	differ, equal := map[string]bool{}, map[string]string{}
	for c, why := range m.g.open {
		switch f := m.cells[c]; {
		case f != nil && f.differs > 0:
			differ[why] = true
		case f != nil && f.equal > 0:
			equal[why] = m.g.CellName(c)
		}
	}
	for why, name := range equal {
		if !differ[why] {
			names = append(names, name+": "+why)
		}
	}
	return names
}
