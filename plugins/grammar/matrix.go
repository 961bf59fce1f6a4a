package grammar

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Matrix counts what became of each cell. Its methods may be called concurrently.
type Matrix struct {
	g     *Grammar
	mu    sync.Mutex
	cells map[Cell]*fate
}

// A fate is what became of a cell.
type fate struct {
	equal   int            // how often it did what the compiler makes of it
	differs int            // how often it did something else
	refused map[string]int // how often it was refused, by message
}

// NewMatrix returns a matrix of nothing.
func (g *Grammar) NewMatrix() *Matrix { return &Matrix{g: g, cells: map[Cell]*fate{}} }

func (m *Matrix) note(c Cell, change func(f *fate)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells[c] == nil {
		m.cells[c] = &fate{refused: map[string]int{}}
	}
	change(m.cells[c])
}

// Equal counts a use that did what the compiler makes of it.
func (m *Matrix) Equal(u Use) {
	for _, c := range u.Cells() {
		m.note(c, func(f *fate) { f.equal++ })
	}
}

// Differs counts a use that did something else. It reports whether that is known of one of its
// cells.
func (m *Matrix) Differs(u Use) (known bool) {
	for _, c := range u.Cells() {
		m.note(c, func(f *fate) { f.differs++ })
		known = known || m.g.open[c] != ""
	}
	return known
}

// Refused counts a cell that was refused.
func (m *Matrix) Refused(c Cell, message string) {
	m.note(c, func(f *fate) { f.refused[message]++ })
}

// often is how often a cell is refused before it is given up.
const often = 3

// GivenUp reports whether a cell was refused so often, and never accepted, that it need not be
// tried again.
func (m *Matrix) GivenUp(c Cell) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.cells[c]
	if f == nil || f.equal > 0 || f.differs > 0 {
		return false
	}
	n := 0
	for _, k := range f.refused {
		n += k
	}
	return n >= often
}

// Missing returns the cells of which nothing is known.
func (m *Matrix) Missing() (names []string) {
	for _, c := range m.g.Cells() {
		if m.cells[c] == nil {
			names = append(names, m.g.CellName(c))
		}
	}
	return names
}

// CellName returns how a reader calls a cell.
func (g *Grammar) CellName(c Cell) string {
	p := g.Productions[c.Production]
	return fmt.Sprintf("%s / %s, in context %s", p.Group, p.Name, g.Contexts[c.Context].Name)
}

// Cells returns all cells that Go allows.
func (g *Grammar) Cells() (list []Cell) {
	for i, p := range g.Productions {
		for j, c := range g.Contexts {
			if p.not[c.Name] == "" {
				list = append(list, Cell{i, j})
			}
		}
	}
	return list
}

// A Total is how many cells there are, and what became of them.
type Total struct{ Cells, Equal, Refused, Open, Differ, Impossible int }

// Totals counts the cells of the productions and contexts that a filter takes.
func (m *Matrix) Totals(takes func(p *Production, c Context) bool) (t Total) {
	for i, p := range m.g.Productions {
		for j, c := range m.g.Contexts {
			if !takes(p, c) {
				continue
			}
			f := m.cells[Cell{i, j}]
			if p.not[c.Name] == "" {
				t.Cells++
			}
			switch {
			case p.not[c.Name] != "":
				t.Impossible++
			case f == nil:
			case f.differs > 0 && m.g.open[Cell{i, j}] != "":
				t.Open++
			case f.differs > 0:
				t.Differ++
			case f.equal > 0:
				t.Equal++
			default:
				t.Refused++
			}
		}
	}
	return t
}

// Groups returns the groups of productions, in the order of the alphabet.
func (g *Grammar) Groups() []string {
	seen := map[string]bool{}
	for _, p := range g.Productions {
		seen[p.Group] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// A Refusal is a production that is refused, and with what words.
type Refusal struct {
	Production string // without its type
	Message    string
	Cells      int
}

// Refusals returns the refused productions, for those of whose cells none was accepted.
func (m *Matrix) Refusals() (list []Refusal) {
	at := map[[2]string]int{}
	for _, c := range m.g.Cells() {
		f := m.cells[c]
		if f == nil || f.equal > 0 || f.differs > 0 {
			continue
		}
		p := m.g.Productions[c.Production]
		name, _, _ := strings.Cut(p.Name, " · ")
		at[[2]string{p.Group + ": " + name, oftenest(f.refused)}]++
	}
	for key, n := range at {
		list = append(list, Refusal{key[0], key[1], n})
	}
	slices.SortFunc(list, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Production, b.Production), cmp.Compare(a.Message, b.Message))
	})
	return list
}

// oftenest returns the key with the largest count, the first of equals.
func oftenest(counts map[string]int) (most string) {
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if most == "" || counts[key] > counts[most] {
			most = key
		}
	}
	return most
}
