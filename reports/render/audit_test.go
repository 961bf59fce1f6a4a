package render

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// findings are an audit of every kind of method, in two points of a sweep.
func findings() table.Audit {
	few := []study.Coordinate{{Axis: "availability.k", Label: "k = 2"}}
	crowd := []study.Coordinate{{Axis: "availability.k", Label: "k = 100"}}
	pairs := audit.Law{Exact: true, Known: true, Cohorts: 4950,
		Lowest: 0.0004, Highest: 0.0388, Mean: 0.02, Unreachable: 1}
	out := &ot.Certificate{Flow: 0.66, Deficiency: 0.34, Minimal: []int{0, 1, 2, 5},
		Maximal: []int{0, 1, 2, 5}, Mass: 0.5, Reach: 0.16}
	one := audit.Enrolment{Clients: 100, Share: 1, Stated: 100, Lowest: 1, Mean: 1, Violations: 1,
		Violated: 0.01, Violators: []int{7}}
	levels := []audit.Prediction{
		{Optimum: 31.2, Floor: 1e-5, Level: &audit.Level{At: 0.00231, Drift: 1e-4, Noise: 0.002,
			Error: 1e-5, Start: 2e-4, Settles: 1234}},
		{Optimum: 31.2, Floor: 3e-5, Level: &audit.Level{At: 0.00253, Drift: -1e-4, Noise: 0.0022,
			Error: 1e-5, Start: 4e-4}},
	}
	return table.Audit{Title: "Audited", Findings: []audit.Finding{
		{Method: "exact", Point: few, Clients: 100, Law: pairs, Feasibility: out, Enrolment: one,
			TV: 0.416, ChiSquare: audit.Number(math.Inf(1)),
			Effective: &audit.Effective{Exact: true, Total: 0.74, TotalSD: 0.51, Speaking: 1.7, Cohort: 2},
			Prediction: &audit.Prediction{Optimum: 31.2, Floor: 66.4,
				Unknown: "the model has 650 parameters, too many"}, Importance: fl.Vector{0.5, 0.5}},
		{Method: "noted", Point: few, Clients: 100, Law: pairs, Feasibility: out, Enrolment: one, TV: 0.0003,
			Effective: &audit.Effective{Exact: true, Total: 1, Speaking: 1.2, Cohort: 2},
			Why:       "the optimum of this model cannot be computed",
			Notes:     []string{"infeasible: " + out.String() + "; \"tiers\" realises p̃"}},
		{Method: "no mean", Point: few, Clients: 100, Law: pairs, Feasibility: out, Enrolment: one,
			Why: "it is no weighted mean of updates, so it has no p̃"},
		{Method: "learnt", Point: crowd, Clients: 1e6,
			Enrolment: audit.Enrolment{Clients: 4e5, Share: 0.36, Stated: 1e6, Lowest: 0.01, Mean: 0.4,
				Violations: 12, Violated: 0.02, Violators: []int{0, 1, 2, 5, 7, 11, 13, 17, 19, 23, 29, 31}},
			Law:         audit.Law{Exact: true, Lowest: 1e-4, Highest: 1e-4, Mean: 1e-4, Unreachable: 2},
			Feasibility: &ot.Certificate{Deficiency: 0.1, Minimal: []int{7}, Mass: 0.2, Reach: 0.1, Bound: true},
			TV:          0.01, ChiSquare: 0.002, Prediction: &levels[0],
			Training: judgedBy(0.002, 0.003, []audit.Trial{{Seed: 0, Prediction: levels[0], Reached: 0.0022},
				{Seed: 3, Prediction: levels[1], Reached: 0.0026}}),
			Effective: &audit.Effective{Rounds: 10_000, Learns: true, Total: 1, Speaking: 60, Cohort: 100,
				Noise: 0.004}},
		{Method: "once", Point: crowd, Clients: 1e6, Enrolment: audit.Enrolment{Clients: 4e5, Share: 0.36},
			Law:        audit.Law{Exact: true, Lowest: 1e-4, Highest: 1e-3, Mean: 5e-4},
			Effective:  &audit.Effective{Exact: true, Total: 1, Speaking: 60, Cohort: 100},
			Prediction: &levels[1], Training: judgedBy(0.002, 0.003,
				[]audit.Trial{{Seed: 0, Prediction: levels[1], Reached: 0.9}})},
		{Method: "too few rounds", Point: crowd, Clients: 1e6, Enrolment: audit.Enrolment{Clients: 1e6, Share: 1},
			Law:       audit.Law{Known: true, Thin: true, Draws: 20_000, Mean: 1e-4},
			Why:       "20000 simulated rounds are too few to tell clients apart",
			Effective: &audit.Effective{Rounds: 2000, Thin: true, Total: 1, Speaking: 98.5, Cohort: 100}},
	}}
}

