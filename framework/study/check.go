package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// topKeys are the keys of an experiment file.
var topKeys = []string{
	"title", "paper", "seeds", "plugins", "setting", "method", "ablate", "sweep", "reference",
	"claim", "report", "tune",
}

// settingKeys are the keys of [setting], and of everything that changes a setting.
var settingKeys = append([]string{
	"clients", "rounds", "measure_every", "data_seed", "law", "disclosure", "oracle",
	"initial", "validation", "test", "held_out", "metrics", chainKey,
}, slots...)

// words are the values of those keys of a setting that are one of a few.
var words = map[string][]string{
	"law":        {"known", "unknown"},
	"disclosure": {"none", "aggregate", "full"},
	"initial":    {"shared", "independent"},
	"test":       {"global", "client"},
}

// SettingKeys returns the keys of a setting, sorted.
func SettingKeys() []string { return slices.Sorted(slices.Values(settingKeys)) }

// Words returns the values of a key of a setting that is one of a few; none where it is not.
func Words(key string) []string { return slices.Clone(words[key]) }

// A reader decodes an experiment file and collects what is wrong with it. A value found
// wrong becomes a node without a value, so that nothing is reported twice.
type reader struct {
	problems Problems
	params   []string // paths of the parameters in the file, for suggestions
}

