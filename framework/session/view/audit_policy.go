package view

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// policies audits a cell whose p is unattainable with each value of the parameter that says what
// replaces p. Nothing is returned where the values lead to the same weights.
func (a *auditor) policies(i int, f *audit.Finding) ([]audit.Policy, error) {
	if !f.Replaces() {
		return nil, nil
	}
	const slot = "aggregator"
	c := a.x.Cells[i]
	entry, _ := a.x.Tools.Registry.Aggregators.Get(c.Picks[slot].Name)
	var list []audit.Policy
	policies := fl.TraitsOf[fl.AggregatorTraits](entry).Policies
	for _, param := range slices.Sorted(maps.Keys(policies)) {
		chosen, _ := c.Picks[slot].Params[param].(string)
		values := policies[param]
		if !slices.Contains(values, chosen) {
			values = slices.Concat([]string{chosen}, values)
		}
		for _, value := range values {
			one := f
			if value != chosen {
				var err error
				if one, err = a.findWith(a.x.Written[i], slot, param, value); err != nil {
					return nil, err
				}
			}
			if p, ok := audit.NewPolicy(param, value, one); ok {
				list = append(list, p)
			}
		}
	}
	differs := slices.ContainsFunc(list, func(p audit.Policy) bool {
		return p.TV != list[0].TV || p.Speaking != list[0].Speaking
	})
	if !differs {
		return nil, nil
	}
	return list, nil
}

// findWith audits a cell with another value of one parameter.
func (a *auditor) findWith(c study.Cell, slot, param, value string) (*audit.Finding, error) {
	pick := c.Picks[slot]
	params := map[string]any{param: value}
	for k, v := range pick.Params {
		if k != param {
			params[k] = v
		}
	}
	c.Picks = maps.Clone(c.Picks)
	c.Picks[slot] = study.Pick{Name: pick.Name, Params: params}
	setup, resolved, problems := a.x.Tools.Registry.Compose(c)
	if len(problems) > 0 {
		return nil, problems
	}
	f, err := audit.Audit(resolved, &setup, a.o)
	if err != nil {
		return nil, fmt.Errorf("with %s = %q: %w", param, value, err)
	}
	return f, nil
}
