package reports

import (
	"iter"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// tidyBefore and tidyAfter are the columns of a run as one long table, but for those of the
// sweep, which stand between them.
var (
	tidyBefore = []string{"cell", "method"}
	tidyAfter  = []string{"seed", "round", "metric", "value"}
)

// A tidy is a run as one long table, a row for every value that was measured, as pandas and R
// want it. Cells without a result have no rows.
type tidy struct {
	in   *infer.Input
	axes []tidyAxis
}

// A tidyAxis is an axis of the sweep as a column.
type tidyAxis struct {
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

func newTidy(in *infer.Input) (*tidy, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	discreet := in.Discreet()
	in = &discreet
	t := &tidy{in: in}
	for k, c := range in.Cells[0].Point {
		a := tidyAxis{column: c.Axis, prefix: c.Axis[strings.LastIndexByte(c.Axis, '.')+1:] + " = "}
		if slices.Contains(tidyBefore, a.column) || slices.Contains(tidyAfter, a.column) {
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
func (t *tidy) columns() []string {
	list := slices.Clone(tidyBefore)
	for _, a := range t.axes {
		list = append(list, a.column)
	}
	return append(list, tidyAfter...)
}

// point returns where a cell lies, one text per axis.
func (t *tidy) point(c *study.Cell) []string {
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
func (t *tidy) rows() iter.Seq[measurement] {
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
