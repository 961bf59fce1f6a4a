package study

import (
	"maps"
	"slices"
	"strconv"
)

// Within returns the component that the value of a parameter is, as a resolved Pick holds it; false
// where it is none.
func Within(v any) (p Pick, ok bool) {
	t, _ := v.(map[string]any)
	if p.Name, ok = t["name"].(string); ok {
		p.Params = maps.Clone(t)
		delete(p.Params, "name")
	}
	return p, ok
}

// Members returns the components that the value of a parameter is a list of, as a resolved Pick
// holds it; nil where it is none.
func Members(v any) (all []Pick) {
	items, _ := v.([]any)
	for _, item := range items {
		one, ok := Within(item)
		if !ok {
			return nil
		}
		all = append(all, one)
	}
	return all
}

// MemberPath returns the path of a member of a list, the parameter called key of a component at a
// path: "guard.clip", for the list of a chain of guards is that of the slot.
func MemberPath(at string, of Pick, key, member string) string {
	if key == listKey && of.Name == rowed[at] {
		return at + "." + member
	}
	return at + "." + key + "." + member
}

// Paths returns the paths of the parameters of a slot of a resolved cell, those of components
// within it included. A member of a list goes by its name, or by its number where others are called
// so, too.
func (c *Cell) Paths(slot string) []string { return paths(nil, slot, c.Picks[slot]) }

// paths appends those of the parameters of a component at a path.
func paths(to []string, at string, of Pick) []string {
	for _, key := range slices.Sorted(maps.Keys(of.Params)) {
		if key == SourceKey {
			continue
		}
		path, v := at+"."+key, of.Params[key]
		if inner, ok := Within(v); ok {
			to = paths(append(to, path), path, inner)
			continue
		}
		members := Members(v)
		if members == nil {
			to = append(to, path)
		}
		for k, one := range members {
			name := one.Name
			if others := func(p Pick) bool { return p.Name == name }; slices.ContainsFunc(
				slices.Concat(members[:k], members[k+1:]), others) {
				name = strconv.Itoa(k)
			}
			to = paths(to, MemberPath(at, of, key, name), one)
		}
	}
	return to
}
