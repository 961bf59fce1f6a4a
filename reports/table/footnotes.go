package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/infer"
)

// mark returns the number of the footnote with the given text, adding it when it is new.
func (d *draft) mark(text string) int {
	n, known := d.numbers[text]
	if !known {
		n = len(d.numbers) + 1
		d.numbers[text] = n
		d.table.Notes = append(d.table.Notes, Note{Number: n, Text: text})
	}
	return n
}

// footnotes writes the notes: first what concerns the whole table, then, numbered, what
// concerns some of its places, by kind and in reading order.
func (d *draft) footnotes() {
	d.table.Notes = []Note{}
	d.legend()
	d.roleNotes()
	d.columnNotes()
	d.plannedNotes()
	d.claimNotes()
	d.tuningNotes()
	d.placeNotes(d.remarks, d.hasResults)
	d.observationNotes()
	d.noteIdenticalRows(d.block)
	d.noteIdenticalPoints()
	d.placeNotes(d.provenance, hasCells)
	d.worstNotes()
	d.placeNotes(d.estimatedDistributions, d.hasResults)
	d.placeNotes(d.missingResults, hasCells)
	d.cellNotes()
	d.placeNotes(d.hiddenVariation, hasCells)
	d.quoteNotes()
	d.table.sortMarks()
	d.table.legendFirst()
}

// legendFirst puts the notes that have no number before those that have one.
func (t *Table) legendFirst() {
	slices.SortStableFunc(t.Notes, func(a, b Note) int {
		return min(a.Number, 1) - min(b.Number, 1)
	})
}

// sortMarks puts the numbers of footnotes in ascending order at every place, each once.
func (t *Table) sortMarks() {
	sorted := func(notes []int) []int { return slices.Compact(slices.Sorted(slices.Values(notes))) }
	for c := range t.Columns {
		t.Columns[c].Notes = nonNil(sorted(t.Columns[c].Notes))
	}
	for r := range t.Rows {
		row := &t.Rows[r]
		row.Notes = nonNil(sorted(row.Notes))
		for c := range row.Cells {
			cell := &row.Cells[c]
			cell.Notes = nonNil(sorted(cell.Notes))
			if cell.Paper != nil {
				cell.Paper.Notes = nonNil(sorted(cell.Paper.Notes))
			}
		}
	}
}

// columnNotes says which metrics are not means of the last evaluations at θᵗ.
func (d *draft) columnNotes() {
	for c := range d.table.Columns {
		column := &d.table.Columns[c]
		for _, m := range d.In.Cells[0].Measures {
			switch {
			case m.Key != column.Metric:
			case m.Average:
				column.Notes = append(column.Notes, d.mark(
					"measured at the average of θ¹ … θᵗ, not at the last iterate"))
			case m.Best:
				column.Notes = append(column.Notes, d.mark("the best of all evaluations so far, "+
					"chosen by what is measured itself"))
			}
		}
		if fl.Cumulative(column.Unit) {
			column.Notes = append(column.Notes, d.mark("total over all rounds; not ranked"))
		}
	}
}

// roleWords say what a row is that does not compete. They hold of metrics of which less is better,
// too: there the values of an upper bound are the least.
var roleWords = map[string]string{
	"upper-bound": "reference, expected to be the best",
	"lower-bound": "reference, expected to be the worst",
	"literature":  "from the literature",
}

func (d *draft) roleNotes() {
	for r, m := range d.Methods {
		if m.Ranked() {
			continue
		}
		word, known := roleWords[m.Role]
		if !known {
			word = m.Role
		}
		row := &d.table.Rows[r]
		row.Notes = append(row.Notes, d.mark(word+": shown, neither ranked nor tested"))
	}
	d.differNotes()
}

// claimNotes says what others say without numbers: of the table, then of its rows.
func (d *draft) claimNotes() {
	for _, whole := range []bool{true, false} {
		for _, ref := range d.In.References {
			if ref.Claim == "" || whole != (ref.Row == "") ||
				!infer.HasLabels(d.block.At, ref.Point) {
				continue
			}
			text := fmt.Sprintf("paper: %s (%s)", ref.Claim, ref.Source)
			if whole {
				d.table.Notes = append(d.table.Notes, Note{Text: text})
				continue
			}
			for r, m := range d.Methods {
				if m.Label == ref.Row {
					d.table.Rows[r].Notes = append(d.table.Rows[r].Notes, d.mark(text))
				}
			}
		}
	}
}

