package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// residue says what the cells behind one place of a table differ in besides their seed:
// something that neither row nor column shows.
func (d *draft) residue(cells []int) []string {
	values := map[string][]string{}
	var paths []string
	for _, i := range cells {
		for _, s := range settings(&d.in.Cells[i]) {
			if _, known := values[s.path]; !known {
				paths = append(paths, s.path)
			}
			if !slices.Contains(values[s.path], s.value) {
				values[s.path] = append(values[s.path], s.value)
			}
		}
	}
	var differ []string
	for _, path := range paths {
		if v := values[path]; len(v) > 1 {
			differ = append(differ, path+" ("+strings.Join(v, ", ")+")")
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return []string{"averages over settings that differ in " + strings.Join(differ, ", ")}
}

// A setting is one value of a cell, by the path under which an experiment writes it.
type setting struct{ path, value string }

// settings lists all of a cell but what is no part of its identity, and its seed.
func settings(c *study.Cell) []setting {
	list := []setting{
		{"clients", fmt.Sprint(c.Clients)}, {"rounds", fmt.Sprint(c.Rounds)},
		{"measure_every", fmt.Sprint(c.Every)}, {"law", fmt.Sprint(c.Law)},
		{"disclosure", c.Disclose}, {"oracle", fmt.Sprint(c.Oracle)},
		{"initial", c.Initial}, {"validation", fmt.Sprint(c.Held)},
	}
	for _, slot := range study.Slots() {
		if pick, ok := c.Picks[slot]; ok {
			list = append(list, setting{slot, pick.Name})
			list = flatten(list, slot, pick.Params)
		}
	}
	var row []string
	for _, p := range c.Preprocess {
		row = append(row, p.Name)
		list = flatten(list, "preprocess."+p.Name, p.Params)
	}
	list = append(list, setting{"preprocess", "[" + strings.Join(row, " ") + "]"})
	for _, m := range c.Measures {
		list = append(list, setting{"metrics." + m.Key, m.Name})
		list = flatten(list, "metrics."+m.Key, m.Params)
	}
	return list
}

// flatten adds the parameters under a path, by name.
func flatten(list []setting, path string, params map[string]any) []setting {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		below := path + "." + name
		if nested, ok := params[name].(map[string]any); ok {
			list = flatten(list, below, nested)
		} else {
			list = append(list, setting{below, fmt.Sprint(params[name])})
		}
	}
	return list
}
