package table

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
)

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
