package settings

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// A Change is a value that two runs have and that differs.
type Change struct {
	Path   string   `json:"path"`
	Before string   `json:"before"` // empty: there is none
	After  string   `json:"after"`
	Cells  []string `json:"cells"` // methods, at some points; empty: all that both runs have
}

// Changes is what differs in the settings of two runs.
type Changes struct {
	Settings []Change `json:"settings"`
	Lost     []string `json:"only_before"`       // methods, at some points, of the first run only
	Gained   []string `json:"only_after"`        // of the second run only
	Program  []string `json:"program,omitempty"` // revisions of its source, where they differ
}

// Compare finds what differs in the settings of two runs.
func Compare(a, b *store.Plan) Changes {
	ours, theirs := branches(a), branches(b)
	named := func(list []branch, name string) *branch {
		if k := slices.IndexFunc(list, func(x branch) bool { return x.name == name }); k >= 0 {
			return &list[k]
		}
		return nil
	}
	d := Changes{Settings: []Change{}}
	at := map[[3]string]int{}
	var common, lost, gained []branch
	var where [][]branch // by change
	for _, x := range ours {
		y := named(theirs, x.name)
		if y == nil {
			lost = append(lost, x)
			continue
		}
		common = append(common, x)
		for _, one := range compareValues(x.values, y.values) {
			key := [3]string{one.Path, one.Before, one.After}
			k, known := at[key]
			if !known {
				k, at[key] = len(where), len(where)
				d.Settings, where = append(d.Settings, one), append(where, nil)
			}
			where[k] = append(where[k], x)
		}
	}
	for _, y := range theirs {
		if named(ours, y.name) == nil {
			gained = append(gained, y)
		}
	}
	for k := range where {
		d.Settings[k].Cells = []string{}
		if len(where[k]) < len(common) {
			d.Settings[k].Cells = inShort(where[k], common)
		}
	}
	for _, one := range compareValues(searchOf(a.Tuning), searchOf(b.Tuning)) {
		one.Cells = []string{}
		d.Settings = append(d.Settings, one)
	}
	d.Lost, d.Gained = inShort(lost, ours), inShort(gained, theirs)
	return d
}

// inShort names some of all branches: a method alone where all that it has are among them.
func inShort(some, all []branch) []string {
	of := func(list []branch, method string) (n int) {
		for _, b := range list {
			if b.method == method {
				n++
			}
		}
		return n
	}
	names := []string{}
	for _, b := range some {
		switch {
		case of(some, b.method) < of(all, b.method):
			names = append(names, b.name)
		case !slices.Contains(names, b.method):
			names = append(names, b.method)
		}
	}
	return names
}

// A branch is a method at one point of the sweep, with all that decides its numbers.
type branch struct {
	method, name string
	values       []Value
}

// branches lists those of a plan.
func branches(p *store.Plan) []branch {
	var list []branch
	cells, seeds := map[string]study.Cell{}, map[string][]uint64{}
	for _, cell := range p.Cells {
		n := cell.ArmLabel()
		if _, known := cells[n]; !known {
			cells[n] = cell
			list = append(list, branch{method: cell.Method, name: n})
		}
		seeds[n] = append(seeds[n], cell.Seed)
	}
	for i, b := range list {
		list[i].values = Of(cells[b.name], seeds[b.name])
	}
	return list
}

// compareValues lists the values that differ, in the order of the first.
func compareValues(a, b []Value) []Change {
	text := func(list []Value, path string) string {
		if k := slices.IndexFunc(list, func(v Value) bool { return v.Path == path }); k >= 0 {
			return list[k].Text
		}
		return ""
	}
	var list []Change
	for _, v := range a {
		if other := text(b, v.Path); other != v.Text {
			list = append(list, Change{Path: v.Path, Before: v.Text, After: other})
		}
	}
	for _, v := range b {
		if text(a, v.Path) == "" {
			list = append(list, Change{Path: v.Path, After: v.Text})
		}
	}
	return list
}
