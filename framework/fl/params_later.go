package fl

// Later takes a parameter that has its default out of what identifies a run: one that a component
// did not have once, so that what was computed before is still known, or that another parameter
// makes idle.
func (p *Params) Later(name string) {
	for k, s := range p.specs {
		if s.Name != name {
			continue
		}
		p.specs[k].Later = true
		if s.Default != nil && p.resolved[name] == canonical(s.Default) {
			delete(p.resolved, name)
		}
	}
}
