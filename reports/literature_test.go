package reports

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A row from the literature has the number that belongs to a point, at that point, is neither
// ranked nor compared, and is not there where it has no number.
func TestLiterature(t *testing.T) {
	x := newExample("literature", "", loss)
	for _, k := range []string{"2", "5"} {
		x.add(study.Cell{Method: "a", Point: at("k", k)}, all(5, 1))
		x.add(study.Cell{Method: "b", Point: at("k", k)}, all(5, 2))
	}
	for label, k := range map[string]string{"MOON": "5", "SOLO": "9"} {
		x.References = append(x.References, study.Reference{Row: label, Role: "literature",
			Col: "loss", Value: 0.5, Source: "Table 3", Point: []string{k}})
	}
	table := &tables(t, x.Input)[0]
	if len(table.Rows) != 3 {
		t.Fatalf("%d rows, want a, b and MOON", len(table.Rows))
	}
	moon := row(t, table, "MOON")
	for k, c := range moon.Cells {
		if (c.Paper != nil) != (k == 1) || c.State != Absent || c.Best || c.Versus != nil {
			t.Errorf("cell %d: %+v", k, c)
		}
	}
	if moon.Cells[1].Paper.Value != 0.5 || !row(t, table, "a").Cells[1].Best {
		t.Error("the literature has another number, or is ranked")
	}
	var b strings.Builder
	if err := Text(&b, []Table{*table}, TextOptions{}); err != nil ||
		!strings.Contains(b.String(), "from the literature: shown, neither ranked nor tested") {
		t.Errorf("%v, %s", err, b.String())
	}
}
