package fl

// Later takes a parameter that has its default out of what identifies a run: one that a component
// did not have once, so that what was computed before is still known.
func (p *Params) Later(name, def string) {
	for k := range p.specs {
		if p.specs[k].Name == name {
			p.specs[k].Later = true
		}
	}
	if p.resolved[name] == def {
		delete(p.resolved, name)
	}
}
