package export

import (
	"iter"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// firstColumns and lastColumns are the columns of a run as one long table, but for those of the
// sweep, which stand between them.
var (
	firstColumns = []string{"cell", "method"}
	lastColumns  = []string{"seed", "round", "metric", "value"}
)

// A longTable is a run as one long table, a row for every value that was measured, as pandas and R
// want it. Cells without a result have no rows.
type longTable struct {
	in   *infer.Input
	axes []longAxis
}

// A longAxis is an axis of the sweep as a column.
type longAxis struct {
	column string
	prefix string // of all labels, which the column says already: "k = "
}

// A measurement is a row of it.
type measurement struct {
	cell, method string
	point        []string // one per axis
	seed         uint64
	round        int
	metric       string
	value        float64
}

func newLongTable(in *infer.Input) (*longTable, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	discreet := in.Discreet()
	in = &discreet
	t := &longTable{in: in}
	for k, c := range in.Cells[0].Point {
		a := longAxis{column: c.Axis, prefix: study.LastPart(c.Axis) + " = "}
		if slices.Contains(firstColumns, a.column) || slices.Contains(lastColumns, a.column) {
			a.column = "sweep." + a.column
		}
		if slices.ContainsFunc(in.Cells, func(c study.Cell) bool {
			return !strings.HasPrefix(c.Point[k].Label, a.prefix)
		}) {
			a.prefix = ""
		}
		t.axes = append(t.axes, a)
	}
	return t, nil
}

// columns returns the names of all columns.
func (t *longTable) columns() []string {
	list := slices.Clone(firstColumns)
	for _, a := range t.axes {
		list = append(list, a.column)
	}
	return append(list, lastColumns...)
}

// point returns where a cell lies, one text per axis.
func (t *longTable) point(c *study.Cell) []string {
	var list []string
	for k, a := range t.axes {
		list = append(list, strings.TrimPrefix(c.Point[k].Label, a.prefix))
	}
	return list
}

// measured returns everything that was measured of a cell, with the rounds when it was.
func measured(in *infer.Input, id string) (series []engine.Series, rounds []int) {
	result := in.Results[id]
	if result == nil {
		return nil, nil
	}
	return slices.Concat(result.Series, in.Volatile[id]), result.Rounds
}

// rows yields the rows: by cell in the order of the plan, then by metric, then by round.
func (t *longTable) rows() iter.Seq[measurement] {
	return func(yield func(measurement) bool) {
		for i := range t.in.Cells {
			c := &t.in.Cells[i]
			m := measurement{cell: t.in.IDs[i], method: c.Method, point: t.point(c), seed: c.Seed}
			series, rounds := measured(t.in, m.cell)
			for _, s := range series {
				m.metric = s.Key
				for k := range min(len(s.Values), len(rounds)) {
					m.round, m.value = rounds[k], s.Values[k]
					if !yield(m) {
						return
					}
				}
			}
		}
	}
}