// judgedBy returns a training with what simulated ones reach.
func judgedBy(low, high float64, trials []audit.Trial) *audit.Training {
	r := infer.JudgePredictions(trials)
	r.Judged, r.Low, r.High = true, low, high
	r.Agrees = low <= r.Reached && r.Reached <= high
	return r
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
	var back table.Audit
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if want := findings(); !reflect.DeepEqual(back, want) {
		t.Errorf("%+v, want %+v", back, want)
	}
}

// Predictions agree with training when what was reached lies where the means of 95 % of simulated
// trainings do, to within rounding, or linearisation.
func TestTrainingAgreesWithPredictions(t *testing.T) {
	spread := make(fl.Vector, 39) // −1.9 … 1.9
	for k := range spread {
		spread[k] = float64(k-19) / 10
	}
	trials := func(expected float64, affine bool, reached ...float64) (list []audit.Trial) {
		for k, x := range reached {
			l := &audit.Level{At: expected, Affine: affine, Trials: spread.Clone()}
			for r := range l.Trials {
				l.Trials[r] += expected
			}
			list = append(list, audit.Trial{Seed: uint64(k), Reached: x, Prediction: audit.Prediction{
				Floor: 1, Level: l}})
		}
		return list
	}
	for name, c := range map[string]struct {
		trials []audit.Trial
		half   float64
		agrees bool
	}{
		"inside":     {trials(3.8, true, 1, 2, 3), 2.484137712, true}, // t(0.975, 2)/√3
		"outside":    {trials(4.0, true, 1, 2, 3), 2.484137712, false},
		"rounding":   {trials(3.9+1e-7, true, 2, 2, 2), 0, true},
		"linearised": {trials(3.91, false, 2, 2, 2), 0, true},
		"elsewhere":  {trials(3.91, true, 2, 2, 2), 0, false},
		"one seed":   {trials(3, true, 2), 0, true},
	} {
		got := infer.JudgePredictions(c.trials)
		if math.Abs(got.Half-c.half) > 1e-8 || got.Agrees != c.agrees || !got.Judged ||
			math.Abs(got.High-got.Low-3.8) > 1e-9 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if infer.JudgePredictions(nil) != nil {
		t.Error("nothing was trained")
	}
	floors := []audit.Trial{{Prediction: audit.Prediction{Floor: 3}, Reached: 3}}
	if got := infer.JudgePredictions(floors); got.Expected != 3 || got.Judged {
		t.Errorf("without levels: %+v", got)
	}
}

// A row that has not settled says so, and for how long it would have to train. It is not called
// false where the recursion is known near θ̄ only.
func TestRowsThatHaveNotSettled(t *testing.T) {
	level := audit.Level{At: 2, Start: 1, Noise: 1, Settles: 4321, Trials: fl.Vector{2}}
	for affine, want := range map[bool]string{true: "9 ✗", false: "9 not settled"} {
		l := level
		l.Affine = affine
		f := audit.Finding{Method: "x", Clients: 2, Effective: &audit.Effective{Exact: true},
			Prediction: &audit.Prediction{Level: &l}}
		f.Training = infer.JudgePredictions([]audit.Trial{{Prediction: *f.Prediction, Reached: 9}})
		var b bytes.Buffer
		if err := AuditText(&b, table.Audit{Findings: []audit.Finding{f}}, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{want, "until about round 4321", "+ start"} {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%q is missing:\n%s", text, b.String())
			}
		}
	}
}

// The rounds that a prediction is for are those whose mean is the final value.
func TestWindowIsThatOfWhatIsReached(t *testing.T) {
	in := infer.Input{IDs: []string{"a", "b"}, Cells: []study.Cell{{Rounds: 10, Every: 4},
		{Rounds: 3, Every: 1}}, Report: study.Report{Final: 3}}
	for cell, want := range [][]int{{8, 10}, {1, 2, 3}} {
		if got := infer.FinalRounds(&in, cell); !reflect.DeepEqual(got, want) {
			t.Errorf("cell %d: %v, want %v", cell, got, want)
		}
	}
}

// What was reached is the final value of tables: a mean over the last evaluations, of the last
// iterates.
func TestReached(t *testing.T) {
	measure := func(name, key string, average bool) study.Measure {
		return study.Measure{Pick: study.Pick{Name: name}, Key: key, Average: average}
	}
	in := infer.Input{IDs: []string{"a", "b", "c"}, Cells: []study.Cell{
		{Measures: []study.Measure{measure("suboptimality", "mean", true),
			measure("suboptimality", "gap", false)}},
		{Measures: []study.Measure{measure("objective", "objective", false)}}, {}},
		Report: study.Report{Final: 2}, Results: map[string]*engine.Result{"a": {
			Rounds: []int{0, 1, 2}, Series: []engine.Series{
				{Key: "mean", Values: engine.Floats{5, 5, 5}}, {Key: "gap", Values: engine.Floats{9, 4, 2}}}}}}
	for cell, want := range []float64{3, 0, 0} {
		if got, ok := infer.Suboptimality(&in, cell); got != want || ok != (cell == 0) {
			t.Errorf("cell %d: %v, %t", cell, got, ok)
		}
	}
}
