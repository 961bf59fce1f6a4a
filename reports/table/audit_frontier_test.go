package table

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/ot"
)

// Methods stand beside the least total variation for their variance; what is below it is negative,
// what is within the error of the curve on it.
func TestFrontierTables(t *testing.T) {
	f := &audit.Frontier{
		Convex: ot.Frontier{Points: []ot.FrontierPoint{{Variance: 0.25, TV: 0.4}, {Variance: 0.5, TV: 0.1}},
			Error: 0.002},
		Any: ot.Frontier{Points: []ot.FrontierPoint{{Variance: 0.25, TV: 0.4}, {Variance: 0.4}}},
	}
	finding := func(name string, variance, tv float64) audit.Finding {
		return audit.Finding{Method: name, TV: tv, Frontier: f,
			Effective: &audit.Effective{Variance: variance}}
	}
	group := []audit.Finding{finding("on", 0.25, 0.4), finding("near", 0.375, 0.251),
		finding("above", 0.375, 0.3), finding("below", 0.5, 0), finding("less", 0.2, 0.5),
		{Method: "no mean"}}
	lines := frontierMethods(group)
	for i, want := range [][]string{
		{"on", "0.25", "4", "0.400", "0.400", "0.000", "0.400"},
		{"near", "0.375", "2.67", "0.251", "0.250", "0.000", "0.067"},
		{"above", "0.375", "2.67", "0.300", "0.250", "0.050", "0.067"},
		{"below", "0.5", "2", "0.000", "0.100", "−0.100", "0.000"},
		{"less", "0.2", "5", "0.500", "—", "—", "—"},
		{"no mean", "—", "—", "—", "—", "—", "—"},
	} {
		if !slices.Equal(lines[i+1], want) {
			t.Errorf("%q, want %q", lines[i+1], want)
		}
	}
	budgets := frontierBudgets(group)
	if len(budgets) != 1+shownBudgets || !slices.Equal(budgets[1], []string{"0.25", "4", "0.400", "0.400"}) ||
		!slices.Equal(budgets[shownBudgets], []string{"0.5", "2", "0.100", "0.000"}) {
		t.Errorf("budgets %q", budgets)
	}
	other := *f
	group[0].Frontier = &other
	if budgets = frontierBudgets(group); len(budgets) != 1+2*shownBudgets || budgets[1][0] != "on" ||
		budgets[1+shownBudgets][0] != "near" {
		t.Errorf("two frontiers: %q", budgets)
	}
	if lines = frontierMethods(group[5:]); lines != nil {
		t.Errorf("without a frontier: %q", lines)
	}
}
