package reports

import (
	"errors"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
)

// A draft is a table in the making.
type draft struct {
	*tablePlan
	block   *block
	table   *Table
	samples [][]sample  // by row and column
	family  []int       // by column: how many tests were made
	pairs   [][]pairing // by column and row, of the columns that are compared
	others  []int       // by row: that which it is compared with, if not itself; −1 for none
	numbers map[string]int
}

// Build returns one table per value of the axes that Report.Columns does not name; one
// table when it names all of them or none.
func Build(in Input) ([]Table, error) {
	if err := in.aligned(); err != nil {
		return nil, err
	}
	if err := in.settle(); err != nil {
		return nil, err
	}
	names := in.Paths()
	in = names.discreet(in)
	p := newTablePlan(&in)
	if len(p.metrics) == 0 {
		return nil, errors.New("reports: no metrics")
	}
	tables := make([]Table, len(p.blocks))
	for i := range p.blocks {
		tables[i] = p.table(&p.blocks[i])
		shortenPaths(&tables[i], names)
	}
	return tables, nil
}

// table makes the table of a block.
func (p *tablePlan) table(b *block) Table {
	d := p.draft(b)
	d.footnotes()
	return *d.table
}

// draft makes the table of a block, all but its footnotes.
func (p *tablePlan) draft(b *block) *draft {
	t := Table{
		Title: p.in.Title, Block: listed([]Coordinate(b.at)),
		Axes: listed(p.axes), Seeds: listed(p.seeds),
		Spread: p.in.Report.Spread, Against: p.in.Report.Against,
		Command: p.in.Command, Origin: p.in.Origin, Hash: p.in.Hash, Look: p.in.Look,
		Across: p.in.Report.Across,
	}
	d := &draft{tablePlan: p, block: b, table: &t, numbers: map[string]int{}}
	if name := p.in.Report.Baseline; p.row(name) >= 0 {
		t.Baseline = name
	}
	d.columns()
	d.rows()
	for r := range t.Rows {
		d.others = append(d.others, p.row(t.other(r)))
	}
	for c := range t.Columns {
		if d.compared(c) {
			d.compare(c)
		}
		if t.Columns[c].Direction != None {
			d.rank(c)
		}
	}
	return d
}

// listed returns a copy of a list that is not nil, so that JSON shows it empty.
func listed[T any](list []T) []T { return append([]T{}, list...) }

func (d *draft) columns() {
	for _, at := range d.block.points {
		for k, metric := range d.metrics {
			d.table.Columns = append(d.table.Columns, d.column(at, metric, k == 0))
		}
	}
	d.family = make([]int, len(d.table.Columns))
	d.pairs = make([][]pairing, len(d.table.Columns))
}

// column makes the column of a metric at a point: with the unit and the direction of the
// quantity that it is of, and the rounds of those that measure it.
func (d *draft) column(at point, metric string, primary bool) Column {
	c := Column{Point: listed([]Coordinate(at)), Metric: metric, Primary: primary, Notes: []int{}}
	id := d.identify(d.block, at, metric)
	c.Quantity = id.of
	s := d.some(metric)
	found := false
	for r, m := range d.methods {
		if id.rows[r] == nil || id.differs[r] != nil {
			continue
		}
		for _, i := range d.at(m, d.block, at) {
			own := d.series(d.in.IDs[i], metric)
			if own != nil && !found {
				s, found = own, true
			}
			if c.Rounds == nil {
				c.Rounds = spanOf(d.window(i))
			}
		}
	}
	if s != nil {
		c.Unit, c.Direction = s.Unit, directionOf(s)
	}
	return c
}

// directionOf says which values of a series are better.
func directionOf(s *engine.Series) Direction {
	switch {
	case cumulative(s.Unit) || s.Describes:
		return None
	case s.Higher:
		return Up
	}
	return Down
}

func (d *draft) rows() {
	for _, m := range d.methods {
		row := Row{Method: m.label, Role: m.role, Parent: m.parent, Notes: []int{}}
		var samples []sample
		for _, at := range d.block.points {
			cells := d.at(m, d.block, at)
			for _, metric := range d.metrics {
				s := d.sample(cells, metric)
				s.differs = d.identify(d.block, at, metric).differs[len(d.samples)]
				s.apart = s.differs != nil && !d.in.Report.Across
				samples = append(samples, s)
				cell := d.cell(&s, cells)
				cell.Rounds = d.elsewhere(cells, &d.table.Columns[len(row.Cells)])
				row.Cells = append(row.Cells, cell)
			}
		}
		d.samples = append(d.samples, samples)
		d.table.Rows = append(d.table.Rows, row)
	}
	d.quote()
}

// elsewhere returns the rounds that the cells of a place have values of, if these are not the
// column's.
func (d *draft) elsewhere(cells []int, column *Column) *Span {
	if len(cells) == 0 {
		return nil
	}
	own := spanOf(d.window(cells[0]))
	if own == nil || column.Rounds == nil || *own == *column.Rounds {
		return nil
	}
	return own
}

// cell summarises a sample of the cells with the given indices.
func (d *draft) cell(s *sample, cells []int) Cell {
	c := Cell{State: d.state(s, cells), Planned: len(s.planned), Mean: Number(math.NaN()),
		Seeds: listed(s.seeds), Values: []Number{}, Notes: []int{},
		Comparable: s.differs == nil, Differs: s.differs}
	for _, x := range s.values {
		c.Values = append(c.Values, Number(x))
	}
	if len(s.values) > 0 {
		c.Mean = Number(s.mean())
	}
	sd := s.sd()
	c.SD, c.Spread = Number(sd), Number(spread(d.table.Spread, sd, len(s.values)))
	return c
}

// spread returns what stands behind ± for n values with standard deviation sd.
func spread(kind string, sd float64, n int) float64 {
	switch kind {
	case "sem":
		return sd / math.Sqrt(float64(n))
	case "ci":
		if n < 2 {
			return math.NaN()
		}
		return tQuantile(1-level/2, float64(n-1)) * sd / math.Sqrt(float64(n))
	default:
		return sd
	}
}

func (d *draft) state(s *sample, cells []int) State {
	switch {
	case len(cells) == 0:
		return Absent
	case len(s.values) > 0 && !s.finite():
		return NotFinite
	case s.complete():
		return Complete
	case len(s.values) > 0:
		return Partial
	}
	state := Missing
	for _, i := range cells {
		if d.in.Results[d.in.IDs[i]] != nil {
			return Unmeasured
		}
		if _, failed := d.in.Failures[d.in.IDs[i]]; failed {
			state = Failed
		}
	}
	return state
}

// quote puts the numbers of others beside ours: a reference stands wherever its labels
// are all among the place's.
func (d *draft) quote() {
	for _, ref := range d.in.References {
		r := slices.IndexFunc(d.methods, func(m method) bool { return m.label == ref.Row })
		for c := range d.table.Columns {
			column := &d.table.Columns[c]
			if ref.Claim != "" || r < 0 || ref.Col != column.Metric ||
				!lies(slices.Concat(d.block.at, column.Point), ref.Point) {
				continue
			}
			d.table.Rows[r].Cells[c].Paper = &Quote{
				Value: Number(ref.Value), Source: ref.Source, Notes: []int{}}
		}
	}
}

// lies reports whether a place has all the labels.
func lies(place point, labels []string) bool {
	for _, label := range labels {
		if !slices.ContainsFunc(place, func(c Coordinate) bool { return c.Label == label }) {
			return false
		}
	}
	return true
}
