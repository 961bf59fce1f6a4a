package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A setting is one value of a cell, by the path under which an experiment writes it.
type setting struct{ Path, Value string }

// Settings lists all of a cell but what is no part of its identity, and its seed.
func Settings(c *study.Cell) []setting {
	list := []setting{
		{"clients", fmt.Sprint(c.Clients)}, {"rounds", fmt.Sprint(c.Rounds)},
		{"measure_every", fmt.Sprint(c.Every)}, {"law", fmt.Sprint(c.Law)},
		{"disclosure", c.Disclose}, {"oracle", fmt.Sprint(c.Oracle)},
		{"initial", c.Initial}, {"validation", fmt.Sprint(c.Held)},
	}
	list = flatten(list, "initial", c.InitialFile)
	if c.TestByClient {
		list = append(list, setting{"test", "client"})
	}
	if c.HeldOut > 0 {
		list = append(list, setting{"held_out", fmt.Sprint(c.HeldOut)})
	}
	if c.Validated > 0 {
		list = append(list, setting{"tune.validation", fmt.Sprint(c.Validated)})
	}
	if c.Stop > 0 {
		list = append(list, setting{"stop", fmt.Sprint(c.Stop)})
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
