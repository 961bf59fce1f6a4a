package study

import (
	"fmt"
	"slices"
	"strconv"
)

// chainKey is the key of a setting that holds preprocessors.
const chainKey = "preprocess"

// rowed are the keys of a setting that can hold components in a row, each with the component that
// a list stands for: of models every client draws one, and guards follow one another. Preprocessors
// are always a row.
var rowed = map[string]string{chainKey: "", "model": "mixed", "guard": "chain"}

// listKey is the parameter of such a component that holds the row.
const listKey = "of"

// isRow reports whether a key can hold components in a row.
func isRow(key string) bool {
	_, ok := rowed[key]
	return ok
}

// memberOf is what one component of a row is called.
func memberOf(key string) string {
	if key == chainKey {
		return "preprocessor"
	}
	return key
}

// noChain is how an experiment names a row of no preprocessors.
const noChain = "none"

// A stack is what the layers of a setting say of components in a row, the lowest first. A layer
// names them — one, or a list — or it is a table without a name, which changes parameters: of the
// only one, or below its name, or its number from 0, those of any. Which one that is, is known when
// all layers are in place. A layer without a value has an error.
type stack struct {
	key    string // one of rowed
	layers []node
}

// stacked returns a value at a key as a stack of one layer.
func stacked(key string, n node) node {
	if _, ok := n.value.(stack); ok {
		return n
	}
	return node{n.at, stack{key, []node{n}}}
}

// names reports whether a layer names components.
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

// elements returns the components that a layer names, and whether it names them in a list.
func (v stack) elements(layer node) (items list, many bool) {
	t, _ := layer.value.(table)
	in, has := t.get(listKey)
	items, many = in.value.(list)
	if has && many && len(t) == 2 && t.text("name") == rowed[v.key] { // what a list stands for
		return slices.Clone(items), true
	}
	if items, many = layer.value.(list); many {
		return slices.Clone(items), true
	}
	if v.key == chainKey && layer.value == noChain {
		return nil, true
	}
	return list{layer}, false
}

// chosen returns the elements of a list that a key means.
func chosen(items list, key string) []int {
	all := make([]string, len(items))
	for k, item := range items {
		all[k] = nameOf(item)
	}
	return meant(all, key)
}

// stack checks what is said of components in a row, and returns it with the wrong layers emptied.
func (r *reader) stack(f field) node {
	v := stacked(f.key, f.node).value.(stack)
	v.layers = slices.Clone(v.layers)
	for i, layer := range v.layers {
		if !r.link(f.key, layer) {
			v.layers[i].value = nil
		}
	}
	return node{f.at, v}
}

