package table

import (
	"errors"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A draft is a table in the making.
type draft struct {
	*tablePlan
	block   *infer.Block
	table   *Table
	samples [][]infer.Sample // by row and column
	family  []int            // by column: how many tests were made
	pairs   [][]infer.Paired // by column and row, of the columns that are compared
	others  []int            // by row: that which it is compared with, if not itself; −1 for none
	numbers map[string]int
}

// Build returns one table per value of the axes that Report.Columns does not name; one
// table when it names all of them or none.
func Build(in infer.Input) ([]Table, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if err := in.SetDefaults(); err != nil {
		return nil, err
	}
	names := in.Paths()
	in = names.Shorten(in)
	claims := JudgeClaims("", &in)
	p := newTablePlan(in.WithWorst())
	if len(p.Metrics) == 0 {
		return nil, errors.New("reports: no metrics")
	}
	tables := make([]Table, len(p.Blocks))
	for i := range p.Blocks {
		tables[i] = p.table(&p.Blocks[i])
		if i == len(p.Blocks)-1 {
			tables[i].addClaims(&claims)
		}
		shortenPaths(&tables[i], names)
	}
	return tables, nil
}

// table makes the table of a block.
func (p *tablePlan) table(b *infer.Block) Table {
	d := p.draft(b)
	d.footnotes()
	d.addCosts()
	d.table.legendFirst()
	return *d.table
}

// draft makes the table of a block, all but its footnotes.
func (p *tablePlan) draft(b *infer.Block) *draft {
	t := Table{
		Title: p.In.Title, Block: nonNil([]infer.Coordinate(b.At)),
		Axes: nonNil(p.Axes), Seeds: nonNil(p.Seeds),
		Spread: p.In.Report.Spread, Against: p.In.Report.Against,
		Command: p.In.Command, Origin: p.In.Origin, Hash: p.In.Hash, Look: p.In.Look,
		Across: p.In.Report.Across,
	}
	d := &draft{tablePlan: p, block: b, table: &t, numbers: map[string]int{}}
	if name := p.In.Report.Baseline; p.Row(name) >= 0 {
		t.Baseline = name
	}
	d.columns()
	d.rows()
	for r := range t.Rows {
		d.others = append(d.others, p.Row(t.ComparedWith(r)))
	}
	for c := range t.Columns {
		if d.compared(c) {
			d.compare(c)
		}
		if t.Columns[c].Direction != infer.None {
			d.rank(c)
		}
	}
	return d
}

// nonNil returns a copy of a list that is not nil, so that JSON shows it empty.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

func (d *draft) columns() {
	for _, at := range d.block.Points {
		for k, metric := range d.Metrics {
			d.table.Columns = append(d.table.Columns, d.column(at, metric, k == 0))
		}
	}
	d.family = make([]int, len(d.table.Columns))
	d.pairs = make([][]infer.Paired, len(d.table.Columns))
}

// column makes the column of a metric at a point: with the unit and the direction of the
// quantity that it is of, and the rounds of those that measure it.
func (d *draft) column(at infer.Point, metric string, primary bool) Column {
	c := Column{Point: nonNil([]infer.Coordinate(at)), Metric: metric, Primary: primary,
		Notes: []int{}}
	id := d.quantityAt(d.block, at, metric)
	c.Quantity = id.of
	s := d.AnySeries(metric)
	found := false
	for r, m := range d.Methods {
		if id.rows[r] == nil || id.differs[r] != nil {
			continue
		}
		for _, i := range d.CellsAt(m, d.block, at) {
			own := d.Series(d.In.IDs[i], metric)
			if own != nil && !found {
				s, found = own, true
			}
			if c.Rounds == nil {
				c.Rounds = infer.SpanOf(d.Window(i))
			}
		}
	}
	if s != nil {
		c.Unit, c.Direction = s.Unit, infer.DirectionOf(s)
	}
	return c
}

func (d *draft) rows() {
	for _, m := range d.Methods {
		row := Row{Method: m.Label, Role: m.Role, Parent: m.Parent, Notes: []int{}}
		var samples []infer.Sample
		for _, at := range d.block.Points {
			cells := d.CellsAt(m, d.block, at)
			for _, metric := range d.Metrics {
				s := d.Sample(cells, metric)
				s.Differs = d.quantityAt(d.block, at, metric).differs[len(d.samples)]
				s.Incomparable = s.Differs != nil && !d.In.Report.Across
				samples = append(samples, s)
				cell := d.cell(&s, cells)
				cell.Rounds = d.ownRounds(cells, &d.table.Columns[len(row.Cells)])
				row.Cells = append(row.Cells, cell)
			}
		}
		d.samples = append(d.samples, samples)
		d.table.Rows = append(d.table.Rows, row)
	}
	d.addQuotes()
}

// ownRounds returns the rounds that the cells of a place have values of, if these are not the
// column's.
func (d *draft) ownRounds(cells []int, column *Column) *infer.Span {
	if len(cells) == 0 {
		return nil
	}
	own := infer.SpanOf(d.Window(cells[0]))
	if own == nil || column.Rounds == nil || *own == *column.Rounds {
		return nil
	}
	return own
}

// cell summarises a sample of the cells with the given indices.
func (d *draft) cell(s *infer.Sample, cells []int) Cell {
	c := Cell{State: d.state(s, cells), Planned: len(s.Planned), Mean: Number(math.NaN()),
		Seeds: nonNil(s.Seeds), Values: []Number{}, Notes: []int{},
		Comparable: s.Differs == nil, Differs: s.Differs}
	for _, x := range s.Values {
		c.Values = append(c.Values, Number(x))
	}
	if len(s.Values) > 0 {
		c.Mean = Number(s.Mean())
	}
	sd := s.SD()
	c.SD, c.Spread = Number(sd), Number(infer.Spread(d.table.Spread, sd, len(s.Values)))
	return c
}

func (d *draft) state(s *infer.Sample, cells []int) State {
	switch {
	case len(cells) == 0:
		return Absent
	case len(s.Values) > 0 && !s.Finite():
		return NotFinite
	case s.Complete():
		return Complete
	case len(s.Values) > 0:
		return Partial
	}
	state := Missing
	for _, i := range cells {
		if d.In.Results[d.In.IDs[i]] != nil {
			return Unmeasured
		}
		if _, failed := d.In.Failures[d.In.IDs[i]]; failed {
			state = Failed
		}
	}
	return state
}

// addQuotes puts the numbers of others beside ours: a reference stands wherever its labels
// are all among the place's.
func (d *draft) addQuotes() {
	for _, ref := range d.In.References {
		r := slices.IndexFunc(d.Methods, func(m infer.Method) bool { return m.Label == ref.Row })
		for c := range d.table.Columns {
			column := &d.table.Columns[c]
			if ref.Claim != "" || r < 0 || ref.Col != column.Metric ||
				!infer.HasLabels(slices.Concat(d.block.At, column.Point), ref.Point) {
				continue
			}
			d.table.Rows[r].Cells[c].Paper = &Quote{
				Value: Number(ref.Value), Source: ref.Source, Notes: []int{}}
		}
	}
}
