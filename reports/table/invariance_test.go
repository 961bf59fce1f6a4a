package table_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// TestOrderOfMethodsDecidesNothing: permuting methods permutes rows and changes no number.
func TestOrderOfMethodsDecidesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	for range 60 {
		x := reportstest.Random(rng)
		before := reportstest.Tables(t, x.Input)
		shuffled := x.Input
		shuffled.Cells, shuffled.IDs = nil, nil
		order := map[string]int{}
		for _, i := range rng.Perm(26) {
			order[string(rune('a'+i))] = len(order)
		}
		indices := make([]int, len(x.Cells))
		for i := range indices {
			indices[i] = i
		}
		slices.SortStableFunc(indices, func(a, b int) int {
			return order[x.Cells[a].Method] - order[x.Cells[b].Method]
		})
		for _, i := range indices {
			shuffled.Cells = append(shuffled.Cells, x.Cells[i])
			shuffled.IDs = append(shuffled.IDs, x.IDs[i])
		}
		after := reportstest.Tables(t, shuffled)
		for _, r := range before[0].Rows {
			want := reportstest.Written(t, []table.Table{numbersOf(r)}, render.JSON)
			got := reportstest.Written(t, []table.Table{numbersOf(*reportstest.Row(t, &after[0], r.Method))}, render.JSON)
			if string(got) != string(want) {
				t.Fatalf("row %s was\n%s\nand is\n%s", r.Method, want, got)
			}
		}
	}
}

// numbersOf is a table of one row without the numbers of footnotes.
func numbersOf(r table.Row) table.Table {
	r.Notes = nil
	r.Cells = slices.Clone(r.Cells)
	for i := range r.Cells {
		r.Cells[i].Notes, r.Cells[i].Again = nil, false // they tell of rows above
	}
	return table.Table{Rows: []table.Row{r}}
}

// TestConstantsDecideNothing: adding a constant to all seeds of a metric changes no p, no
// outcome and nothing that is bold.
func TestConstantsDecideNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	tests := 0
	for range 60 {
		x := reportstest.Random(rng)
		before := reportstest.Tables(t, x.Input)
		for _, r := range x.Results {
			r.Series = slices.Clone(r.Series)
			for s := range r.Series[:2] {
				r.Series[s].Values = engine.Floats(reportstest.Shifted(r.Series[s].Values, -64))
			}
		}
		after := reportstest.Tables(t, x.Input)
		for r := range before[0].Rows {
			for c := range before[0].Columns {
				a, b := &before[0].Rows[r].Cells[c], &after[0].Rows[r].Cells[c]
				if a.Best != b.Best || (a.Versus == nil) != (b.Versus == nil) {
					t.Fatalf("cell was %+v and is %+v", a, b)
				}
				if a.Versus == nil {
					continue
				}
				if a.Versus.Outcome != b.Versus.Outcome {
					t.Fatalf("outcome was %s and is %s", a.Versus.Outcome, b.Versus.Outcome)
				}
				if p := float64(a.Versus.P); !math.IsNaN(p) {
					tests++
					reportstest.Near(t, "p", float64(b.Versus.P), p)
				}
			}
		}
	}
	if tests < 100 {
		t.Errorf("only %d tests were made", tests)
	}
}
