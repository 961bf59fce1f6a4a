package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Overrides are what the command line changes in an experiment file.
type Overrides struct {
	With  []Addition // methods beside those of the file
	Set   []string   // "KEY=VALUE" or "LABEL: KEY=VALUE", each; later ones win
	Seeds string     // "5" or "0,3,7"; empty leaves those of the file
}

// An Addition is a method of the user's strategies, with their default parameters.
type Addition struct {
	Plugin string // file or folder, as seen from the current folder
	Label  string
	Parts  []Part // in the order of the strategy
}

// A Part is the name of a component for one of MethodKeys, metrics aside.
type Part struct{ Slot, Name string }

// Where values come from that are not in the file.
var (
	fromWith  = origin("--with")
	fromSet   = origin("--set")
	fromSeeds = origin("--seeds")
	byDefault = origin("default")
)

func origin(file string) Span { return Span{Key: Pos{File: file}, Value: Pos{File: file}} }

// settable are the keys at the top of the file that the command line may set.
var settable = []string{"title", "paper", "seeds", "report", "tune"}

// override changes a draft as the command line says.
func (r *reader) override(d *draft, o Overrides) {
	for _, a := range o.With {
		d.add(a)
	}
	for _, s := range o.Set {
		label, assignment := d.addressee(s)
		key, value, ok := strings.Cut(assignment, "=")
		key = strings.TrimSpace(key)
		n, valid := literal(value, fromSet)
		if !ok || !isPath(key) || !valid {
			r.fail(fromSet.Value, "want KEY=VALUE or \"LABEL: KEY=VALUE\"; "+
				"VALUE is TOML or a bare word", "cannot read %q", s)
			continue
		}
		path := strings.Split(strings.TrimPrefix(key, "setting."), ".")
		if beyond := bounded(path[len(path)-1], n); beyond != nil {
			r.problems = append(r.problems, beyond...)
			continue
		}
		switch {
		case label != "":
			r.setIn(d, label, path, n)
		case slices.Contains(settable, path[0]):
			d.top = assign(d.top, path, n)
		case !slices.Contains(settingKeys, path[0]):
			known := slices.Concat(settable, settingKeys)
			hint := r.suggest(key, known)
			if near, ok := r.near(key, known, r.params); ok {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			r.fail(fromSet.Value, hint, "unknown key %q", key)
		case !d.replace(path, n):
			d.setting = layer(d.setting, nest(path, n))
		}
	}
	if o.Seeds != "" {
		r.overrideSeeds(d, o.Seeds)
	}
}

// add adds a method.
func (d *draft) add(a Addition) {
	e := entry{at: fromWith, head: table{{"label", node{fromWith, a.Label}}}}
	for _, c := range a.Parts {
		value := node{fromWith, c.Name}
		if c.Slot == chainKey {
			value.value = list{{fromWith, c.Name}}
		}
		e.set = append(e.set, field{c.Slot, value})
	}
	d.methods = append(d.methods, e)
}

// overrideSeeds replaces the seeds of the file.
func (r *reader) overrideSeeds(d *draft, text string) {
	list := text
	if strings.Contains(text, ",") {
		list = "[" + text + "]"
	}
	n, ok := literal(list, fromSeeds)
	if _, word := n.value.(string); !ok || word {
		r.fail(fromSeeds.Value, "want a number of seeds, or a list like 0,3,7",
			"cannot read %q", text)
		return
	}
	d.top = d.top.with("seeds", n)
}

// addressee splits what follows --set into the label that it is for, "" for all, and the
// assignment. Labels may hold any character: those of the file are tried first.
func (d *draft) addressee(s string) (label, assignment string) {
	for _, l := range d.labels() {
		if rest, ok := strings.CutPrefix(s, l+":"); ok && len(l) > len(label) {
			label, assignment = l, rest
		}
	}
	if label != "" || assigns(s) {
		return label, cmp.Or(assignment, s)
	}
	for i, c := range s {
		if c == ':' && assigns(s[i+1:]) {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}

func assigns(s string) bool {
	key, _, ok := strings.Cut(s, "=")
	return ok && isPath(strings.TrimSpace(key))
}

// isPath reports whether a text is a dotted key without quotes.
func isPath(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		notBare := func(c rune) bool { return c > 'z' || !bare(byte(c)) }
		if part == "" || strings.ContainsFunc(part, notBare) {
			return false
		}
	}
	return true
}

// literal reads a value from the command line: TOML, or else a bare word.
func literal(text string, at Span) (node, bool) {
	text = strings.TrimSpace(text)
	var doc map[string]any
	if _, err := toml.Decode("value = "+text, &doc); err == nil && len(doc) == 1 {
		return join(doc["value"], &mark{at: at}), true
	}
	if text == "" || strings.ContainsAny(text[:1], "\"'[{#") || strings.ContainsAny(text, "\r\n") {
		return node{}, false
	}
	return node{at, text}, true
}

// labels returns the labels of methods and ablations.
func (d *draft) labels() []string {
	var out []string
	for _, m := range d.methods {
		out = append(out, m.label())
	}
	for _, c := range d.changes {
		out = append(out, c.label())
	}
	return out
}

// setIn changes one method, with its ablations, or one ablation.
func (r *reader) setIn(d *draft, label string, path []string, n node) {
	for i, m := range d.methods {
		if m.label() == label {
			d.methods[i].set = assign(m.set, path, n)
			return
		}
	}
	for i, c := range d.changes {
		if c.label() == label {
			d.changes[i].set = assign(c.set, path, n)
			return
		}
	}
	r.fail(fromSet.Value, Suggest(label, d.labels()), "no method %q", label)
}

// assign puts a value at a path of a table, replacing what stands there.
func assign(t table, path []string, n node) table {
	if changed, ok := edit(node{value: t}, path, n); ok {
		return changed.value.(table)
	}
	return layer(t, nest(path, n))
}

// replace puts a value wherever the draft writes exactly that path, and reports whether
// there was such a place.
func (d *draft) replace(path []string, n node) bool {
	found := false
	d.each(func(t table) table {
		changed, ok := edit(node{value: t}, path, n)
		found = found || ok
		return changed.value.(table)
	})
	for i := range d.axes {
		found = d.axes[i].replace(path, n) || found
	}
	return found
}

// replace puts a value wherever the lists of an axis write exactly that path. A list
// takes the place of the list; any other value becomes the only one of its axis, or that
// of every paired point.
func (a *draftAxis) replace(path []string, n node) bool {
	found := false
	for i := range a.lists {
		c := &a.lists[i]
		if len(path) < len(c.path) || !slices.Equal(c.path, path[:len(c.path)]) {
			continue
		}
		if len(path) > len(c.path) {
			var ok bool
			c.values, ok = editValues(*c, path[len(c.path):], n)
			found = found || ok
			continue
		}
		found = true
		old := c.values.value.(list)
		if c.values = n; !isList(n) {
			times := 1
			if a.paired {
				times = len(old)
			}
			c.values = node{n.at, list(slices.Repeat([]node{n}, times))}
		}
	}
	return found
}

// editValues replaces what stands at a path in the values of a column.
func editValues(c column, path []string, by node) (node, bool) {
	if len(c.path) > 1 || !isRow(c.path[0]) {
		return edit(c.values, path, by)
	}
	values, found := slices.Clone(c.values.value.(list)), false
	for i, v := range values {
		var ok bool
		values[i], ok = stack{key: c.path[0]}.editLink(v, path, by)
		found = found || ok
	}
	return node{c.values.at, values}, found
}

func isList(n node) bool {
	_, ok := n.value.(list)
	return ok
}
