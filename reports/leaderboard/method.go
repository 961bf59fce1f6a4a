package leaderboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A method is a page of the site.
type method struct {
	Label      string
	File       string
	Role       string
	Parts      []part
	Parameters []fact
	Results    []methodGroup
	Best       []link // conditions in whose best set it is
	Better     []link // conditions in which it is significantly better than the baseline
	Worse      []link
	Conditions int // in which it is
	Compared   int // of these, in which it is compared with the baseline
	Edge       int // in which a chosen value was the least or the largest that was tried
	Baseline   string
	Audits     []string // commands
	Audited    bool     // some group has what they say
}

// A methodGroup is what a method has in the conditions of a group.
type methodGroup struct {
	Group *group
	Rows  []row // labelled by condition

	Best          int    // of how many it is in the best set
	Compared      int    // in how many it is compared with the baseline
	Better, Worse []link // in which of these it is significantly better or worse

	Audit     []auditRow
	AuditSeed string
}

// A part is a component of a method.
type part struct {
	Component
	Badges []badge
}

// A badge counts evidence of a kind.
type badge struct {
	Kind  string
	Count int
}

// A link goes to a page.
type link struct{ Label, File string }

// gatherMethods makes the pages of methods, in the order of the runs, and lets rows link to them.
func (s *site) gatherMethods() {
	names := namer{}
	for _, g := range s.Groups {
		for _, m := range g.result.Each.Rows {
			if s.method(m.Method) == nil && g.has(m.Method) {
				s.Methods = append(s.Methods, &method{Label: m.Method, Role: m.Role,
					File: names.name("method", m.Method)})
			}
		}
	}
	for _, g := range s.Groups {
		for i := range g.Conditions {
			c := &g.Conditions[i]
			for k := range c.Rows {
				c.Rows[k].File = s.method(c.Rows[k].Label).File
			}
		}
		if g.Heat != nil {
			for i := range g.Heat.Rows {
				g.Heat.Rows[i].File = s.method(g.Heat.Rows[i].Label).File
			}
		}
	}
	for _, m := range s.Methods {
		for _, g := range s.Groups {
			m.add(g)
		}
	}
}

// method returns the page of a method; nil where there is none yet.
func (s *site) method(label string) *method {
	for _, m := range s.Methods {
		if m.Label == label {
			return m
		}
	}
	return nil
}

// has reports whether the group runs a method.
func (g *group) has(label string) bool {
	return slices.ContainsFunc(g.in.Cells, func(c study.Cell) bool { return c.Method == label })
}

// add adds what a method has in a group.
func (m *method) add(g *group) {
	part := methodGroup{Group: g}
	for i := range g.Conditions {
		c := &g.Conditions[i]
		for _, r := range c.Rows {
			if r.Label != m.Label {
				continue
			}
			if len(part.Rows) == 0 && len(m.Results) == 0 {
				m.describe(g, r.cells[0])
			}
			m.count(&r, link{c.Short, c.File})
			part.count(&r, link{c.Short, c.File})
			r.Label, r.File, r.Rule = c.Short, c.File, false
			part.Rows = append(part.Rows, r)
		}
	}
	if len(part.Rows) == 0 {
		return
	}
	m.audit(g, &part)
	m.Results, m.Baseline = append(m.Results, part), cmp.Or(m.Baseline, g.Baseline)
	if g.site.Audit != nil {
		run, k := g.origin(part.Rows[0].cells[0])
		line := g.site.Audit(run, g.site.Runs[run].Cells[k].Method)
		m.Audits = append(m.Audits, g.site.names[run].In(line))
	}
}

// count adds a condition to what is said of the method.
func (m *method) count(r *row, to link) {
	m.Conditions++
	if r.Delta != "" {
		m.Compared++
	}
	if strings.Contains(r.Tuned, edge) {
		m.Edge++
	}
	if r.Best {
		m.Best = append(m.Best, to)
	}
	switch r.Mark {
	case "▲":
		m.Better = append(m.Better, to)
	case "▼":
		m.Worse = append(m.Worse, to)
	}
}

// count adds a condition to those of the group.
func (m *methodGroup) count(r *row, to link) {
	if r.Delta != "" {
		m.Compared++
	}
	if r.Best {
		m.Best++
	}
	switch r.Mark {
	case "▲":
		m.Better = append(m.Better, to)
	case "▼":
		m.Worse = append(m.Worse, to)
	}
}

// Balance is in how many more conditions it is better than in those where it is worse.
func (m *methodGroup) Balance() int { return len(m.Better) - len(m.Worse) }

// Shade is the colour of the balance, as a class of the style sheet; "" where it is 0.
func (m *methodGroup) Shade() string {
	switch b := m.Balance(); {
	case b > 0:
		return fmt.Sprint("up", (4*b+m.Compared-1)/m.Compared)
	case b < 0:
		return fmt.Sprint("down", (-4*b+m.Compared-1)/m.Compared)
	}
	return ""
}

// Of returns what the method has in a group; nil where it has nothing.
func (m *method) Of(g *group) *methodGroup {
	for i := range m.Results {
		if m.Results[i].Group == g {
			return &m.Results[i]
		}
	}
	return nil
}

// describe tells of the components of a method, as its first cell has them.
func (m *method) describe(g *group, cell int) {
	c := &g.in.Cells[cell]
	for _, slot := range study.MethodKeys() {
		pick, ok := c.Picks[slot]
		if !ok {
			continue
		}
		m.part(g.site, kindOf(slot), pick.Name)
		if text := strings.Trim(parameters(c, slot), " ()"); text != "" {
			m.Parameters = append(m.Parameters, fact{slot + " " + pick.Name, g.names.In(text)})
		}
	}
	for _, pick := range c.Preprocess {
		m.part(g.site, "preprocess", pick.Name)
	}
}

// kindOf is the kind of component that a slot has.
func kindOf(slot string) string {
	if slot == "download" {
		return "compressor"
	}
	return slot
}

// plain are components that are no idea of a method.
var plain = map[string]bool{"selection/all": true, "compressor/none": true, "guard/none": true,
	"adversary/none": true}

// part adds a component.
func (m *method) part(s *site, kind, name string) {
	if plain[kind+"/"+name] {
		return
	}
	one := part{Component: Component{Kind: kind, Name: name}}
	if s.Describe != nil {
		one.Component = s.Describe(kind, name)
	}
	for _, e := range one.Evidence {
		k := slices.IndexFunc(one.Badges, func(b badge) bool { return b.Kind == e.Kind })
		if k < 0 {
			k = len(one.Badges)
			one.Badges = append(one.Badges, badge{Kind: e.Kind})
		}
		one.Badges[k].Count++
	}
	m.Parts = append(m.Parts, one)
}

// Share writes how many of the conditions a list has.
func (m *method) Share(list []link) string {
	return fmt.Sprintf("%d of %d", len(list), m.Conditions)
}

// Tests returns how many tests there are of the components.
func (m *method) Tests() (n int) {
	for _, p := range m.Parts {
		n += len(p.Evidence)
	}
	return n
}

// Ranked reports whether the method competes.
func (m *method) Ranked() bool { return infer.Method{Role: m.Role}.Ranked() }

// tunedNote reports whether a footnote says which parameters were chosen.
func tunedNote(text string) bool { return strings.HasPrefix(text, "tuned") }

// joined lists labels.
func joined(labels []string) string { return strings.Join(labels, ", ") }
