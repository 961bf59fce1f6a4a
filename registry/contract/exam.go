package contract

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// An exam is what the entries of one kind are asked.
type exam[T any] struct {
	of     registry.KindOf[T]
	data   bool // whether the kind depends on data and meets every toy that it fits
	checks []check[*subject[T]]
}

func (x exam[T]) requirements() []Requirement { return requirements(x.of.Name, x.checks) }

func (x exam[T]) examine(r *registry.Registry, o Options, toys []*fixture) []Violation {
	var all []Violation
	asked := x.checks
	if o.AtOnce {
		asked = needed(x.checks, asksAtOnce)
	}
	if len(asked) == 0 {
		return nil
	}
	table := x.of.Table(r)
	for _, name := range table.Names() {
		if o.Only != nil && !o.Only(x.of.Name, name) {
			continue
		}
		e, _ := table.Get(name)
		s := &subject[T]{exam: x, entry: e, registry: r, options: o, toys: toys}
		all = append(all, x.entry(s, asked)...)
	}
	return all
}

// entry examines one entry: first what it says of itself, then, by some checks, what it builds.
func (x exam[T]) entry(s *subject[T], checks []check[*subject[T]]) []Violation {
	found := run(entryChecks[T](), s)
	if broken, asked := found["builds"]; asked && broken == "" {
		for _, built := range s.variants {
			answer := run(checks, built)
			for _, c := range checks {
				now, asked := answer[c.name]
				if asked && found[c.name] == "" {
					found[c.name] = built.label(now)
				}
			}
		}
	}
	return x.settle(s.entry, found)
}

// binding lists the checks that no entry may waive: of what it says of itself, and of that a run
// is exact, which is required of all results.
func binding() []string {
	list := []string{readOnly, "repeatable", "state", "references", "forgets", "alone"}
	for _, c := range entryChecks[fl.Metric]() {
		if c.name != "summary" && c.name != "paper" {
			list = append(list, c.name)
		}
	}
	return list
}

// settle sets what was found against what the entry waives. What was written to comes first: the
// rest may follow from it.
func (x exam[T]) settle(e fl.Entry[T], found map[string]string) []Violation {
	var all []Violation
	for _, c := range slices.Concat(entryChecks[T](), x.checks) {
		now, asked := found[c.name]
		_, waived := e.Waives[c.name]
		if waived && asked && now == "" {
			now = "waived, yet it holds: drop the waiver"
		} else if waived {
			continue
		}
		if now != "" {
			all = append(all, Violation{x.of.Name, e.Name, c.name, c.requirement, now,
				!waived && c.name != "length" && !slices.Contains(binding(), c.name)})
		}
	}
	i := slices.IndexFunc(all, func(v Violation) bool { return v.Check == readOnly })
	if i > 0 {
		written := all[i]
		all = slices.Insert(slices.Delete(all, i, i+1), 0, written)
	}
	return all
}
