package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Run is an Input with the name by which it is called.
type Run struct {
	Name string
	Input
}

// A pool is an Input in the making, of several runs.
type pool struct {
	Input
	remarks []string
}

// Pool makes one Input of several runs: of all cells at the points of the sweep that all of
// them have and at which their settings agree, with the report of the first run. What belongs
// to a method may differ — aggregator, local rule, selection, preprocessing —, and so may the
// rest where one run has several values and shares one of them with the other; all else must
// be the same. It also returns remarks that say what was left out for that. A method that two
// runs call the same is one row if the cells they share are the same, else the name of its run
// is added. It is an error if nothing is left.
func Pool(runs []Run) (Input, []string, error) {
	first := runs[0]
	u := &pool{Input: first.Input}
	u.Claims, u.Whole = nil, nil // they are of the first run alone
	for i := range runs {
		if err := runs[i].Validate(); err != nil {
			return Input{}, nil, fmt.Errorf("%s: %w", runs[i].Name, err)
		}
	}
	for _, run := range runs[1:] {
		if err := u.join(first.Name, run); err != nil {
			return Input{}, nil, err
		}
	}
	return u.Input, u.remarks, nil
}

// join adds a run to those before it.
func (u *pool) join(first string, run Run) error {
	cells := slices.Clone(run.Cells)
	for i := range cells {
		at, ok := onSameAxes(u.Cells[0].Point, cells[i].Point)
		if !ok {
			return fmt.Errorf("%s and %s have no condition in common: one sweeps %s, the other %s",
				first, run.Name, axesOf(u.Cells[0].Point), axesOf(cells[i].Point))
		}
		cells[i].Point = at
	}
	kept, why := u.common(first, run.Name, cells)
	if len(kept) == 0 {
		return fmt.Errorf("%s and %s have no condition in common: %s", first, run.Name,
			strings.Join(why, "; "))
	}
	u.remarks = append(u.remarks, why...)
	u.keepPoints(kept)
	names := u.names(run, cells)
	for i, c := range cells {
		if !kept[PointOf(c.Point).key()] || u.contains(run.IDs[i], names[c.Method]) {
			continue
		}
		c.Method = names[c.Method]
		if parent, ok := names[c.Parent]; ok {
			c.Parent = parent
		}
		named := func(o study.Cell) bool { return o.Method == c.Method }
		if k := slices.IndexFunc(u.Cells, named); k >= 0 {
			c.Role, c.Parent = u.Cells[k].Role, u.Cells[k].Parent
		}
		u.Cells, u.IDs = append(u.Cells, c), append(u.IDs, run.IDs[i])
	}
	u.Results, u.Failures = both(u.Results, run.Results), both(u.Failures, run.Failures)
	u.Volatile, u.Compiled = both(u.Volatile, run.Volatile), both(u.Compiled, run.Compiled)
	u.Costs = both(u.Costs, run.Costs)
	if u.Curves != nil || run.Curves != nil {
		u.Curves = both(u.Curves, run.Curves)
	}
	u.Strategies = both(u.Strategies, run.Strategies)
	u.Unexamined = both(u.Unexamined, run.Unexamined)
	u.Hash += " " + run.Hash
	u.Builds = slices.Clone(u.Builds)
	for _, b := range run.Builds {
		if !slices.Contains(u.Builds, b) {
			u.Builds = append(u.Builds, b)
		}
	}
	return nil
}

