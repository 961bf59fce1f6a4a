package audit_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// enrolledSetting is clients with covariates, of which some are enrolled and all of these come.
const enrolledSetting = `dataset = { name = "population-logistic", samples_per_client = 9 }
model = { name = "logistic", l2 = 0.1 }
disclosure = "full"
importance = "uniform"
clients = 60
availability = "always"
`

// auditEnrolled audits a method where clients are enrolled by their first covariate.
func auditEnrolled(t *testing.T, lines string, o audit.Options) *audit.Finding {
	t.Helper()
	c, s := compose(t, enrolledSetting+lines)
	s.Enrollment = byFirst{}
	f, err := audit.Audit(c, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// byFirst enrols clients with odds of exp x₁.
type byFirst struct{}

func (byFirst) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = 1 / (1 + math.Exp(-e.Roster.Covariates.Row(i)[0]))
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}

// Calibration balances the covariates: differences are 0 by its weights, and for the plain mean
// those of the enrolled. Inverse probabilities balance them better than nothing, and rest on fewer
// clients. What is found survives JSON.
func TestBalance(t *testing.T) {
	o := audit.Options{Balance: true}
	plain := auditEnrolled(t, "aggregator = \"naive\"\n", o).Balance
	for _, c := range plain.Covariates {
		if !near(c.Enrolled, *c.Weighted) || !near(c.Enrolled, *c.Participants) {
			t.Errorf("%s: %v, participants %v, weighted %v", c.Name, c.Enrolled, *c.Participants,
				*c.Weighted)
		}
	}
	if plain.Plain != plain.Effective || plain.Floored != nil || plain.Estimated == nil ||
		plain.Stated == nil || plain.Stated.Lowest <= 0 || plain.Stated.Never != 0 {
		t.Errorf("%+v", plain)
	}
	if first := plain.Covariates[0]; first.Name != "x1" || first.Enrolled < 0.2 {
		t.Errorf("enrolment by x1 leaves it balanced: %+v", first)
	}
	calibrated := auditEnrolled(t, "aggregator = { name = \"calibrated\", "+
		"normalisation = \"hajek\", l2 = 0 }\n", o).Balance
	for _, c := range calibrated.Covariates {
		if math.Abs(float64(*c.Weighted)) > 1e-9 {
			t.Errorf("calibrated, %s: %v", c.Name, *c.Weighted)
		}
	}
	f := auditEnrolled(t, "aggregator = { name = \"fedipw\", normalisation = \"hajek\", "+
		"floor = 0.4 }\n", o)
	ipw := f.Balance
	if b := ipw.Covariates[0]; math.Abs(float64(*b.Weighted)) > 0.7*float64(b.Enrolled) {
		t.Errorf("inverse probabilities: %v, before %v", *b.Weighted, b.Enrolled)
	}
	if ipw.Floored == nil || *ipw.Floored <= 0 || ipw.Effective >= ipw.Plain {
		t.Errorf("%+v", ipw)
	}
	text, err := json.Marshal(f)
	var back audit.Finding
	if err != nil || json.Unmarshal(text, &back) != nil || !reflect.DeepEqual(back.Balance, ipw) {
		t.Errorf("%s became %+v: %v", text, back.Balance, err)
	}
}

func near(a, b audit.Number) bool { return math.Abs(float64(a-b)) < 1e-9 }

// Positivity: clients that can never enrol are counted among the true probabilities.
func TestOverlapCountsImpossibleEnrolment(t *testing.T) {
	c, s := compose(t, "importance = \"uniform\"\n")
	s.Enrollment = chosen{[]bool{true, true, true, true, false, false},
		fl.Vector{1, 0.5, 0.5, 0.005, 0, 0}}
	f, err := audit.Audit(c, s, audit.Options{Balance: true})
	if err != nil {
		t.Fatal(err)
	}
	want := audit.Overlap{Lowest: 0, Twenty: 0, Median: 0.5, Highest: 1, Never: 2, Rare: 3}
	if b := f.Balance; *b.Stated != want || b.Estimated != nil || b.Covariates != nil {
		t.Errorf("%+v, %+v", b, *b.Stated)
	}
}

// The range of F(θ_p̃) at Γ = 1 is the estimate, ranges grow with Γ, that of the strength needed
// holds the truth, and it ends where the loss of one enrolled client is all that counts.
func TestSensitivity(t *testing.T) {
	o := audit.Options{Sensitivity: []float64{1, 1.5, 4, audit.StrongestSelection}}
	f := auditEnrolled(t, "aggregator = \"naive\"\n", o)
	s := f.Sensitivity
	if s.Covariates != 3 || math.Abs(s.Truth-f.Prediction.Optimum-f.Prediction.Floor) > 1e-9 {
		t.Fatalf("%+v, %+v", s, f.Prediction)
	}
	last := audit.SensitivityRange{Least: s.Estimate, Most: s.Estimate, Low: math.Inf(1),
		High: math.Inf(-1)}
	for k, r := range s.Ranges {
		if k == 0 && (math.Abs(r.Least-s.Estimate) > 1e-12 || math.Abs(r.Most-s.Estimate) > 1e-12) {
			t.Errorf("%+v", s)
		}
		if r.Least > last.Least+1e-12 || r.Most < last.Most-1e-12 || r.Low > last.Low ||
			r.High < last.High || r.Low > r.Least || r.High < r.Most {
			t.Errorf("Γ = %v: %+v after %+v", r.Gamma, r, last)
		}
		holds := r.Least <= s.Truth && s.Truth <= r.Most
		if holds != (r.Gamma >= float64(s.Needed)) {
			t.Errorf("Γ = %v: %+v, truth %v, needed %v", r.Gamma, r, s.Truth, s.Needed)
		}
		last = r
	}
	if s.Strength < 1 || math.IsInf(float64(s.Strength), 0) {
		t.Errorf("%+v", s)
	}
	again := auditEnrolled(t, "aggregator = \"naive\"\n", o)
	if !reflect.DeepEqual(again.Sensitivity, s) {
		t.Errorf("%+v, then %+v", s, again.Sensitivity)
	}
	c, all := compose(t, "")
	whole, err := audit.Audit(c, all, o)
	if err != nil || whole.Sensitivity != nil {
		t.Errorf("where all are enrolled: %+v, %v", whole.Sensitivity, err)
	}
}

// Where the server knows covariates of the enrolled alone, the estimate is their mean by p, and any
// truth takes a strength.
func TestSensitivityWithoutCovariates(t *testing.T) {
	c, s := compose(t, "importance = \"uniform\"\n")
	s.Enrollment = chosen{[]bool{true, true, true, true, false, false},
		fl.Vector{0.5, 0.5, 0.5, 0.8, 0.5, 0.5}}
	f, err := audit.Audit(c, s, audit.Options{Options: engine.Options{},
		Sensitivity: []float64{2}})
	if err != nil || f.Sensitivity == nil {
		t.Fatal(err, f.Why)
	}
	x := f.Sensitivity
	// ê = 4/6 with odds of 2, the largest true odds are 4, the smallest 1
	if x.Covariates != 0 || math.Abs(float64(x.Strength)-2) > 1e-9 {
		t.Errorf("%+v", x)
	}
}

// Where weights are p, the floor of every objective is what the optimum of the mean has above its
// least, which is positive; a metric that is no objective has none.
func TestRisksOfTheMean(t *testing.T) {
	f := examine(t, `importance = "uniform"
availability = "always"
selection = "all"
aggregator = { name = "fedavg", weights = "importance" }
metrics = ["objective", { name = "risk", objective = "worst-client" }]
`)
	if len(f.Risks) != 1 || f.Risks[0].Unknown != "" {
		t.Fatalf("%+v: %s", f.Risks, f.Why)
	}
	r := f.Risks[0]
	if !(r.AtMean > 0) || math.Abs(r.Floor-r.AtMean) > 1e-9 || r.Optimum < f.Prediction.Optimum {
		t.Errorf("%+v, mean %v", r, f.Prediction.Optimum)
	}
}
