package infer

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Method is one row of every table.
type Method struct{ Label, Role, Parent string }

// Ranked reports whether the method competes: bounds and literature do not.
func (m Method) Ranked() bool { return m.Role == "" }

// A Point is a place on the axes that lie across a table, or a block of it.
type Point []Coordinate

// key tells points apart.
func (p Point) key() string {
	var b strings.Builder
	for _, c := range p {
		b.WriteString(c.Axis + "\x00" + c.Label + "\x00")
	}
	return b.String()
}

// A Block is what one table shows: one value of every axis that is not across.
type Block struct {
	At     Point   // on the axes that are not across; empty when all are
	Points []Point // on those that are, in plan order; one empty point without axes
}

// A Plan is the cells of an Input, found by method and point.
type Plan struct {
	In      *Input
	Methods []Method // rows, ablations under their parent
	Axes    []string // across
	Metrics []string
	Seeds   []uint64 // of all cells, in plan order
	Blocks  []Block
	cells   map[string][]int   // indices into in.Cells, by key of method, block and point
	effects map[[2]int]float64 // detectable differences found so far, by seeds and tests
	leading map[int][]int      // cells of a place with other settings, by its first

	CommonRounds map[roundsKey][]int // rounds in which all runs of a key were measured
	keys         []roundsKey         // of the cells
	planned      map[[2]int][]int    // rounds in which cells are measured, by rounds and every
}

// NewPlan finds the cells of an input.
func NewPlan(in *Input) *Plan {
	p := &Plan{In: in, Metrics: in.Report.Metrics,
		cells: map[string][]int{}, effects: map[[2]int]float64{}, leading: map[int][]int{}}
	p.findCommonRounds()
	blocks := map[string]int{}
	var found []Method
	for i := range in.Cells {
		c := &in.Cells[i]
		across, at := p.split(c)
		b, known := blocks[at.key()]
		if !known {
			b = len(p.Blocks)
			blocks[at.key()] = b
			p.Blocks = append(p.Blocks, Block{At: at})
		}
		key := CellKey(c.Method, at, across)
		if !slices.ContainsFunc(p.Blocks[b].Points, across.equal) {
			p.Blocks[b].Points = append(p.Blocks[b].Points, across)
		}
		if m := (Method{c.Method, c.Role, c.Parent}); !slices.Contains(found, m) {
			found = append(found, m)
		}
		if !slices.Contains(p.Seeds, c.Seed) {
			p.Seeds = append(p.Seeds, c.Seed)
		}
		p.cells[key] = append(p.cells[key], i)
	}
	p.Methods = nestAblations(append(found, in.literature()...))
	if len(p.Metrics) == 0 {
		for _, m := range in.Cells[0].Measures {
			p.Metrics = append(p.Metrics, m.Key)
		}
	}
	return p
}

// literature returns the published rows that have a number at some point.
func (in *Input) literature() []Method {
	var rows []Method
	for _, ref := range in.References {
		m := Method{Label: ref.Row, Role: ref.Role}
		if ref.Role == "" || slices.Contains(rows, m) {
			continue
		}
		for i := range in.Cells {
			if HasLabels(PointOf(in.Cells[i].Point), ref.Point) {
				rows = append(rows, m)
				break
			}
		}
	}
	return rows
}

// split returns where a cell lies on the axes across the table and on the others.
func (p *Plan) split(c *study.Cell) (across, at Point) {
	columns := p.In.Report.Columns
	for _, co := range c.Point {
		if len(columns) > 0 && !slices.Contains(columns, co.Axis) {
			at = append(at, Coordinate(co))
			continue
		}
		across = append(across, Coordinate(co))
		if !slices.Contains(p.Axes, co.Axis) {
			p.Axes = append(p.Axes, co.Axis)
		}
	}
	return across, at
}

// equal reports whether two points are the same.
func (p Point) equal(q Point) bool { return slices.Equal(p, q) }

// CellKey tells places of a table apart: a row or a metric, a block and a point.
func CellKey(label string, at, across Point) string {
	return label + "\x00" + at.key() + "\x01" + across.key()
}

// Row returns the row of the method with a label; −1 for none, and for no label.
func (p *Plan) Row(label string) int {
	return slices.IndexFunc(p.Methods, func(m Method) bool {
		return label != "" && m.Label == label
	})
}

// CellsAt returns the indices of the cells of a method at a point of a block.
func (p *Plan) CellsAt(m Method, b *Block, across Point) []int {
	return p.cells[CellKey(m.Label, b.At, across)]
}

// nestAblations puts ablations under the method they change.
func nestAblations(found []Method) []Method {
	var rows []Method
	var add func(m Method)
	add = func(m Method) {
		rows = append(rows, m)
		for _, child := range found {
			if child.Parent != "" && child.Parent == m.Label {
				add(child)
			}
		}
	}
	for _, m := range found {
		under := m.Parent != "" &&
			slices.ContainsFunc(found, func(o Method) bool { return o.Label == m.Parent })
		if !under {
			add(m)
		}
	}
	return rows
}

// DetectableEffect returns the smallest detectable difference, in standard deviations of the paired
// differences over n seeds, of the first step of Holm's procedure for a number of tests:
// the step that a difference must pass when it is the only one.
func (p *Plan) DetectableEffect(n, tests int) float64 {
	key := [2]int{n, tests}
	if _, known := p.effects[key]; !known {
		p.effects[key] = detectable(n, Alpha/float64(tests))
	}
	return p.effects[key]
}

// HasLabels reports whether a place has all the labels.
func HasLabels(place Point, labels []string) bool {
	for _, label := range labels {
		if !slices.ContainsFunc(place, func(c Coordinate) bool { return c.Label == label }) {
			return false
		}
	}
	return true
}

// A Coordinate is a place on one axis of the sweep.
type Coordinate struct {
	Axis  string `json:"axis"`
	Label string `json:"label"`
}

// Name names a coordinate: "size = quick" for the label "quick" on size, and for "size = quick".
func (c Coordinate) Name() string {
	last := study.LastPart(c.Axis)
	return last + " = " + strings.TrimPrefix(c.Label, last+" = ")
}

// Label names a point.
func Label(p Point) string {
	var labels []string
	for _, c := range p {
		labels = append(labels, c.Label)
	}
	return strings.Join(labels, ", ")
}