// link checks one layer.
func (r *reader) link(key string, n node) bool {
	items, many := n.value.(list)
	if !many {
		if _, text := n.value.(string); !text && !isTable(n) {
			r.wrongType(key, "a string, a table with a name or a list of them", n)
			return false
		}
		return r.slot(field{key, n})
	}
	if rowed[key] != "" { // whose components are checked where they are built
		return r.values(key+"."+listKey, n)
	}
	ok := true
	for i, item := range items {
		path := fmt.Sprintf("%s[%d]", key, i)
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

// A row is the components that a stack resolves to.
type row struct {
	items  list
	many   bool    // they are named in a list
	at     Span    // of what names them
	told   []field // parameters below names and numbers
	under  table   // the same, one below a key, for components that a later layer names
	own    table   // parameters of the only one, which a later layer names
	vague  []field // parameters of the only one of several
	unused []field // parameters of no component
}

// row returns the components that a stack names, with their parameters; nothing where a layer
// has an error. Known are the names of all that the experiment has at the key: they distinguish a
// name from a parameter that is a table.
func (v stack) row(known []string) (r row) {
	named := false
	for _, layer := range v.layers {
		if layer.value == nil {
			return row{}
		}
		if names(layer) {
			r.call(v, layer)
			named = true
			continue
		}
		for _, f := range layer.value.(table) {
			if _, list := f.value.(list); list && f.key == listKey && rowed[v.key] != "" {
				r.call(v, f.node)
				named = true
			} else if isTable(f.node) && (slices.Contains(known, f.key) || isNumber(f.key)) {
				r.tell(f)
			} else if !named {
				r.own = append(r.own, f)
			} else {
				r.turn(f)
			}
		}
	}
	below := !slices.ContainsFunc(r.own, func(f field) bool { return !isTable(f.node) })
	if !named && below && len(known) > 0 { // names that are misspelt
		r.told, r.own = append(r.told, r.own...), nil
	}
	if named || rowed[v.key] == "" { // else the component is said to have no name
		r.unused = append(r.unused, r.own...)
	}
	for _, f := range r.told {
		if chosen(r.items, f.key) == nil {
			r.unused = append(r.unused, f)
		}
	}
	return r
}

// isNumber reports whether a key is the number of a component in a row.
func isNumber(key string) bool {
	k, err := strconv.Atoi(key)
	return err == nil && k >= 0 && strconv.Itoa(k) == key
}

// call takes the components that a layer names: one of the same name keeps its parameters,
// as everywhere; others get those that wait for them.
func (r *row) call(v stack, layer node) {
	items, many := v.elements(layer)
	if !many && len(r.items) == 1 && nameOf(items[0]) == nameOf(r.items[0]) {
		r.items = list{merge(r.items[0], items[0])}
		return
	}
	r.items, r.many, r.at = items, many, layer.at
	for _, waiting := range r.under {
		for _, i := range chosen(items, waiting.key) {
			r.items[i] = merge(waiting.node, items[i])
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

// tell sets parameters of the components that a key means, present ones and later ones.
func (r *row) tell(f field) {
	r.told, r.under = append(r.told, f), layer(r.under, table{f})
	for _, i := range chosen(r.items, f.key) {
		r.items[i] = merge(r.items[i], f.node)
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
	v.layers = slices.Clone(v.layers)
	found := false
	for i, layer := range v.layers {
		var ok bool
		if v.layers[i], ok = v.editLink(layer, path, by); ok {
			found = true
		}
	}
	return v, found
}

// editLink replaces what stands at a path in one layer.
func (v stack) editLink(n node, path []string, by node) (node, bool) {
	if !names(n) {
		return edit(n, path, by)
	}
	items, many := v.elements(n)
	found := false
	for i, item := range items {
		var ok bool
		if len(path) > 1 && slices.Contains(chosen(items, path[0]), i) {
			items[i], ok = edit(item, path[1:], by)
		} else if len(items) == 1 {
			items[i], ok = edit(item, path, by)
		}
		found = found || ok
	}
	switch {
	case !found && isTable(n):
		return edit(n, path, by)
	case !found:
		return n, false
	case !many:
		return items[0], true
	case isTable(n):
		n.value = n.value.(table).with(listKey, node{n.at, items})
	default:
		n.value = items
	}
	return n, found
}

// collide reports whether two layers of one table cannot both stand.
func (v stack) collide(a, b node) bool {
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
	items, _ := v.elements(a)
	if len(items) == 1 && clash(items[0], b) {
		return true
	}
	return slices.ContainsFunc(t, func(f field) bool {
		return isTable(f.node) && slices.ContainsFunc(chosen(items, f.key), func(i int) bool {
			return clash(items[i], f.node)
		})
	})
}

// called appends the names of the components that a setting has at a key, each once.
func called(to []string, key string, setting table) []string {
	n, _ := setting.get(key)
	v, _ := n.value.(stack)
	for _, layer := range v.layers {
		if layer.value == nil || !names(layer) {
			continue
		}
		items, _ := v.elements(layer)
		for _, item := range items {
			if name := nameOf(item); !slices.Contains(to, name) {
				to = append(to, name)
			}
		}
	}
	return to
}

// rowNames returns the names of all components of an experiment by the key at which they are.
func (s *Spec) rowNames() map[string][]string {
	all := map[string][]string{}
	for key := range rowed {
		names := called(nil, key, s.setting)
		for _, a := range s.Axes {
			for _, p := range a.points {
				names = called(names, key, p.set)
			}
		}
		for _, a := range s.arms {
			for _, set := range a.sets {
				names = called(names, key, set)
			}
		}
		all[key] = names
	}
	return all
}
