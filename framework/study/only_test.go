package study

import (
	"slices"
	"strings"
	"testing"
)

// filtered returns the cells that filters keep.
func filtered(cells []Cell, filters []string) (kept []Cell, err error) {
	is, err := Kept(cells, filters)
	for i, k := range is {
		if k {
			kept = append(kept, cells[i])
		}
	}
	return kept, err
}

// grid returns the cells of 2 methods × 2 × 3 points × 2 seeds.
func grid(t *testing.T) []Cell {
	t.Helper()
	_, cells := expand(t, `
[sweep]
"availability.k" = [2, 5]
size = [
  { label = "5/5",    clients = 5 },
  { label = "10/[x]", clients = 10 },
  { label = "k = 2",  clients = 20 },
]
`, Overrides{Seeds: "2"})
	return cells
}

// TestOnly counts the cells of a grid that filters keep.
func TestOnly(t *testing.T) {
	cells := grid(t)
	for _, c := range []struct {
		filters string
		want    int // negative: an error
	}{
		{"", 24},
		{"method=FedAvg", 12},
		{"method = FedAvg", 12},
		{"method=FedAvg;method=FedAVOT", 24},
		{"method=Fed*", 24},
		{"method=FedA???", 12},
		{"seed=1", 12},
		{"seed=[01]", 24},
		{"availability.k=2", 12},
		{"k=2;k=k = 5", 24},
		{"size=*/*", 16},
		{"size=10/[x]", 8},
		{"size=k = 2", 8},
		{"method=FedAVOT;k=5;size=5?5;seed=0", 1},
		{"method=fedavg", -1},
		{"size=2", -1},
		{"seed=2", -1},
		{"methods=FedAvg", -1},
		{"method", -1},
		{"=", -1},
		{"method=[", -1},
	} {
		var filters []string
		if c.filters != "" {
			filters = strings.Split(c.filters, ";")
		}
		got, err := filtered(cells, filters)
		if len(problemsOf(t, err)) > 0 != (c.want < 0) || len(got) != max(c.want, 0) {
			t.Errorf("%s: %d cells, %v, want %d", c.filters, len(got), err, c.want)
		}
	}
	// A plan that has been cut already may lack what two filters ask for together.
	cut := []Cell{cells[0], cells[len(cells)-1]}
	if got, err := filtered(cut, []string{"method=FedAvg", "seed=1"}); len(got) > 0 || err == nil {
		t.Errorf("%d cells, %v", len(got), err)
	}
}

// Cells that filters keep have filters that keep the same ones; cells that are no grid have none.
func TestFiltersOfCells(t *testing.T) {
	cells := grid(t)
	for _, filters := range []string{"", "method=FedAvg", "seed=1;k=2", "size=5/5;size=k = 2",
		"method=FedAVOT;seed=0;size=10/[x];k=5"} {
		want, err := Kept(cells, split(filters))
		if err != nil {
			t.Fatal(err)
		}
		found, ok := Filters(cells, want)
		if !ok || len(found) != len(split(filters)) {
			t.Errorf("%s: %q, %v", filters, found, ok)
		}
		got, err := Kept(cells, found)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q keeps %v (%v)", filters, found, got, err)
		}
	}
	kept := make([]bool, len(cells))
	if found, ok := Filters(cells, kept); found != nil || !ok {
		t.Errorf("of no cell: %q, %v", found, ok)
	}
	kept[0], kept[len(kept)-1] = true, true
	if found, ok := Filters(cells, kept); ok {
		t.Errorf("of two corners: %q", found)
	}
}

// split returns filters that are written with ; between them.
func split(filters string) []string {
	if filters == "" {
		return nil
	}
	return strings.Split(filters, ";")
}
