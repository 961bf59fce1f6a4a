package infer

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// PathNames shorten the absolute paths in texts that leave this machine: they name people and
// workplaces, which breaks the anonymity of a submission, and lead nowhere elsewhere.
type PathNames struct {
	known []string          // absolute paths, the longest first
	short map[string]string // the shortest endings of known that differ from one another
}

// anyPath matches an absolute path of at least two parts: quoted, where it may have spaces, or
// behind what cannot be a part of it. The first group is what stands before it.
var anyPath = regexp.MustCompile(`(^|["'(\[=:;,\s])(?:"(/[^"\n]*/[^"\n]*)"|'(/[^'\n]*/[^'\n]*)'|` +
	`((?:/[^\s"'()\[\]:;,=/]+){2,}/?)|([A-Za-z]:\\[^\s"'()\[\]:;,=]+))`)

// Paths returns the names of paths for texts about an input: of its strategies, of parameters
// of its cells, and of any other path that a text has.
func (in *Input) Paths() *PathNames {
	n := &PathNames{short: map[string]string{}}
	for _, file := range in.Strategies {
		n.learn(file)
	}
	for i := range in.Cells {
		c := &in.Cells[i]
		n.learn(c.Initial)
		for _, pick := range c.Picks {
			n.learn(pick.Params)
		}
		for _, pick := range c.Preprocess {
			n.learn(pick.Params)
		}
		for _, m := range c.Measures {
			n.learn(m.Params)
		}
	}
	slices.SortFunc(n.known, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, path := range n.known {
		n.short[path] = n.ending(path)
	}
	return n
}

// learn adds the absolute paths of a parameter.
func (n *PathNames) learn(value any) {
	switch v := value.(type) {
	case string:
		if filepath.IsAbs(v) && len(v) > 1 && !slices.Contains(n.known, v) {
			n.known = append(n.known, v)
		}
	case []any:
		for _, one := range v {
			n.learn(one)
		}
	case []string:
		for _, one := range v {
			n.learn(one)
		}
	case map[string]any:
		for _, one := range v {
			n.learn(one)
		}
	}
}

// ending returns the shortest ending of a known path that no other has.
func (n *PathNames) ending(path string) string {
	path = filepath.ToSlash(filepath.Clean(path))
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for k := 1; k < len(parts); k++ {
		ending := strings.Join(parts[len(parts)-k:], "/")
		if !slices.ContainsFunc(n.known, func(other string) bool {
			other = filepath.ToSlash(filepath.Clean(other))
			return other != path && strings.HasSuffix(other, "/"+ending)
		}) {
			return ending
		}
	}
	return parts[len(parts)-1]
}

// In returns a text with the last parts of paths in place of absolute ones, and as it can be
// printed.
func (n *PathNames) In(text string) string {
	text = study.Printable(text)
	if !strings.ContainsAny(text, `/\`) {
		return text
	}
	for _, path := range n.known {
		text = strings.ReplaceAll(text, path, n.short[path])
	}
	// What stands between two paths is before the second and was read with the first.
	for range 2 {
		text = anyPath.ReplaceAllStringFunc(text, baseOf)
	}
	return text
}

// baseOf shortens what anyPath matches.
func baseOf(found string) string {
	groups := anyPath.FindStringSubmatch(found)
	before, name := groups[1], groups[4]+groups[5]
	quote := ""
	if quoted := groups[2] + groups[3]; quoted != "" {
		name, quote = quoted, found[len(found)-1:]
	}
	name = strings.TrimRight(name, `/\`)
	return before + quote + name[strings.LastIndexAny(name, `/\`)+1:] + quote
}

// Shorten returns an input in whose texts the paths are short. Parameters of cells, which are
// compared with one another, stay as they are.
func (n *PathNames) Shorten(in Input) Input {
	in.Title, in.Command, in.Origin = n.In(in.Title), n.In(in.Command), n.In(in.Origin)
	in.Report.Baseline = n.In(in.Report.Baseline)
	in.Cells, in.Whole = n.cells(in.Cells), n.cells(in.Whole)
	in.References = slices.Clone(in.References)
	for i := range in.References {
		ref := &in.References[i]
		ref.Row, ref.Source = n.In(ref.Row), n.In(ref.Source)
		ref.Point = slices.Clone(ref.Point)
		for k := range ref.Point {
			ref.Point[k] = n.In(ref.Point[k])
		}
	}
	in.Claims = n.claims(in.Claims)
	failures := map[string]string{}
	for id, why := range in.Failures {
		failures[id] = n.In(why)
	}
	in.Failures = failures
	return in
}

// cells returns cells with short paths, where labels have some; nil for nil.
func (n *PathNames) cells(list []study.Cell) []study.Cell {
	list = slices.Clone(list)
	for i := range list {
		c := &list[i]
		c.Method, c.Parent, c.Point = n.In(c.Method), n.In(c.Parent), slices.Clone(c.Point)
		for k := range c.Point {
			c.Point[k].Label = n.In(c.Point[k].Label)
		}
	}
	return list
}

// Parameters returns a cell in whose parameters the paths are short. Its identity is no longer that
// of the cell where there were some.
func (n *PathNames) Parameters(c study.Cell) study.Cell {
	c = c.WithPicks(func(p study.Pick) study.Pick {
		if p.Params != nil {
			p.Params = n.value(p.Params).(map[string]any)
		}
		return p
	})
	if c.InitialFile != nil {
		c.InitialFile = n.value(c.InitialFile).(map[string]any)
	}
	return c
}

// value returns a value of a parameter with short paths.
func (n *PathNames) value(v any) any {
	switch v := v.(type) {
	case string:
		return n.In(v)
	case []string:
		list := slices.Clone(v)
		for i := range list {
			list[i] = n.In(list[i])
		}
		return list
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = n.value(list[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, one := range v {
			m[key] = n.value(one)
		}
		return m
	case study.Pick:
		v.Params, _ = n.value(v.Params).(map[string]any)
		return v
	case []study.Pick:
		list := slices.Clone(v)
		for i := range list {
			list[i] = n.value(list[i]).(study.Pick)
		}
		return list
	}
	return v
}

// claims returns claims with short paths, where labels have some.
func (n *PathNames) claims(list []study.Claim) []study.Claim {
	list = slices.Clone(list)
	each := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = n.In(texts[i])
		}
		return texts
	}
	for i := range list {
		c := &list[i]
		c.Source, c.Says = n.In(c.Source), n.In(c.Says)
		c.Holds, c.Needs, c.At = n.In(c.Holds), n.In(c.Needs), each(c.At)
		c.Expr = slices.Clone(c.Expr)
		for k := range c.Expr {
			c.Expr[k].Methods, c.Expr[k].Minus = each(c.Expr[k].Methods), each(c.Expr[k].Minus)
		}
	}
	return list
}

// Discreet returns an input for what leaves this machine: its texts have no absolute paths.
func (in *Input) Discreet() Input { return in.Paths().Shorten(*in) }