// observationNotes says of every row what its components observed in rounds: the mean over cells,
// and between what it lay in any.
func (d *draft) observationNotes() {
	texts := make([]string, len(d.Methods))
	for r, m := range d.Methods {
		var all []fl.Observation
		for _, at := range d.block.Points {
			for _, i := range d.CellsAt(m, d.block, at) {
				if result := d.In.Results[d.In.IDs[i]]; result != nil {
					all = pooled(all, result.Observed)
				}
			}
		}
		var words []string
		for _, o := range all {
			words = append(words, o.String())
		}
		texts[r] = strings.Join(words, "; ")
	}
	for r, text := range texts {
		if text != "" {
			d.table.Rows[r].Notes = append(d.table.Rows[r].Notes, d.mark("observed: "+text))
		}
	}
}

// pooled adds the observations of one more cell; Rounds counts cells.
func pooled(all, more []fl.Observation) []fl.Observation {
	for _, o := range more {
		k := slices.IndexFunc(all, func(a fl.Observation) bool { return a.Name == o.Name })
		if k < 0 {
			o.Rounds = 1
			all = append(all, o)
			continue
		}
		a := &all[k]
		a.Rounds++
		a.Mean += (o.Mean - a.Mean) / float64(a.Rounds)
		a.Least, a.Most = min(a.Least, o.Least), max(a.Most, o.Most)
	}
	return all
}

// provenance says which code of the user's is in cells.
func (d *draft) provenance(cells []int) []string {
	var texts []string
	for _, i := range cells {
		for _, source := range d.In.Cells[i].Sources() {
			_, digest, _ := strings.Cut(source, " ")
			text := "interpreted"
			if slices.Contains(d.In.Compiled[digest], d.In.IDs[i]) {
				text = "compiled"
			}
			if file := d.In.Strategies[digest]; file != "" {
				text += " from " + filepath.Base(file)
			}
			text += ", " + store.BriefDigest(digest)
			if d.In.Unexamined[digest] {
				text += "; it was not examined, and may break what results rely on"
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// remarks returns what components noted in cells, over their seeds.
func (d *draft) remarks(cells []int) []string {
	var all []remark
	results := 0
	for _, i := range cells {
		if result := d.In.Results[d.In.IDs[i]]; result != nil {
			results++
			for _, text := range result.Notes {
				all = append(all, remark{d.In.Cells[i].Seed, text})
			}
		}
	}
	var texts []string
	for _, m := range mergeRemarks(all) {
		texts = append(texts, m.text+m.share(results))
	}
	return texts
}

// estimatedDistributions says where the cohort distribution is an estimate.
func (d *draft) estimatedDistributions(cells []int) []string {
	var all []remark
	for _, i := range cells {
		result := d.In.Results[d.In.IDs[i]]
		if result != nil && !result.Law.Exact && result.Law.Draws > 0 {
			all = append(all, remark{d.In.Cells[i].Seed, fmt.Sprintf(
				"cohort distribution estimated from %d simulated rounds", result.Law.Draws)})
		}
	}
	var texts []string
	for _, m := range mergeRemarks(all) {
		texts = append(texts, m.text)
	}
	return texts
}

// missingResults says why cells have no result.
func (d *draft) missingResults(cells []int) []string {
	var failed, missing []remark
	for _, i := range cells {
		id, seed := d.In.IDs[i], d.In.Cells[i].Seed
		if d.In.Results[id] != nil {
			continue
		}
		if reason, ok := d.In.Failures[id]; ok {
			failed = append(failed, remark{seed, reason})
		} else {
			missing = append(missing, remark{seed, "not run yet"})
		}
	}
	var parts []string
	for _, m := range mergeRemarks(failed) {
		who := seedNames(m.seeds) + " failed: "
		if len(m.seeds) == len(cells) {
			who = "failed: "
		}
		parts = append(parts, who+m.text)
	}
	for _, m := range mergeRemarks(missing) {
		who := seedNames(m.seeds) + " "
		if len(m.seeds) == len(cells) {
			who = ""
		}
		parts = append(parts, who+m.text)
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, "; ")}
}

// cellNotes explains the cells whose trouble is one metric's.
func (d *draft) cellNotes() {
	for r := range d.table.Rows {
		for c := range d.table.Columns {
			cell := &d.table.Rows[r].Cells[c]
			switch cell.State {
			case NotFinite:
				who := ""
				if broken := d.samples[r][c].NonFinite(); len(broken) < cell.Planned {
					who = " with " + seedNames(broken)
				}
				cell.Notes = append(cell.Notes, d.mark("not finite"+who+": not ranked"))
			case Unmeasured:
				cell.Notes = append(cell.Notes, d.mark("not measured here"))
			}
		}
	}
}

func (d *draft) quoteNotes() {
	for r := range d.table.Rows {
		for c := range d.table.Columns {
			if q := d.table.Rows[r].Cells[c].Paper; q != nil && q.Source != "" {
				q.Notes = append(q.Notes, d.mark("paper: "+q.Source))
			}
		}
	}
}
