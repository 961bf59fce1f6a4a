package table

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// An columnQuantity says what is measured at one point under one key: by the column, and by rows
// that measure something else.
type columnQuantity struct {
	of      study.Quantity   // the column's; nil where no row has any
	rows    []study.Quantity // nil where nothing of the kind is measured
	differs [][]string       // by row: in what it differs from the column
}

// A tablePlan is a plan with what its cells measure.
type tablePlan struct {
	*infer.Plan
	identities map[string]*columnQuantity // found so far, by key, block and point
}

func newTablePlan(in *infer.Input) *tablePlan { return planOf(infer.NewPlan(in)) }

func planOf(p *infer.Plan) *tablePlan {
	return &tablePlan{Plan: p, identities: map[string]*columnQuantity{}}
}

// quantityAt says what is measured at a point of a block under a key.
func (p *tablePlan) quantityAt(b *infer.Block, at infer.Point, key string) *columnQuantity {
	name := infer.CellKey(key, b.At, at)
	if id := p.identities[name]; id != nil {
		return id
	}
	id := &columnQuantity{rows: make([]study.Quantity, len(p.Methods)),
		differs: make([][]string, len(p.Methods))}
	p.identities[name] = id
	for r, m := range p.Methods {
		id.rows[r] = p.Quantity(p.CellsAt(m, b, at), key)
	}
	if id.of = p.reference(id.rows); id.of == nil {
		return id
	}
	digest := id.of.Digest()
	for r, q := range id.rows {
		if q != nil && q.Digest() != digest {
			id.differs[r] = q.Differences(id.of)
		}
	}
	return id
}

// reference returns the quantity that a column is of: that of the baseline, if it has one, or
// else the one of most rows that compete, of several the first.
func (p *tablePlan) reference(rows []study.Quantity) study.Quantity {
	if r := p.Row(p.In.Report.Baseline); r >= 0 && rows[r] != nil {
		return rows[r]
	}
	var best study.Quantity
	most := 0
	for _, ranked := range []bool{true, false} { // bounds where there is nothing else
		count := map[string]int{}
		for r, q := range rows {
			if q != nil && p.Methods[r].Ranked() == ranked {
				count[q.Digest()]++
			}
		}
		for r, q := range rows {
			if q != nil && p.Methods[r].Ranked() == ranked && count[q.Digest()] > most {
				best, most = q, count[q.Digest()]
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// differNotes says of rows, or of their cells, that they measure something else than their
// column and what; of a report across such differences it is said in one line.
func (d *draft) differNotes() {
	var across []string
	for r := range d.table.Rows {
		texts := d.differTexts(r)
		if len(texts) == 0 {
			continue
		}
		if d.In.Report.Across {
			across = append(across, study.OneLine(d.Methods[r].Label)+" ("+
				strings.Join(slices.Compact(slices.Sorted(slices.Values(texts))), "; ")+")")
			continue
		}
		d.markDifferences(r, texts)
	}
	if len(across) > 0 {
		d.explain("", "across = true: ranked and tested though they measure something else: %s",
			strings.Join(across, "; "))
	}
}

// differTexts returns in what the cells of a row differ from their columns, for columns that
// are ranked; "" where they do not. Nil: nowhere.
func (d *draft) differTexts(r int) []string {
	var texts []string
	some := false
	for c := range d.table.Columns {
		if d.table.Columns[c].Direction == infer.None || len(d.samples[r][c].Planned) == 0 {
			continue
		}
		text := strings.Join(d.samples[r][c].Differs, "; ")
		texts, some = append(texts, text), some || text != ""
	}
	if !some {
		return nil
	}
	return texts
}

// markDifferences marks the row where all its cells differ in the same, else the cells.
func (d *draft) markDifferences(r int, texts []string) {
	row := &d.table.Rows[r]
	note := func(text string, cell *Cell) int {
		if cell.Rounds != nil {
			text += " (values of " + cell.Rounds.String() + ")"
		}
		return d.mark(text + ": shown, neither ranked nor tested")
	}
	if len(slices.Compact(slices.Clone(texts))) == 1 {
		row.Notes = append(row.Notes, note(texts[0], &row.Cells[0]))
		return
	}
	for c := range row.Cells {
		cell, differs := &row.Cells[c], d.samples[r][c].Differs
		if d.table.Columns[c].Direction != infer.None && len(differs) > 0 {
			cell.Notes = append(cell.Notes, note(strings.Join(differs, "; "), cell))
		}
	}
}

// IncomparableIn says for the note of a chart which methods of a plan measure something else than
// the others under a key, and what; "" where none does.
func IncomparableIn(of *infer.Plan, key string) string {
	p := planOf(of)
	var texts []string
	for b := range p.Blocks {
		for _, at := range p.Blocks[b].Points {
			for _, text := range p.differing(&p.Blocks[b], at, key) {
				if !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			}
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return p.incomparableNote(texts)
}

// differing returns the methods that measure something else under a key at a point of a block,
// each with what it is.
func (p *tablePlan) differing(b *infer.Block, at infer.Point, key string) []string {
	var texts []string
	id := p.quantityAt(b, at, key)
	for r, m := range p.Methods {
		if id.differs[r] != nil {
			texts = append(texts, study.OneLine(m.Label)+": "+strings.Join(id.differs[r], "; "))
		}
	}
	return texts
}

// incomparableNote joins mismatches to the note of a chart.
func (p *tablePlan) incomparableNote(texts []string) string {
	return "not comparable: " + p.In.Paths().In(strings.Join(texts, "; "))
}

// Incomparable returns for each cell of an input what notes of charts say of a metric at its
// point: which methods measure something else than the others, and what; "" where none does.
func Incomparable(in infer.Input, metric string) []string {
	p := newTablePlan(&in)
	notes := make([]string, len(in.Cells))
	for b := range p.Blocks {
		for _, at := range p.Blocks[b].Points {
			texts := p.differing(&p.Blocks[b], at, metric)
			if len(texts) == 0 {
				continue
			}
			note := p.incomparableNote(texts)
			for _, m := range p.Methods {
				for _, i := range p.CellsAt(m, &p.Blocks[b], at) {
					notes[i] = note
				}
			}
		}
	}
	return notes
}
