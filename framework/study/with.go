package study

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Place is where a parameter of a cell lies.
type Place struct {
	Slot string // of the component
	Link int    // which preprocessor it is; of other slots 0
	Name string // of the component; empty where the cell has none there

	// Keys are of the parameter, and of those of components within the component; not empty. In a
	// list of components a key is the name of those of it that are meant, or the number of one,
	// from 0.
	Keys []string
}

// PlaceOf returns where the parameter at a path of a setting lies in the cell: "local.lr",
// "local.optimizer.momentum", "aggregator.inner.f"; in a list, such as a chain of guards,
// "guard.clip.radius" by the name of a component or "guard.0.radius" by its number. A row of
// preprocessors is such a list; where there is one, preprocess.KEY means the same. It reports
// whether the path is that of a parameter and the cell has such a component.
func (c *Cell) PlaceOf(path string) (Place, bool) {
	keys := strings.Split(path, ".")
	if len(keys) < 2 {
		return Place{}, false
	}
	p := Place{Slot: keys[0], Keys: keys[1:]}
	if p.Slot != chainKey {
		p.Name = c.Picks[p.Slot].Name
		switch {
		case p.Name == "" || rowed[p.Slot] == "":
		case p.Name == rowed[p.Slot] && p.Keys[0] != listKey:
			p.Keys = c.inRow(p)
		case p.Name == p.Keys[0] && len(p.Keys) > 1: // one stands for a list of one
			p.Keys = p.Keys[1:]
		}
		return p, p.Name != ""
	}
	if len(keys) > 2 {
		names := make([]string, len(c.Preprocess))
		for k := range c.Preprocess {
			names[k] = c.Preprocess[k].Name
		}
		if at := meant(names, keys[1]); at != nil {
			return Place{p.Slot, at[0], names[at[0]], keys[2:]}, true
		}
	}
	if len(c.Preprocess) != 1 {
		return p, false
	}
	p.Name = c.Preprocess[0].Name
	return p, true
}

// inRow returns the keys of a place in a row, the list and the number of the only one included.
func (c *Cell) inRow(p Place) []string {
	items, _ := c.Picks[p.Slot].Params[listKey].([]any)
	if len(items) == 1 && (len(p.Keys) == 1 || meantOf(items, p.Keys[0]) == nil) {
		return append([]string{listKey, "0"}, p.Keys...)
	}
	return append([]string{listKey}, p.Keys...)
}

// meant returns which of some components a key means, by their names: all of a name, or the one
// of a number from 0.
func meant(names []string, key string) (at []int) {
	for k, name := range names {
		if name == key {
			at = append(at, k)
		}
	}
	if k, err := strconv.Atoi(key); at == nil && err == nil && strconv.Itoa(k) == key &&
		k >= 0 && k < len(names) {
		at = append(at, k)
	}
	return at
}

// meantOf returns which elements of a list of components, as a Pick holds them, a key means.
func meantOf(items []any, key string) []int {
	names := make([]string, len(items))
	for k, v := range items {
		switch v := v.(type) {
		case string:
			names[k] = v
		case map[string]any:
			names[k], _ = v["name"].(string)
		}
	}
	return meant(names, key)
}

// Param returns the value of a parameter of a resolved cell by its path, and whether there is one.
// Of several of one name in a list it is that of the first.
func (c *Cell) Param(path string) (v any, ok bool) {
	p, ok := c.PlaceOf(path)
	if !ok {
		return nil, false
	}
	v = c.pickAt(p).Params
	for _, key := range p.Keys {
		if items, many := v.([]any); many {
			at := meantOf(items, key)
			if at == nil {
				return nil, false
			}
			v = items[at[0]]
			continue
		}
		t, table := v.(map[string]any)
		if v, ok = t[key]; !table || !ok {
			return nil, false
		}
	}
	return v, true
}

func (c *Cell) pickAt(p Place) Pick {
	if p.Slot == chainKey {
		return c.Preprocess[p.Link]
	}
	return c.Picks[p.Slot]
}

// With returns the cell with another value of a parameter, by its path, and where that was written.
// A cell without a component there stays as it is.
func (c Cell) With(path string, v any, at Span) Cell {
	p, ok := c.PlaceOf(path)
	if !ok {
		return c
	}
	pick, written := c.pickAt(p), p.Slot
	if p.Slot == chainKey {
		written = fmt.Sprintf("%s[%d]", chainKey, p.Link)
	}
	own := false // Origins are, which are large: many cells share those that are the same
	pick.Params, _ = replaced(pick.Params, p.Keys, v, func(below string) {
		if old, found := c.Origins[written+below]; c.Origins == nil || found && old == at {
			return
		}
		if !own {
			c.Origins, own = maps.Clone(c.Origins), true
		}
		c.Origins[written+below] = at
	}).(map[string]any)
	if p.Slot == chainKey {
		c.Preprocess = slices.Clone(c.Preprocess)
		c.Preprocess[p.Link] = pick
	} else {
		c.Picks = maps.Clone(c.Picks)
		c.Picks[p.Slot] = pick
	}
	return c
}

// replaced returns what a Pick holds with another value at a path, in memory of its own where it
// differs. It tells the paths of what was replaced.
func replaced(t any, keys []string, v any, tell func(path string)) any {
	if len(keys) == 0 {
		tell("")
		return v
	}
	if items, many := t.([]any); many {
		items = slices.Clone(items)
		for _, k := range meantOf(items, keys[0]) {
			items[k] = replaced(items[k], keys[1:], v, func(path string) {
				tell(fmt.Sprintf("[%d]%s", k, path))
			})
		}
		return items
	}
	out := map[string]any{}
	switch old := t.(type) {
	case string: // a component that is only a name
		out["name"] = old
	case map[string]any:
		maps.Copy(out, old)
	}
	out[keys[0]] = replaced(out[keys[0]], keys[1:], v, func(path string) {
		tell("." + keys[0] + path)
	})
	return out
}

// ValueLabel returns how a value of a parameter is called: "lr = 0.1" of "local.lr".
func ValueLabel(path string, v any) string {
	return LastPart(path) + " = " + strings.Trim(valueText(v), `"`)
}
