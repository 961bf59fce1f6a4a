package reports

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A method is one row of every table.
type method struct{ label, role, parent string }

// ranked reports whether the method competes: bounds and literature do not.
func (m method) ranked() bool { return m.role == "" }

// A point is a place on the axes that lie across a table, or a block of it.
type point []Coordinate

// key tells points apart.
func (p point) key() string {
	var b strings.Builder
	for _, c := range p {
		b.WriteString(c.Axis + "\x00" + c.Label + "\x00")
	}
	return b.String()
}

// A block is what one table shows: one value of every axis that is not across.
type block struct {
	at     point   // on the axes that are not across; empty when all are
	points []point // on those that are, in plan order; one empty point without axes
}

// A plan is the cells of an Input, found by method and point.
type plan struct {
	in      *Input
	methods []method // rows, ablations under their parent
	axes    []string // across
	metrics []string
	seeds   []uint64 // of all cells, in plan order
	blocks  []block
	cells   map[string][]int   // indices into in.Cells, by key of method, block and point
	effects map[[2]int]float64 // detectable differences found so far, by seeds and tests

	common  map[runsKey][]int // rounds in which all runs of a key were measured
	keys    []runsKey         // of the cells
	planned map[[2]int][]int  // rounds in which cells are measured, by rounds and every
}

func newPlan(in *Input) *plan {
	p := &plan{in: in, metrics: in.Report.Metrics,
		cells: map[string][]int{}, effects: map[[2]int]float64{}}
	p.share()
	blocks := map[string]int{}
	var found []method
	for i := range in.Cells {
		c := &in.Cells[i]
		across, at := p.split(c)
		b, known := blocks[at.key()]
		if !known {
			b = len(p.blocks)
			blocks[at.key()] = b
			p.blocks = append(p.blocks, block{at: at})
		}
		key := cellKey(c.Method, at, across)
		if !slices.ContainsFunc(p.blocks[b].points, across.same) {
			p.blocks[b].points = append(p.blocks[b].points, across)
		}
		if m := (method{c.Method, c.Role, c.Parent}); !slices.Contains(found, m) {
			found = append(found, m)
		}
		if !slices.Contains(p.seeds, c.Seed) {
			p.seeds = append(p.seeds, c.Seed)
		}
		p.cells[key] = append(p.cells[key], i)
	}
	p.methods = nest(append(found, in.literature()...))
	if len(p.metrics) == 0 {
		for _, m := range in.Cells[0].Measures {
			p.metrics = append(p.metrics, m.Key)
		}
	}
	return p
}

// literature returns the rows that nobody ran and that have a number at some point.
func (in *Input) literature() []method {
	var rows []method
	for _, ref := range in.References {
		m := method{label: ref.Row, role: ref.Role}
		if ref.Role == "" || slices.Contains(rows, m) {
			continue
		}
		for i := range in.Cells {
			var at point
			for _, c := range in.Cells[i].Point {
				at = append(at, Coordinate(c))
			}
			if lies(at, ref.Point) {
				rows = append(rows, m)
				break
			}
		}
	}
	return rows
}

// split returns where a cell lies on the axes across the table and on the others.
func (p *plan) split(c *study.Cell) (across, at point) {
	columns := p.in.Report.Columns
	for _, co := range c.Point {
		if len(columns) > 0 && !slices.Contains(columns, co.Axis) {
			at = append(at, Coordinate(co))
			continue
		}
		across = append(across, Coordinate(co))
		if !slices.Contains(p.axes, co.Axis) {
			p.axes = append(p.axes, co.Axis)
		}
	}
	return across, at
}

func (p point) same(q point) bool { return slices.Equal(p, q) }

func cellKey(label string, at, across point) string {
	return label + "\x00" + at.key() + "\x01" + across.key()
}

// row returns the row of the method with a label; −1 for none, and for no label.
func (p *plan) row(label string) int {
	return slices.IndexFunc(p.methods, func(m method) bool {
		return label != "" && m.label == label
	})
}

// at returns the indices of the cells of a method at a point of a block.
func (p *plan) at(m method, b *block, across point) []int {
	return p.cells[cellKey(m.label, b.at, across)]
}

// lastPart returns "alpha" of "partition.alpha".
func lastPart(axis string) string { return axis[strings.LastIndexByte(axis, '.')+1:] }

// nest puts ablations under the method they change.
func nest(found []method) []method {
	var rows []method
	var add func(m method)
	add = func(m method) {
		rows = append(rows, m)
		for _, child := range found {
			if child.parent != "" && child.parent == m.label {
				add(child)
			}
		}
	}
	for _, m := range found {
		under := m.parent != "" &&
			slices.ContainsFunc(found, func(o method) bool { return o.label == m.parent })
		if !under {
			add(m)
		}
	}
	return rows
}

// effect returns the smallest detectable difference, in standard deviations of the paired
// differences over n seeds, of the first step of Holm's procedure for a number of tests:
// the step that a difference must pass when it is the only one.
func (p *plan) effect(n, tests int) float64 {
	key := [2]int{n, tests}
	if _, known := p.effects[key]; !known {
		p.effects[key] = detectable(n, level/float64(tests))
	}
	return p.effects[key]
}
