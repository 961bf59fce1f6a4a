package page

import "slices"

// discreet returns a page for what leaves this machine: its texts, but for the sources of
// strategies, have no absolute paths.
func (p *Page) discreet() *Page {
	names, out := p.Input.Paths(), *p
	out.Input = p.Input.Discreet()
	facts := func(list []Fact) []Fact {
		list = slices.Clone(list)
		for i := range list {
			list[i].Text = names.In(list[i].Text)
		}
		return list
	}
	out.Worldless, out.PlansNote = names.In(p.Worldless), names.In(p.PlansNote)
	out.Resume, out.Facts = names.In(p.Resume), facts(p.Facts)
	out.Gaps = slices.Clone(p.Gaps)
	for i := range out.Gaps {
		g := &out.Gaps[i]
		g.Cell, g.Why, g.Command = names.In(g.Cell), names.In(g.Why), names.In(g.Command)
	}
	out.Strategies = slices.Clone(p.Strategies)
	for i := range out.Strategies {
		s := &out.Strategies[i]
		s.Path, s.Note = names.In(s.Path), names.In(s.Note)
	}
	s := &out.Settings
	s.Sweep = facts(s.Sweep)
	s.Groups = slices.Clone(s.Groups)
	for i := range s.Groups {
		g := &s.Groups[i]
		g.Title, g.Values = names.In(g.Title), facts(g.Values)
	}
	s.Differ = slices.Clone(s.Differ)
	for i := range s.Differ {
		s.Differ[i] = slices.Clone(s.Differ[i])
		for k := range s.Differ[i] {
			s.Differ[i][k] = names.In(s.Differ[i][k])
		}
	}
	if p.World != nil {
		w := *p.World
		w.Findings = slices.Clone(w.Findings)
		for i := range w.Findings {
			f := &w.Findings[i]
			f.Why, f.Notes, f.Point = names.In(f.Why), slices.Clone(f.Notes), slices.Clone(f.Point)
			for k := range f.Notes {
				f.Notes[k] = names.In(f.Notes[k])
			}
			for k := range f.Point {
				f.Point[k].Label = names.In(f.Point[k].Label)
			}
		}
		w.Dealings = slices.Clone(w.Dealings)
		for i := range w.Dealings {
			w.Dealings[i].Title = names.In(w.Dealings[i].Title)
		}
		out.World = &w
	}
	return &out
}
