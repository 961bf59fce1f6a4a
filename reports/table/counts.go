package table

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// CountedRange writes the different numbers of a noun that there are: "5 seeds", "5 or 6 seeds", "3
// to 6 seeds".
func CountedRange(numbers []int, noun string) string {
	list := slices.Compact(slices.Sorted(slices.Values(numbers)))
	if len(list) == 0 {
		return Counted(0, noun)
	}
	low, most := list[0], Counted(list[len(list)-1], noun)
	switch {
	case len(list) == 1:
		return most
	case len(list) == 2 && list[1] == low+1:
		return fmt.Sprintf("%d or %s", low, most)
	}
	return fmt.Sprintf("%d to %s", low, most)
}

// planned lists how many seeds the cells of a table are planned to have.
func (t *Table) planned() (list []int) {
	for r := range t.Rows {
		for c := range t.Rows[r].Cells {
			if n := t.Rows[r].Cells[c].Planned; n > 0 {
				list = append(list, n)
			}
		}
	}
	return list
}

// pairs lists of how many differences the comparisons of a table are, those that have an outcome
// or, for "", all of them.
func (t *Table) pairs(of infer.Outcome) (list []int) {
	for r := range t.Rows {
		for c := range t.Rows[r].Cells {
			if v := t.Rows[r].Cells[c].Versus; v != nil && (of == "" || v.Outcome == of) {
				list = append(list, v.N)
			}
		}
	}
	return list
}

// tested lists of how many differences those comparisons of a table are that were tested.
func (t *Table) tested() []int {
	return append(t.pairs(infer.Significant), t.pairs(infer.NotSignificant)...)
}

// Uneven reports whether numbers differ.
func Uneven(numbers []int) bool {
	return len(numbers) > 0 && slices.Min(numbers) < slices.Max(numbers)
}

// plannedNotes says at rows, or at cells of rows, that they have fewer seeds than others of the
// table, where seeds are what it replicates.
func (d *draft) plannedNotes() {
	all := d.table.planned()
	if !Uneven(all) || d.unit() != "seed" {
		return
	}
	most := slices.Max(all)
	text := func(n int) int {
		over := "over " + Counted(n, "seed")
		if n < infer.FewestSeeds {
			over += fmt.Sprintf(": too few to test, which takes %d", infer.FewestSeeds)
		}
		return d.mark(over)
	}
	for r := range d.table.Rows {
		row := &d.table.Rows[r]
		own := (&Table{Rows: []Row{*row}}).planned()
		if len(own) > 0 && !Uneven(own) && own[0] < most {
			row.Notes = append(row.Notes, text(own[0]))
			continue
		}
		for c := range row.Cells {
			if cell := &row.Cells[c]; cell.Planned > 0 && cell.Planned < most {
				cell.Notes = append(cell.Notes, text(cell.Planned))
			}
		}
	}
}
