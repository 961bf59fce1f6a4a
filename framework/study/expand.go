package study

import (
	"fmt"
	"maps"
	"slices"
)

// mostCells is how many cells an experiment may have.
const mostCells = 1_000_000

// defaults are the values of a setting that the file does not set.
func defaults() table {
	t := table{
		{"measure_every", node{byDefault, int64(1)}},
		{"law", node{byDefault, "known"}},
		{"disclosure", node{byDefault, "none"}},
		{"oracle", node{byDefault, false}},
		{"initial", node{byDefault, "shared"}},
		{"validation", node{byDefault, 0.0}},
		{"test", node{byDefault, "global"}},
		{"held_out", node{byDefault, 0.0}},
	}
	for _, s := range slotTable() {
		if s.byDefault != "" {
			t = append(t, field{s.name, node{byDefault, s.byDefault}})
		}
	}
	return t
}

// Expand returns the cells of an experiment: methods and ablations × points of the sweep
// × seeds, the seeds changing fastest, then the last axis. Layers of a setting, from the
// lowest: [setting], the point, the method, the ablation.
//
// The error is Problems: what a method lacks once all layers are in place. The cells
// stand beside it, without what is missing, for further checks only. Cells that differ
// in their seed only share parameters and origins, which must not be changed.
func (s *Spec) Expand() ([]Cell, error) {
	n := len(s.arms) * len(s.Seeds)
	for _, a := range s.Axes {
		if n *= len(a.points); n > mostCells {
			return nil, Problems{{
				Pos:     a.at.Key,
				Message: fmt.Sprintf("there are more than %d training runs", mostCells),
				Hint:    "split the experiment into several files",
			}}
		}
	}
	cells := make([]Cell, 0, n)
	var missing gaps
	known := s.rowNames()
	for _, a := range s.arms {
		missing.arm(a)
		for at := range s.points {
			t := missing.row(s.blend(a, at), known)
			missing.look(t, at)
			c := s.cell(a, at, t)
			for _, seed := range s.Seeds {
				c.Seed, c.Picks = seed, maps.Clone(c.Picks)
				if !c.SameData {
					c.DataSeed = seed
				}
				cells = append(cells, c)
			}
		}
	}
	return cells, missing.problems(s).orNil()
}

// points yields every point of the sweep, one coordinate per axis; the last axis changes
// fastest.
func (s *Spec) points(yield func([]point) bool) {
	index := make([]int, len(s.Axes))
	for {
		at := make([]point, len(s.Axes))
		for k, a := range s.Axes {
			at[k] = a.points[index[k]]
		}
		if !yield(at) {
			return
		}
		k := len(index) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < len(s.Axes[k].points) {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// blend returns the whole setting of an arm at a point.
func (s *Spec) blend(a arm, at []point) table {
	t := s.setting
	for _, p := range at {
		t = layer(t, p.set)
	}
	for _, set := range a.sets {
		t = layer(t, set)
	}
	// Defaults come last: had they been named first, they would take parameters with them
	// that were meant for whatever a method names.
	return layer(defaults(), t)
}

// cell returns what a setting says, without a seed. What is missing or wrong is left out.
func (s *Spec) cell(a arm, at []point, t table) Cell {
	c := Cell{
		Method: a.label, Role: a.role, Parent: a.parent,
		Law: t.text("law") == "known", Oracle: t.flag("oracle"), Disclose: t.text("disclosure"),
		Held:    t.number("validation"),
		Clients: t.whole("clients"), Rounds: t.whole("rounds"), Every: t.whole("measure_every"),
		Picks:   make(map[string]Pick, len(slots)),
		Origins: make(map[string]Span, 32), // as many as a small cell has
	}
	if initial, given := t.get("initial"); given {
		from := pick(initial)
		c.Initial = from.Name
		if len(from.Params) > 0 {
			c.InitialFile = from.Params
		}
	}
	c.TestByClient, c.HeldOut = t.text("test") == "client", t.number("held_out")
	if _, given := t.get("data_seed"); given {
		c.SameData, c.DataSeed = true, uint64(t.whole("data_seed"))
	}
	c.Origins["method"], c.Origins["seed"] = a.at, s.seedsAt
	for k, p := range at {
		axis := s.Axes[k].Name
		c.Point = append(c.Point, Coordinate{axis, p.label})
		c.Origins["sweep."+axis] = p.at
	}
	for _, f := range t {
		trace(c.Origins, f.key, f.node)
		if slices.Contains(slots, f.key) {
			if p := pick(f.node); p.Name != "" {
				c.Picks[f.key] = p
			}
			traceName(c.Origins, f.key, f.node)
		}
	}
	row, _ := t.get(chainKey)
	links, _ := row.value.(list)
	for i, link := range links {
		c.Preprocess = append(c.Preprocess, pick(link))
		traceName(c.Origins, fmt.Sprintf("%s[%d]", chainKey, i), link)
	}
	metrics, _ := t.get("metrics")
	items, _ := metrics.value.(list)
	for i, item := range items {
		c.Measures = append(c.Measures, measure(item))
		traceName(c.Origins, fmt.Sprintf("metrics[%d]", i), item)
	}
	return c
}

// traceName records where the name of a component that is only a name was written.
func traceName(origins map[string]Span, path string, n node) {
	if _, ok := n.value.(string); ok {
		origins[path+".name"] = n.at
	}
}

// pick returns the component that a value describes; it has no name when the value does
// not give one.
func pick(n node) Pick {
	t, _ := component(n)
	_, params := t.split("name")
	return Pick{Name: t.text("name"), Params: plainTable(params)}
}

// measure returns the metric that a value describes.
func measure(n node) Measure {
	t, _ := component(n)
	_, params := t.split("name", "label", "iterate")
	m := Measure{
		Pick:    Pick{Name: t.text("name"), Params: plainTable(params)},
		Key:     t.text("label"),
		Average: t.text("iterate") == "average",
		Best:    t.text("iterate") == "best",
	}
	if m.Key == "" {
		m.Key = m.Name
	}
	return m
}
