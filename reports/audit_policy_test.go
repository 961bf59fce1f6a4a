package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
)

// A row whose p is unattainable says what every policy leads to, with noise where it is known.
func TestPoliciesAreAFootnote(t *testing.T) {
	f := audit.Finding{Method: "x", Clients: 20, TV: 0.072, Effective: &audit.Effective{Exact: true},
		Policies: []audit.Policy{
			{Param: "on_infeasible", Value: "nearest", TV: 0.072, Speaking: 1.5, Prediction: &audit.Prediction{
				Level: &audit.Level{Noise: 0.07}}},
			{Param: "on_infeasible", Value: "soft", TV: 0.093, Speaking: 1.752, Prediction: &audit.Prediction{
				Level: &audit.Level{At: 2, Noise: 1.5, Error: 0.02}}}}}
	var b bytes.Buffer
	if err := AuditText(&b, Audit{Findings: []audit.Finding{f}}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.072 ¹ ", `p is unattainable. on_infeasible = "nearest": total ` +
		`variation 0.072, effective cohort size 1.5, noise 0.07; "soft": total variation 0.093, ` +
		`effective cohort size 1.75, noise 1.5 ± 0.02` + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
}

// A level of 0 without an error has none: ± 0 would say that it was simulated.
func TestALevelOfZeroIsExact(t *testing.T) {
	l := audit.Level{}
	if got := expectedText(&l); got != "0" {
		t.Errorf("%q", got)
	}
	if simulatedLevel(audit.Finding{Prediction: &audit.Prediction{Level: &l}}) {
		t.Error("it is called simulated")
	}
}

// Nothing is farther from p than 1 in total variation, unless it has negative weights.
func TestIntervalsOfTotalVariationEndAtOne(t *testing.T) {
	e := audit.Effective{Rounds: 1000, Margin: 0.03}
	for tv, want := range map[float64]string{0.99: "0.960 … 1.000,", 1.2: "1.170 … 1.200,"} {
		if got := simulationNote(&e, tv); !strings.Contains(got, want) {
			t.Errorf("%v: %s", tv, got)
		}
	}
}
