package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// Begun returns the input of the points of the sweep at which some cell has a result or has failed,
// where there are others and the points can be told by filters. Else it is the input itself, as is
// that of a part. A method that an axis does not change is one experiment at several points: its
// result counts where all cells of a point are such.
func (in *Input) Begun() *Input {
	if in.Whole != nil {
		return in
	}
	points, keys := map[string]map[string]bool{}, make([]string, len(in.Cells)) // by identity
	for i, id := range in.IDs {
		keys[i] = PointOf(in.Cells[i].Point).key()
		if points[id] == nil {
			points[id] = map[string]bool{}
		}
		points[id][keys[i]] = true
	}
	own, begun := map[string]bool{}, map[string]bool{} // by point
	for i, id := range in.IDs {
		own[keys[i]] = own[keys[i]] || len(points[id]) == 1
	}
	for i, id := range in.IDs {
		_, failed := in.Failures[id]
		if (failed || in.Results[id] != nil) && (len(points[id]) == 1 || !own[keys[i]]) {
			begun[keys[i]] = true
		}
	}
	part, kept := *in, make([]bool, len(in.Cells))
	part.Cells, part.IDs = nil, nil
	for i, key := range keys {
		if kept[i] = begun[key]; kept[i] {
			part.Cells, part.IDs = append(part.Cells, in.Cells[i]), append(part.IDs, in.IDs[i])
		}
	}
	if filters, ok := study.Filters(in.Cells, kept); !ok || len(filters) == 0 {
		return in
	}
	part.Whole = in.Cells
	if t := in.Tuning; t != nil && t.Open {
		tuning := *t
		tuning.Open = slices.ContainsFunc(part.Cells, func(c study.Cell) bool {
			return t.Choice(&c) == nil
		})
		part.Tuning = &tuning // other points do not matter
	}
	return &part
}

// Kept says of each cell of the experiment whether the input has it; nil of one that has all.
func (in *Input) Kept() []bool {
	if in.Whole == nil {
		return nil
	}
	key := func(c *study.Cell) string {
		return fmt.Sprint(c.Seed, " ", PlaceKey(c.Method, PointOf(c.Point)))
	}
	has := map[string]bool{}
	for i := range in.Cells {
		has[key(&in.Cells[i])] = true
	}
	kept := make([]bool, len(in.Whole))
	for i := range in.Whole {
		kept[i] = has[key(&in.Whole[i])]
	}
	return kept
}

// PartName names the part of the experiment that the input is, as "size = quick"; "" of all of it.
func (in *Input) PartName() string {
	kept := in.Kept()
	if !slices.Contains(kept, false) {
		return ""
	}
	filters, ok := study.Filters(in.Whole, kept)
	if !ok {
		return fmt.Sprintf("%d of %d runs", len(in.Cells), len(in.Whole))
	}
	var names []string
	last := ""
	for _, f := range filters {
		axis, label, _ := strings.Cut(f, "=")
		name := Coordinate{axis, label}.Name()
		if axis == last {
			_, value, _ := strings.Cut(name, " = ")
			names[len(names)-1] += " or " + value
			continue
		}
		names, last = append(names, name), axis
	}
	return strings.Join(names, ", ")
}
