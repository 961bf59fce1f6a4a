package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Place is where a parameter of a cell lies.
type Place struct {
	Slot string   // of the component
	Link int      // which preprocessor it is; of other slots 0
	Name string   // of the component; empty where the cell has none there
	Keys []string // of the parameter, and of those of components within the component; not empty
}

// PlaceOf returns where the parameter at a path of a setting lies in the cell: "local.lr",
// "local.optimizer.momentum", "preprocess.NAME.KEY", or preprocess.KEY where there is one
// preprocessor. It reports whether the path is that of a parameter and the cell has such a
// component.
func (c *Cell) PlaceOf(path string) (Place, bool) {
	keys := strings.Split(path, ".")
	if len(keys) < 2 {
		return Place{}, false
	}
	p := Place{Slot: keys[0], Keys: keys[1:]}
	if p.Slot != chainKey {
		p.Name = c.Picks[p.Slot].Name
		return p, p.Name != ""
	}
	if len(keys) > 2 {
		k := slices.IndexFunc(c.Preprocess, func(q Pick) bool { return q.Name == keys[1] })
		if k >= 0 {
			return Place{p.Slot, k, keys[1], keys[2:]}, true
		}
	}
	if len(c.Preprocess) != 1 {
		return p, false
	}
	p.Name = c.Preprocess[0].Name
	return p, true
}

// Param returns the value of a parameter of a resolved cell by its path, and whether there is one.
func (c *Cell) Param(path string) (any, bool) {
	p, ok := c.PlaceOf(path)
	if !ok {
		return nil, false
	}
	var v any = c.pickAt(p).Params
	for _, key := range p.Keys {
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
	pick := c.pickAt(p)
	pick.Params, _ = replaced(pick.Params, p.Keys, v).(map[string]any)
	written := p.Slot
	if p.Slot == chainKey {
		written = fmt.Sprintf("%s[%d]", chainKey, p.Link)
		c.Preprocess = slices.Clone(c.Preprocess)
		c.Preprocess[p.Link] = pick
	} else {
		c.Picks = maps.Clone(c.Picks)
		c.Picks[p.Slot] = pick
	}
	if c.Origins = maps.Clone(c.Origins); c.Origins != nil {
		c.Origins[written+"."+strings.Join(p.Keys, ".")] = at
	}
	return c
}

// replaced returns a table with another value at a path, in memory of its own where it differs.
func replaced(t any, keys []string, v any) any {
	if len(keys) == 0 {
		return v
	}
	old, _ := t.(map[string]any)
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	out[keys[0]] = replaced(old[keys[0]], keys[1:], v)
	return out
}

// ValueLabel returns how a value of a parameter is called: "lr = 0.1" of "local.lr".
func ValueLabel(path string, v any) string {
	return LastPart(path) + " = " + strings.Trim(valueText(v), `"`)
}