// both returns what is in either map.
func both[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// onSameAxes returns a point in the order of the axes of another; false if it lies on others.
func onSameAxes(order, point []study.Coordinate) ([]study.Coordinate, bool) {
	var sorted []study.Coordinate
	for _, axis := range order {
		for _, c := range point {
			if c.Axis == axis.Axis {
				sorted = append(sorted, c)
			}
		}
	}
	return sorted, len(sorted) == len(order) && len(order) == len(point)
}

// axesOf names the axes of a point.
func axesOf(point []study.Coordinate) string {
	var names []string
	for _, c := range point {
		names = append(names, c.Axis)
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// PointOf are those of a table.
func PointOf(p []study.Coordinate) Point {
	var list Point
	for _, c := range p {
		list = append(list, Coordinate(c))
	}
	return list
}

// common returns the keys of the points that both have and at which their settings agree, and
// says why there are no others.
func (u *pool) common(first, second string, cells []study.Cell) (map[string]bool, []string) {
	kept := map[string]bool{}
	var remarks []string
	ours, theirs := pointsOf(u.Cells), pointsOf(cells)
	for _, at := range ours {
		if !slices.ContainsFunc(theirs, at.equal) {
			remarks = append(remarks, Label(at)+" is not in "+second)
			continue
		}
		differ := sharedNoValue(settingsAt(u.Cells, at), settingsAt(cells, at))
		if differ == "" {
			kept[at.key()] = true
			continue
		}
		where := ""
		if len(at) > 0 {
			where = "at " + Label(at) + ", "
		}
		remarks = append(remarks, where+first+" and "+second+" differ in "+differ)
	}
	for _, at := range theirs {
		if !slices.ContainsFunc(ours, at.equal) {
			remarks = append(remarks, Label(at)+" is not in "+first)
		}
	}
	return kept, remarks
}

// pointsOf lists the points of cells.
func pointsOf(cells []study.Cell) []Point {
	var list []Point
	for i := range cells {
		if at := PointOf(cells[i].Point); !slices.ContainsFunc(list, at.equal) {
			list = append(list, at)
		}
	}
	return list
}

// A settingValues path has these values in the cells of a run.
type settingValues struct {
	path   string
	values []string
}

// settingsAt returns what the cells at a point, bounds apart, have of the settings that are
// not of methods.
func settingsAt(cells []study.Cell, at Point) []settingValues {
	var list []settingValues
	ofMethods := study.MethodKeys()
	for i := range cells {
		c := &cells[i]
		if c.Role != "" || !at.equal(PointOf(c.Point)) {
			continue
		}
		data := setting{"data_seed", "that of the run"}
		if c.SameData {
			data.Value = fmt.Sprint(c.DataSeed)
		}
		for _, s := range append(Settings(c), data) {
			if kind, _, _ := strings.Cut(s.Path, "."); slices.Contains(ofMethods, kind) {
				continue
			}
			k := slices.IndexFunc(list, func(x settingValues) bool { return x.path == s.Path })
			if k < 0 {
				k = len(list)
				list = append(list, settingValues{path: s.Path})
			}
			if !slices.Contains(list[k].values, s.Value) {
				list[k].values = append(list[k].values, s.Value)
			}
		}
	}
	return list
}

// sharedNoValue lists the settings of which two runs share no value.
func sharedNoValue(a, b []settingValues) string {
	var list []string
	for _, x := range a {
		for _, y := range b {
			shared := func(v string) bool { return slices.Contains(y.values, v) }
			if x.path == y.path && !slices.ContainsFunc(x.values, shared) {
				list = append(list, fmt.Sprintf("%s (%s; %s)", x.path, strings.Join(x.values, ", "),
					strings.Join(y.values, ", ")))
			}
		}
	}
	return strings.Join(list, ", ")
}

// keepPoints drops the cells at other points.
func (u *pool) keepPoints(points map[string]bool) {
	var cells []study.Cell
	var ids []string
	for i, c := range u.Cells {
		if points[PointOf(c.Point).key()] {
			cells, ids = append(cells, c), append(ids, u.IDs[i])
		}
	}
	u.Cells, u.IDs = cells, ids
}

// contains reports whether a cell is there under a name.
func (u *pool) contains(id, name string) bool {
	for i := range u.IDs {
		if u.IDs[i] == id && u.Cells[i].Method == name {
			return true
		}
	}
	return false
}

// names returns what the methods of a run are called among those before it.
func (u *pool) names(run Run, cells []study.Cell) map[string]string {
	names := map[string]string{}
	for i, c := range cells {
		if _, known := names[c.Method]; !known {
			names[c.Method] = c.Method
		}
		for k, o := range u.Cells {
			if o.Method == c.Method && o.Seed == c.Seed && slices.Equal(o.Point, c.Point) &&
				u.IDs[k] != run.IDs[i] {
				names[c.Method] = c.Method + " [" + run.Name + "]"
			}
		}
	}
	return names
}
