package table_test

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// A row from the literature has the number that belongs to a point, at that point, is neither
// ranked nor compared, and is not there where it has no number.
func TestLiterature(t *testing.T) {
	x := reportstest.NewExample("literature", "", reportstest.Loss)
	for _, k := range []string{"2", "5"} {
		x.Add(study.Cell{Method: "a", Point: reportstest.At("k", k)}, reportstest.All(5, 1))
		x.Add(study.Cell{Method: "b", Point: reportstest.At("k", k)}, reportstest.All(5, 2))
	}
	for label, k := range map[string]string{"MOON": "5", "SOLO": "9"} {
		x.References = append(x.References, study.Reference{Row: label, Role: "literature",
			Col: "loss", Value: 0.5, Source: "Table 3", Point: []string{k}})
	}
	tab := &reportstest.Tables(t, x.Input)[0]
	if len(tab.Rows) != 3 {
		t.Fatalf("%d rows, want a, b and MOON", len(tab.Rows))
	}
	moon := reportstest.Row(t, tab, "MOON")
	for k, c := range moon.Cells {
		if (c.Paper != nil) != (k == 1) || c.State != table.Absent || c.Best || c.Versus != nil {
			t.Errorf("cell %d: %+v", k, c)
		}
	}
	if moon.Cells[1].Paper.Value != 0.5 || !reportstest.Row(t, tab, "a").Cells[1].Best {
		t.Error("the literature has another number, or is ranked")
	}
	var b strings.Builder
	if err := render.Text(&b, []table.Table{*tab}, render.TextOptions{}); err != nil ||
		!strings.Contains(b.String(), "from the literature: shown, neither ranked nor tested") {
		t.Errorf("%v, %s", err, b.String())
	}
}
