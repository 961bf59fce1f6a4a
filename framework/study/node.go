package study

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A node is a value of an experiment file together with where it was written.
type node struct {
	at    Span
	value any // int64, float64, bool, string, time.Time, list or table; nil once found wrong
}

// A list is an array of an experiment file.
type list []node

// A table keeps its keys in the order of the file. It is never changed in place.
type table []field

// A field is a key of a table with its value.
type field struct {
	key string
	node
}

// index returns where a key stands, −1 when it does not.
func (t table) index(key string) int {
	for i := range t {
		if t[i].key == key {
			return i
		}
	}
	return -1
}

// get returns the value at a key.
func (t table) get(key string) (node, bool) {
	if i := t.index(key); i >= 0 {
		return t[i].node, true
	}
	return node{}, false
}

// text returns the string at a key, "" when there is none.
func (t table) text(key string) string {
	n, _ := t.get(key)
	v, _ := n.value.(string)
	return v
}

// number returns the number at a key, 0 when there is none.
func (t table) number(key string) float64 {
	n, _ := t.get(key)
	switch v := n.value.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// flag returns the boolean at a key, false when there is none.
func (t table) flag(key string) bool {
	n, _ := t.get(key)
	v, _ := n.value.(bool)
	return v
}

// whole returns the integer at a key, 0 when there is none.
func (t table) whole(key string) int {
	n, _ := t.get(key)
	v, _ := n.value.(int64)
	return int(v)
}

// with returns the table with another value at a key.
func (t table) with(key string, n node) table {
	out := slices.Clone(t)
	if i := out.index(key); i >= 0 {
		out[i].node = n
		return out
	}
	return append(out, field{key, n})
}

// split returns the fields with the given keys, and the others.
func (t table) split(keys ...string) (named, others table) {
	for _, f := range t {
		if slices.Contains(keys, f.key) {
			named = append(named, f)
		} else {
			others = append(others, f)
		}
	}
	return named, others
}

// nest returns the value at the end of a path of tables.
func nest(path []string, n node) table {
	t := table{{path[len(path)-1], n}}
	for _, key := range slices.Backward(path[:len(path)-1]) {
		t = table{{key, node{n.at, t}}}
	}
	if isRow(path[0]) {
		t[0].node = stacked(path[0], t[0].node)
	}
	return t
}

// component returns what describes a component: a string is a table with only a name.
func component(n node) (table, bool) {
	switch v := n.value.(type) {
	case string:
		return table{{"name", n}}, true
	case table:
		return v, true
	}
	return nil, false
}

// layer returns the table over laid on the table under, key by key.
func layer(under, over table) table {
	out := append(make(table, 0, len(under)+len(over)), under...)
	for _, f := range over {
		if i := out.index(f.key); i >= 0 {
			out[i].node = merge(out[i].node, f.node)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// merge returns the value over laid on the value under. Components meet by name: without
// a name, or with the same one, the upper changes parameters only; with another name it
// drops those of the lower. All other values are replaced.
func merge(under, over node) node {
	if a, ok := under.value.(stack); ok {
		if b, ok := over.value.(stack); ok {
			return node{over.at, stack{a.key, slices.Concat(a.layers, b.layers)}}
		}
	}
	a, okA := component(under)
	b, okB := component(over)
	old, name := a.text("name"), b.text("name")
	_, textA := under.value.(string)
	_, textB := over.value.(string)
	switch {
	case under.value == nil && okB && name == "":
		return under // a component already found wrong: its parameters cannot be judged
	case !okA || !okB || textA && textB || old != "" && name != "" && old != name:
		return over
	case name == "":
		return node{under.at, layer(a, b)}
	}
	return node{over.at, layer(a, b)}
}

// edit returns the value with whatever stands at the path replaced by another node, in
// every element where the path leads through a list. It reports whether the path was
// there.
func edit(n node, path []string, by node) (node, bool) {
	if len(path) == 0 {
		if v, ok := n.value.(stack); ok {
			by = stacked(v.key, by)
		}
		return by, true
	}
	found := false
	switch v := n.value.(type) {
	case stack:
		n.value, found = v.edit(path, by)
	case table:
		if child, ok := v.get(path[0]); ok {
			if child, found = edit(child, path[1:], by); found {
				n.value = v.with(path[0], child)
			}
		}
	case list:
		v = slices.Clone(v)
		for i := range v {
			var ok bool
			v[i], ok = edit(v[i], path, by)
			found = found || ok
		}
		n.value = v
	}
	return n, found
}

// plain returns the value as a Pick holds it.
func plain(n node) any {
	switch v := n.value.(type) {
	case list:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case table:
		return plainTable(v)
	}
	return n.value
}

func plainTable(t table) map[string]any {
	out := make(map[string]any, len(t))
	for _, f := range t {
		out[f.key] = plain(f.node)
	}
	return out
}

// trace records where a value and everything in it was written.
func trace(origins map[string]Span, path string, n node) {
	origins[path] = n.at
	switch v := n.value.(type) {
	case list:
		for i := range v {
			trace(origins, path+"["+strconv.Itoa(i)+"]", v[i])
		}
	case table:
		for _, f := range v {
			trace(origins, path+"."+f.key, f.node)
		}
	}
}

// written returns a value as a label shows it: text bare, a component by its name.
func written(v any) string {
	switch v := v.(type) {
	case string:
		if strings.ContainsFunc(v, Hidden) {
			return strconv.Quote(v)
		}
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return numeral(v)
	case list:
		var items []string
		for _, n := range v {
			items = append(items, written(n.value))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case table:
		if name, ok := v.get("name"); ok {
			return written(name.value)
		}
		var fields []string
		for _, f := range v {
			fields = append(fields, f.key+" = "+written(f.value))
		}
		return strings.Join(fields, ", ")
	}
	return ""
}

// show returns how a value is called in a message.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + strconv.Quote(v)
	case list:
		return "a list"
	case table:
		return "a table"
	case time.Time:
		return "a date"
	case float64:
		if text := numeral(v); strings.Trim(text, "-0123456789") == "" {
			return text + ".0" // so that it does not look like an integer
		}
	}
	return written(v)
}

// numeral returns the shortest text of a number, 1e-9 rather than 1e-09.
func numeral(x float64) string {
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(x, 'g', -1, 64), "e")
	if !ok {
		return mantissa
	}
	sign := strings.TrimPrefix(exponent[:1], "+")
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}
