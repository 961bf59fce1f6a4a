package study

import (
	"encoding/hex"
	"strings"
)

// initial checks where initial parameters come from: a file, the names that its tensors have where
// they differ from the model's, and its checksum.
func (r *reader) initial(n node) (node, bool) {
	given, _ := n.value.(table)
	var out table
	for _, f := range r.mend(given, "initial", []string{"name", "file", "names", "sha256"}, nil) {
		what, ok := "initial."+f.key, true
		switch f.key {
		case "name":
			_, ok = r.choice(what, f.node, words["initial"]...)
		case "file":
			_, ok = r.text(what, f.node)
		case "sha256":
			ok = r.checksum(what, f.node)
		case "names":
			ok = r.renamed(what, f.node)
		}
		if !ok {
			return n, false
		}
		out = append(out, f)
	}
	if _, ok := out.get("file"); !ok {
		if _, named := out.get("name"); named && len(out) == 1 {
			return node{n.at, out}, true
		}
		r.fail(n.at.Value, `write initial = { file = "….safetensors" }`, "initial: names no file")
		return n, false
	}
	return node{n.at, out}, true
}

// renamed checks a table of names by names.
func (r *reader) renamed(what string, n node) bool {
	t, ok := n.value.(table)
	if !ok {
		r.wrongType(what, "a table of names", n)
		return false
	}
	for _, f := range t {
		if _, fine := r.text(what+"."+f.key, f.node); !fine {
			ok = false
		}
	}
	return ok
}

// checksum checks a SHA-256.
func (r *reader) checksum(what string, n node) bool {
	v, ok := r.text(what, n)
	if !ok {
		return false
	}
	if b, err := hex.DecodeString(v); err != nil || len(b) != 32 || v != strings.ToLower(v) {
		r.fail(n.at.Value, "", "%s: %q is no SHA-256 of 64 hexadecimal digits in lower case", what,
			v)
		return false
	}
	return true
}
