package table

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
)

// Differences stand by covariate and method, weights and ranges by method; what is not known is a
// dash, or a question mark.
func TestSelectionPanels(t *testing.T) {
	number := func(x float64) *audit.Number { n := audit.Number(x); return &n }
	part := 0.125
	overlap := &audit.Overlap{Lowest: 0.001, Twenty: 0.1, Median: 0.5, Highest: 1, Rare: 3}
	group := []audit.Finding{
		{Method: "mean", Enrolment: audit.Enrolment{Clients: 5}, Balance: &audit.Balance{
			Covariates: []audit.CovariateBalance{{Name: "age", Enrolled: 0.25,
				Participants: number(0.3), Weighted: number(-0.05)}},
			Effective: 4, Plain: 5, Largest: 0.4, Floored: &part, Stated: overlap},
			Sensitivity: &audit.Sensitivity{Truth: 1, Estimate: 0.9, Error: 0.01, Strength: 2,
				Needed: audit.Number(math.Inf(1)), Ranges: []audit.SensitivityRange{
					{Gamma: 2, Least: 0.8, Most: 0.95, Low: 0.75, High: 0.97}}}},
		{Method: "no mean", Balance: &audit.Balance{
			Covariates: []audit.CovariateBalance{{Name: "age", Enrolled: 0.25}}}},
		{Method: "not asked"},
	}
	var got AuditTable
	got.addSelection(group)
	want := [][][]string{
		{{"covariate", "enrolled", "participants", "mean", "no mean", "not asked"},
			{"age", "0.250", "0.300", "−0.050", "—", "—"}},
		{{"probability to enrol", "lowest", "5 %", "median", "highest", "never", "below 0.01"},
			{"true", "0.001", "0.1", "0.5", "1", "0", "3"}},
		{{"method", "enrolled", "effective by p", "effective clients", "largest weight", "floored",
			"truncated"},
			{"mean", "5", "5", "4", "0.400", "12.5 %", "—"},
			{"no mean", "0", "0", "—", "—", "—", "—"},
			{"not asked", "0", "—", "—", "—", "—", "—"}},
		{{"method", "F(θ_p̃)", "estimate", "± s.e.", "Γ true", "Γ needed", "Γ = 2", "with sampling"},
			{"mean", "1", "0.9", "0.01", "2", "∞", "0.8 … 0.95", "0.75 … 0.97"}},
	}
	if len(got.Panels) != len(want) {
		t.Fatalf("%q", got.Panels)
	}
	for k, lines := range want {
		for i, line := range lines {
			if !slices.Equal(got.Panels[k][i], line) {
				t.Errorf("panel %d: %q, want %q", k, got.Panels[k][i], line)
			}
		}
	}
	var none AuditTable
	if none.addSelection(group[2:]); none.Panels != nil || none.Notes != nil {
		t.Errorf("not asked: %+v", none)
	}
}
