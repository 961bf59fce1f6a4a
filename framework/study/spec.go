package study

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
)

// mostSeeds is how many seeds an experiment may have.
const mostSeeds = 10_000

// A Spec is an experiment file that has been read: what it varies, and what its tables
// show. Expand turns it into cells.
type Spec struct {
	File       string // as the user named it
	Source     string // its text
	Name       string // of the file, without folders and .toml
	Title      string // the name when the file gives none
	Paper      string // key of a reference, or a citation; may be empty
	Seeds      []uint64
	Plugins    []Plugin
	Methods    []string          // labels in the order of the file, ablations after their method
	Roles      map[string]string // of those methods that have one
	Axes       []Axis            // of the sweep, in the order of the file
	References []Reference
	Claims     []Claim
	Report     Report
	Tune       *Tune // how parameters are chosen; nil: they are those of the file
	WorstAt    Span  // where Report.Worst is written

	setting     table
	settingAt   Pos // of the header
	seedsAt     Span
	arms        []arm
	claimPlaces [][]map[string]Pos // by claim, predicate and argument
}

// A Plugin is a file or folder with strategies of the user's.
type Plugin struct {
	Path string // as the user would name it from the current folder
	At   Pos    // where the experiment says so
}

// Read reads an experiment file. The error is an *fs.PathError when it cannot be read,
// and else Problems; see Parse.
func Read(file string, o Overrides) (*Spec, error) {
	src, err := host.Read(file, largestFile)
	if err != nil {
		return nil, err
	}
	return Parse(file, src, o)
}

// Parse reads an experiment from the text of its file; the name is only shown. The error
// is Problems. If the text is TOML at all, there is a Spec beside it, of what was
// understood: Expand and the checks that follow it can then add their problems to these,
// but such a Spec must not be run.
func Parse(name string, src []byte, o Overrides) (*Spec, error) {
	root, problems := document(name, src)
	if len(problems) > 0 {
		return nil, problems
	}
	var r reader
	d := r.draft(root)
	r.override(&d, o)
	s := r.spec(d)
	s.File, s.Source = name, string(src)
	s.Name = strings.TrimSuffix(filepath.Base(name), ".toml")
	s.Title = cmp.Or(s.Title, s.Name)
	s.Plugins = r.plugins(name, d.top)
	for _, a := range o.With {
		same := func(p Plugin) bool { return p.Path == a.Plugin }
		if !slices.ContainsFunc(s.Plugins, same) {
			s.Plugins = append(s.Plugins, Plugin{Path: a.Plugin, At: fromWith.Value})
		}
	}
	if len(d.methods) == 0 {
		r.fail(Pos{File: name}, "[[method]] with label = \"…\" is one", "there is no method")
	}
	return s, r.problems.orNil()
}

// plugins returns what the plugins of an experiment in a file are called from the current
// folder; the experiment calls them from its own.
func (r *reader) plugins(file string, top table) []Plugin {
	n, ok := top.get("plugins")
	if !ok {
		return nil
	}
	var out []Plugin
	seen := map[string]bool{}
	for _, item := range r.texts("plugins", n) {
		path := filepath.FromSlash(item.value.(string))
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		if seen[path] {
			r.fail(item.at.Value, "", "plugins: %q is listed twice", item.value)
			continue
		}
		seen[path] = true
		out = append(out, Plugin{Path: path, At: item.at.Value})
	}
	return out
}

// spec checks a draft.
func (r *reader) spec(d draft) *Spec {
	s := &Spec{settingAt: d.settingAt.Key, Roles: map[string]string{}}
	if n, ok := d.top.get("title"); ok {
		s.Title, _ = r.text("title", n)
	}
	if n, ok := d.top.get("paper"); ok {
		s.Paper, _ = r.text("paper", n)
	}
	s.Seeds, s.seedsAt = []uint64{0}, byDefault
	if n, ok := d.top.get("seeds"); ok {
		s.Seeds, s.seedsAt = r.seeds(n), n.at
	}
	s.setting = r.settings(d.setting, "[setting]")
	for _, a := range d.axes {
		s.Axes = append(s.Axes, r.axis(a))
	}
	s.arms = r.arms(d)
	for _, a := range s.arms {
		s.Methods = append(s.Methods, a.label)
		if a.role != "" {
			s.Roles[a.label] = a.role
		}
	}
	report, _ := d.top.get("report")
	t, _ := report.value.(table)
	s.Report = r.report(s, t) // first: it may add a point that claims name
	for _, n := range d.references {
		s.References = append(s.References, r.reference(s, n.value.(table), n.at))
	}
	for _, n := range d.claims {
		s.Claims = append(s.Claims, r.claim(s, n.value.(table), n.at))
	}
	if n, ok := d.top.get("tune"); ok {
		s.Tune = r.tune(s, field{"tune", n})
	}
	r.tuned(s, t)
	r.worstOfTuned(s, t)
	return s
}

// seeds returns the seeds of an experiment: 0 … n−1, or those that are listed.
func (r *reader) seeds(n node) []uint64 {
	items, ok := n.value.(list)
	if !ok {
		count, ok := n.value.(int64)
		switch {
		case !ok:
			r.wrongType("seeds", "an integer or a list of integers", n)
		case count < 1 || count > mostSeeds:
			r.fail(n.at.Value, "", "seeds: %d is outside [1, %d]", count, mostSeeds)
		default:
			out := make([]uint64, count)
			for i := range out {
				out[i] = uint64(i)
			}
			return out
		}
		return []uint64{0}
	}
	if len(items) == 0 || len(items) > mostSeeds {
		r.fail(n.at.Value, "", "seeds: want 1 to %d of them, have %d", mostSeeds, len(items))
		return []uint64{0}
	}
	var out []uint64
	seen := map[int64]bool{}
	for i, item := range items {
		v, ok := r.whole(fmt.Sprintf("seeds[%d]", i), item, 0)
		if ok && seen[v] {
			r.fail(item.at.Value, "", "seeds: %d is listed twice", v)
		}
		seen[v] = true
		out = append(out, uint64(v))
	}
	return out
}
