package study

import (
	"fmt"
	"slices"
)

// chainKey is the key of a setting that holds components in a row.
const chainKey = "preprocess"

// noChain is how an experiment names a row of none.
const noChain = "none"

// A stack is the preprocessors of the layers of a setting, the lowest first. A layer names them —
// one, or a list — or it is a table without a name, which changes parameters: of the only one, or
// below its name those of any. Which one that is, is known when all layers are in place. A layer
// without a value has an error.
type stack []node

// stacked returns a value as a stack of one layer.
func stacked(n node) node {
	if _, ok := n.value.(stack); ok {
		return n
	}
	return node{n.at, stack{n}}
}

// names reports whether a layer names preprocessors.
func names(layer node) bool {
	t, ok := layer.value.(table)
	_, named := t.get("name")
	return !ok || named
}

// nameOf returns the name of a component, "" when it has none.
func nameOf(n node) string {
	t, _ := component(n)
	return t.text("name")
}

// elements returns the components that a layer names.
func elements(layer node) list {
	if items, ok := layer.value.(list); ok {
		return slices.Clone(items)
	}
	if layer.value == noChain {
		return nil
	}
	return list{layer}
}

// chain checks what is said of preprocessors, and returns it with the wrong layers emptied.
func (r *reader) chain(n node) node {
	v := slices.Clone(stacked(n).value.(stack))
	for i, layer := range v {
		if !r.link(layer) {
			v[i].value = nil
		}
	}
	return node{n.at, v}
}

// link checks one layer.
func (r *reader) link(n node) bool {
	items, many := n.value.(list)
	if !many {
		if _, text := n.value.(string); !text && !isTable(n) {
			r.wrongType(chainKey, "a string, a table with a name or a list of them", n)
			return false
		}
		return r.slot(field{chainKey, n})
	}
	ok := true
	for i, item := range items {
		path := fmt.Sprintf("%s[%d]", chainKey, i)
		switch {
		case item.value == noChain:
			r.fail(item.at.Value, "leave it out", "%s: %q stands for an empty list", path, noChain)
			ok = false
		case isTable(item) && names(item) || !isTable(item):
			ok = r.slot(field{path, item}) && ok
		default:
			r.fail(item.at.Value, "name = \"…\" is missing", "%s: has no name", path)
			ok = false
		}
	}
	return ok
}

func isTable(n node) bool {
	_, ok := n.value.(table)
	return ok
}

// A row is the preprocessors that a stack resolves to.
type row struct {
	items  list
	told   []field // parameters below names
	under  table   // the same, one below a name, for preprocessors that a later layer names
	own    table   // parameters of the only one, which a later layer names
	vague  []field // parameters of the only one of several
	unused []field // parameters of no preprocessor
}

// row returns the preprocessors that a stack names, with their parameters; nothing where a layer
// has an error. Known are the names of all preprocessors of the experiment: they distinguish a name
// from a parameter that is a table.
func (v stack) row(known []string) (r row) {
	named := false
	for _, layer := range v {
		if layer.value == nil {
			return row{}
		}
		if names(layer) {
			r.call(layer)
			named = true
			continue
		}
		for _, f := range layer.value.(table) {
			if isTable(f.node) && slices.Contains(known, f.key) {
				r.tell(f)
			} else if !named {
				r.own = append(r.own, f)
			} else {
				r.turn(f)
			}
		}
	}
	r.unused = append(r.unused, r.own...)
	for _, f := range r.told {
		if !slices.ContainsFunc(r.items, func(n node) bool { return nameOf(n) == f.key }) {
			r.unused = append(r.unused, f)
		}
	}
	return r
}

// call takes the preprocessors that a layer names: one of the same name keeps its parameters,
// as everywhere; others get those that wait for them.
func (r *row) call(layer node) {
	items := elements(layer)
	if _, many := layer.value.(list); !many && len(items) == 1 && len(r.items) == 1 &&
		nameOf(items[0]) == nameOf(r.items[0]) {
		r.items = list{merge(r.items[0], items[0])}
		return
	}
	r.items = items
	for i, item := range items {
		if waiting, ok := r.under.get(nameOf(item)); ok {
			r.items[i] = merge(waiting, item)
		}
	}
	switch own := r.own; {
	case len(items) == 1 && own != nil:
		r.items[0] = merge(node{own[0].at, own}, r.items[0])
		r.own = nil
	case len(items) > 1:
		r.vague, r.own = append(r.vague, own...), nil
	}
}

// tell sets parameters of the preprocessors of a name, present ones and later ones.
func (r *row) tell(f field) {
	r.told, r.under = append(r.told, f), layer(r.under, table{f})
	for i, item := range r.items {
		if nameOf(item) == f.key {
			r.items[i] = merge(item, f.node)
		}
	}
}

// turn changes a parameter of the only one.
func (r *row) turn(f field) {
	switch len(r.items) {
	case 0:
		r.unused = append(r.unused, f)
	case 1:
		r.items[0] = merge(r.items[0], node{f.at, table{f}})
	default:
		r.vague = append(r.vague, f)
	}
}

// edit replaces what stands at a path in the layers that write exactly that.
func (v stack) edit(path []string, by node) (stack, bool) {
	v = slices.Clone(v)
	found := false
	for i, layer := range v {
		var ok bool
		if v[i], ok = editLink(layer, path, by); ok {
			found = true
		}
	}
	return v, found
}

// editLink replaces what stands at a path in one layer.
func editLink(n node, path []string, by node) (node, bool) {
	if !names(n) {
		return edit(n, path, by)
	}
	items, found := elements(n), false
	for i, item := range items {
		var ok bool
		if nameOf(item) == path[0] && len(path) > 1 {
			items[i], ok = edit(item, path[1:], by)
		} else if len(items) == 1 {
			items[i], ok = edit(item, path, by)
		}
		found = found || ok
	}
	if _, many := n.value.(list); found && !many {
		return items[0], true
	}
	if found {
		n.value = items
	}
	return n, found
}

// collide reports whether two layers of one table cannot both stand.
func collide(a, b node) bool {
	if names(a) && names(b) {
		return true
	}
	if names(b) {
		a, b = b, a
	}
	if !names(a) {
		return clash(a, b)
	}
	t := b.value.(table)
	items := elements(a)
	return slices.ContainsFunc(items, func(item node) bool {
		told, ok := t.get(nameOf(item))
		return ok && isTable(told) && clash(item, told) || len(items) == 1 && clash(item, b)
	})
}

// chained appends the names of the preprocessors of a setting, each once.
func chained(to []string, setting table) []string {
	n, _ := setting.get(chainKey)
	v, _ := n.value.(stack)
	for _, layer := range v {
		if layer.value != nil && names(layer) {
			for _, item := range elements(layer) {
				if name := nameOf(item); !slices.Contains(to, name) {
					to = append(to, name)
				}
			}
		}
	}
	return to
}

// preprocessors returns the names of all preprocessors of an experiment.
func (s *Spec) preprocessors() []string {
	all := chained(nil, s.setting)
	for _, a := range s.Axes {
		for _, p := range a.points {
			all = chained(all, p.set)
		}
	}
	for _, a := range s.arms {
		for _, set := range a.sets {
			all = chained(all, set)
		}
	}
	return all
}
