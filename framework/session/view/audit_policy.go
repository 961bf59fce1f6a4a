package view

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/study"
)

// policies audits a cell whose p is unattainable with each value of the parameter that says what
// replaces p. Nothing is returned where the values lead to the same weights.
func (a *auditor) policies(i int, f *audit.Finding) ([]audit.Policy, error) {
	if !f.Replaces() {
		return nil, nil
	}
	c := a.x.Cells[i]
	var list []audit.Policy
	policies := a.x.Tools.Registry.AggregatorTraits(c.Picks["aggregator"]).Policies
	for _, param := range slices.Sorted(maps.Keys(policies)) {
		path := "aggregator." + param
		set, _ := c.Param(path)
		chosen, _ := set.(string)
		values := policies[param]
		if !slices.Contains(values, chosen) {
			values = slices.Concat([]string{chosen}, values)
		}
		for _, value := range values {
			one := f
			if value != chosen {
				var err error
				written := a.x.Written[i].With(path, value, study.Span{})
				if one, err = a.findAs(written); err != nil {
					return nil, fmt.Errorf("with %s = %q: %w", param, value, err)
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

// findAs audits a cell that is no cell of the experiment.
func (a *auditor) findAs(c study.Cell) (*audit.Finding, error) {
	setup, resolved, problems := a.x.Tools.Registry.Compose(c)
	if len(problems) > 0 {
		return nil, problems
	}
	f, err := audit.Audit(resolved, &setup, a.o)
	if err != nil {
		return nil, err
	}
	return f, nil
}