// fail reports a problem.
func (r *reader) fail(at Pos, hint, format string, args ...any) {
	r.problems = append(r.problems,
		Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// mend returns a table with only those keys that are allowed in its place. All others are
// reported; one that is misspelt is then read as what was probably meant, so that its
// value is looked at, too, and the key is not called missing. Elsewhere are paths that
// could have been meant.
func (r *reader) mend(t table, place string, allowed, elsewhere []string) table {
	var out table
	for _, f := range t {
		if slices.Contains(allowed, f.key) {
			out = append(out, f)
			continue
		}
		near, ok := r.near(f.key, allowed, elsewhere)
		hint := r.suggest(f.key, allowed)
		if ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		if place == "" {
			r.fail(f.at.Key, hint, "unknown key %q", f.key)
		} else {
			if slices.Contains(topKeys, f.key) {
				hint = "it belongs at the top of the file, outside every table"
			}
			r.fail(f.at.Key, hint, "unknown key %q in %s", f.key, place)
		}
		if _, given := t.get(near); slices.Contains(allowed, near) && !given {
			out = append(out, field{near, f.node})
		}
	}
	return out
}

// wrongType reports a value that is not of the wanted type.
func (r *reader) wrongType(what, want string, n node) {
	hint := ""
	switch v := n.value.(type) {
	case nil:
		return // it has been reported
	case string:
		if _, err := strconv.ParseFloat(v, 64); err == nil || v == "true" || v == "false" {
			hint = "remove the quotes"
		} else if want == "a list" {
			hint = fmt.Sprintf("write [%q]", v)
		}
	case float64:
		if want == "an integer" && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			hint = "write " + strconv.FormatInt(int64(v), 10)
		}
	case int64, bool:
		if want == "a string" {
			hint = "put it in quotes"
		}
	case time.Time:
		if strings.HasPrefix(want, "a string") {
			hint = "put it in quotes"
		}
	}
	r.fail(n.at.Value, hint, "%s: want %s, have %s", what, want, show(n.value))
}

// whole returns an integer not less than the least.
func (r *reader) whole(what string, n node, least int64) (int64, bool) {
	v, ok := n.value.(int64)
	switch {
	case !ok:
		r.wrongType(what, "an integer", n)
	case v < least:
		r.fail(n.at.Value, "", "%s: %d is outside [%d, +Inf)", what, v, least)
		ok = false
	}
	return v, ok
}

// mostOf are the keys of a setting that count something, with how much that may be.
var mostOf = map[string]int64{"clients": 100_000_000, "rounds": 1_000_000_000,
	"measure_every": 1_000_000_000}

// between returns an integer in a range.
func (r *reader) between(what string, n node, least, most int64) (int64, bool) {
	v, ok := n.value.(int64)
	switch {
	case !ok:
		r.wrongType(what, "an integer", n)
	case v < least || v > most:
		r.fail(n.at.Value, "", "%s: %d is outside [%d, %d]", what, v, least, most)
		ok = false
	}
	return v, ok
}

// share reports whether a value is a share of something, at least 0 and below 1.
func (r *reader) share(what string, n node) bool {
	switch v := n.value.(type) {
	case int64:
		if v == 0 {
			return true
		}
		r.fail(n.at.Value, "", "%s: %d is outside [0, 1)", what, v)
	case float64:
		if v >= 0 && v < 1 {
			return true
		}
		r.fail(n.at.Value, "", "%s: %v is outside [0, 1)", what, v)
	default:
		r.wrongType(what, "a number", n)
	}
	return false
}

// text returns a string that can stand in a table: one line, not empty, without spaces
// around it.
func (r *reader) text(what string, n node) (string, bool) {
	v, ok := n.value.(string)
	switch {
	case !ok:
		r.wrongType(what, "a string", n)
	case v == "":
		r.fail(n.at.Value, "", "%s: is empty", what)
		ok = false
	case strings.ContainsFunc(v, unicode.IsControl):
		r.fail(n.at.Value, "", "%s: must be one line without control characters", what)
		ok = false
	case strings.ContainsFunc(v, Hidden):
		i := strings.IndexFunc(v, Hidden)
		hidden, _ := utf8.DecodeRuneInString(v[i:])
		r.fail(n.at.Value, "", "%s: has the character %U, which hides or turns round what is "+
			"read: leave it out", what, hidden)
		ok = false
	case strings.TrimSpace(v) != v:
		r.fail(n.at.Value, "", "%s: begins or ends with a space", what)
		ok = false
	}
	return v, ok
}

// keyNode returns a key as a value, to be checked like one.
func keyNode(key string, at Span) node { return node{Span{at.Key, at.Key}, key} }

// choice returns a string that is one of the options.
func (r *reader) choice(what string, n node, options ...string) (string, bool) {
	v, ok := n.value.(string)
	switch {
	case !ok:
		r.wrongType(what, "a string", n)
	case !slices.Contains(options, v):
		r.fail(n.at.Value, r.suggest(v, options), "%s: %q is not one of its options", what, v)
		ok = false
	}
	return v, ok
}

// texts returns the elements of a list of strings, or a string as a list of one.
func (r *reader) texts(what string, n node) list {
	switch v := n.value.(type) {
	case string:
		return list{n}
	case list:
		var out list
		for _, item := range v {
			if _, ok := r.text(what, item); ok {
				out = append(out, item)
			}
		}
		return out
	}
	r.wrongType(what, "a list of strings", n)
	return nil
}

// tables returns the elements of a list of tables.
func (r *reader) tables(what string, n node) list {
	v, ok := n.value.(list)
	if _, single := n.value.(table); single {
		r.fail(n.at.Value, fmt.Sprintf("write [[%s]]", what),
			"%s: want a list of tables, have a table", what)
		return list{n}
	}
	if !ok {
		r.wrongType(what, "a list of tables", n)
	}
	return slices.DeleteFunc(slices.Clone(v), func(item node) bool {
		_, ok := item.value.(table)
		if !ok {
			r.wrongType(what, "a table", item)
		}
		return !ok
	})
}

// settings checks whatever changes a setting, in the place of the file that is given.
func (r *reader) settings(t table, place string) table {
	var out table
	for _, f := range r.mend(t, place, settingKeys, r.params) {
		ok := true
		switch {
		case isRow(f.key):
			f.node = r.stack(f)
		case slices.Contains(slots, f.key):
			ok = r.slot(f)
		case mostOf[f.key] > 0:
			_, ok = r.between(f.key, f.node, 1, mostOf[f.key])
		case f.key == "data_seed":
			_, ok = r.whole(f.key, f.node, 0)
		case f.key == "initial" && isTable(f.node):
			f.node, ok = r.initial(f.node)
		case words[f.key] != nil:
			_, ok = r.choice(f.key, f.node, words[f.key]...)
		case f.key == "validation" || f.key == "held_out":
			ok = r.share(f.key, f.node)
		case f.key == "oracle":
			if _, ok = f.value.(bool); !ok {
				r.wrongType(f.key, "true or false", f.node)
			}
		case f.key == "metrics":
			f.node, ok = r.metrics(f.node)
		}
		if !ok {
			f.value = nil
		}
		out = append(out, f)
	}
	return out
}

// slot checks a component: a string, or a table with or without a name.
func (r *reader) slot(f field) bool {
	switch v := f.value.(type) {
	case string:
		_, ok := r.text(f.key, f.node)
		return ok
	case table:
		if name, given := v.get("name"); given {
			if _, ok := r.text(f.key+".name", name); !ok {
				return false
			}
		}
		return r.values(f.key, f.node)
	}
	r.wrongType(f.key, "a string or a table with a name", f.node)
	return false
}

// values checks that a parameter holds nothing that has no meaning here: a date.
func (r *reader) values(path string, n node) bool {
	ok := true
	switch v := n.value.(type) {
	case time.Time:
		r.wrongType(path, "a string or a number", n)
		return false
	case list:
		for i := range v {
			ok = r.values(fmt.Sprintf("%s[%d]", path, i), v[i]) && ok
		}
	case table:
		for _, f := range v {
			ok = r.values(path+"."+f.key, f.node) && ok
		}
	}
	return ok
}

// metrics checks a list of metrics, and returns those that are metrics at all.
func (r *reader) metrics(n node) (node, bool) {
	items, ok := n.value.(list)
	if !ok {
		r.wrongType("metrics", "a list", n)
		return n, false
	}
	if len(items) == 0 {
		r.fail(n.at.Value, "", "metrics: is empty")
	}
	var kept list
	seen := map[string]Pos{}
	for i, item := range items {
		if item, ok = r.metric(fmt.Sprintf("metrics[%d]", i), item); !ok {
			continue
		}
		key := measure(item).Key
		if first, twice := seen[key]; twice {
			r.fail(item.at.Value, fmt.Sprintf("give it a label: { name = %q, label = \"…\" }",
				measure(item).Name),
				"metrics: two are called %q, here and at %d:%d", key, first.Line, first.Col)
		} else {
			seen[key] = item.at.Value
		}
		kept = append(kept, item)
	}
	return node{n.at, kept}, len(kept) > 0
}

// iterates are what a measure may be of.
var iterates = []string{"last", "average", "best"}

// metric checks one metric: a string, or a table with a name. It returns the metric
// without what is wrong about it, if there is anything left.
func (r *reader) metric(path string, n node) (node, bool) {
	t, ok := n.value.(table)
	if !ok {
		if _, text := n.value.(string); text {
			_, ok = r.text(path, n)
			return n, ok
		}
		r.wrongType(path, "a string or a table with a name", n)
		return n, false
	}
	if _, ok := t.get("name"); !ok {
		r.fail(n.at.Value, "name = \"…\" is missing", "%s: has no name", path)
		return n, false
	}
	var kept table
	for _, f := range t {
		switch f.key {
		case "name", "label":
			_, ok = r.text(path+"."+f.key, f.node)
		case "iterate":
			_, ok = r.choice(path+".iterate", f.node, iterates...)
		default:
			ok = r.values(path+"."+f.key, f.node)
		}
		if ok {
			kept = append(kept, f)
		}
	}
	_, named := kept.get("name")
	return node{n.at, kept}, named
}
