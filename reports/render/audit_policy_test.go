package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/reports/table"
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
	if err := AuditText(&b, table.Audit{Findings: []audit.Finding{f}}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.072 ¹ ", `p is unattainable; what is realised in its place, by ` +
		`parameter: on_infeasible = "nearest": total variation from p 0.072, effective cohort size 1.5, ` +
		`noise 0.07; "soft": total variation from p 0.093, ` +
		`effective cohort size 1.75, noise 1.5 ± 0.02` + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
}
