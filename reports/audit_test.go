package reports

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/study"
)

// findings are an audit of every kind of method, in two points of a sweep.
func findings() Audit {
	few := []study.Coordinate{{Axis: "availability.k", Label: "k = 2"}}
	crowd := []study.Coordinate{{Axis: "availability.k", Label: "k = 100"}}
	pairs := audit.Law{Exact: true, Known: true, Cohorts: 4950,
		Lowest: 0.0004, Highest: 0.0388, Mean: 0.02, Unreachable: 1}
	out := &ot.Certificate{Flow: 0.66, Deficiency: 0.34, Minimal: []int{0, 1, 2, 5},
		Maximal: []int{0, 1, 2, 5}, Mass: 0.5, Reach: 0.16}
	return Audit{Title: "Audited", Findings: []audit.Finding{
		{Method: "exact", Point: few, Clients: 100, Law: pairs, Feasibility: out,
			TV: 0.416, ChiSquare: audit.Number(math.Inf(1)),
			Effective:  &audit.Effective{Exact: true, Total: 0.74, TotalSD: 0.51, Speaking: 1.7, Cohort: 2},
			Prediction: &audit.Prediction{Optimum: 31.2, Floor: 66.4}, Importance: fl.Vector{0.5, 0.5}},
		{Method: "noted", Point: few, Clients: 100, Law: pairs, Feasibility: out, TV: 0.0003,
			Effective: &audit.Effective{Exact: true, Total: 1, Speaking: 1.2, Cohort: 2},
			Why:       "the optimum of this model cannot be computed",
			Notes:     []string{"infeasible: " + out.String() + "; \"tiers\" realises p̃"}},
		{Method: "no mean", Point: few, Clients: 100, Law: pairs, Feasibility: out,
			Why: "it is no weighted mean of updates, so it has no p̃"},
		{Method: "learnt", Point: crowd, Clients: 1e6,
			Law:         audit.Law{Exact: true, Lowest: 1e-4, Highest: 1e-4, Mean: 1e-4, Unreachable: 2},
			Feasibility: &ot.Certificate{Deficiency: 0.1, Minimal: []int{7}, Mass: 0.2, Reach: 0.1, Bound: true},
			TV:          0.01, ChiSquare: 0.002, Prediction: &audit.Prediction{Optimum: 31.2, Floor: 1e-5},
			Effective: &audit.Effective{Rounds: 10_000, Learns: true, Total: 1, Speaking: 60, Cohort: 100,
				Noise: 0.004}},
		{Method: "too few rounds", Point: crowd, Clients: 1e6,
			Law:       audit.Law{Known: true, Thin: true, Draws: 20_000, Mean: 1e-4},
			Why:       "20000 simulated rounds are too few to tell clients apart",
			Effective: &audit.Effective{Rounds: 2000, Thin: true, Total: 1, Speaking: 98.5, Cohort: 100}},
	}}
}

func TestAuditText(t *testing.T) {
	for suffix, columns := range map[string]int{".txt": 0, ".80.txt": 80} {
		var b bytes.Buffer
		if err := AuditText(&b, findings(), TextOptions{Width: columns}); err != nil {
			t.Fatal(err)
		}
		golden(t, "audit"+suffix, b.Bytes())
		for line := range strings.Lines(b.String()) {
			if w := width(strings.TrimSuffix(line, "\n")); columns > 0 && w > columns {
				t.Errorf("%d columns of %d: %s", w, columns, line)
			}
		}
	}
}

// What is printed on fewer columns is what is printed on many.
func TestNarrowAuditsSayTheSame(t *testing.T) {
	words := func(columns int) map[string]bool {
		var b bytes.Buffer
		if err := AuditText(&b, findings(), TextOptions{Width: columns}); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for word := range strings.FieldsSeq(strings.NewReplacer("━", "", "─", "").Replace(b.String())) {
			seen[word] = true
		}
		return seen
	}
	if wide, narrow := words(0), words(70); !reflect.DeepEqual(wide, narrow) {
		t.Errorf("%v\n%v", wide, narrow)
	}
}

// JSON keeps every finding, infinities as well.
func TestAuditJSON(t *testing.T) {
	var b bytes.Buffer
	if err := AuditJSON(&b, findings()); err != nil {
		t.Fatal(err)
	}
	var back Audit
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if want := findings(); !reflect.DeepEqual(back, want) {
		t.Errorf("%+v, want %+v", back, want)
	}
}
