// Selection range — what the enrolled clients can tell of the objective over all clients, if
// enrolment depends on their covariates, and on unobserved variables within odds of Γ.
//
//	Z. Tan. A Distributional Approach for Causal Inference Using Propensity Scores. JASA 101,
//	2006; Q. Zhao, D. S. Small, B. B. Bhattacharya. Sensitivity Analysis for Inverse Probability
//	Weighting Estimators via the Percentile Bootstrap. JRSS B 81, 2019, Proposition 2.
//
// Notation: R the enrolled, fᵢ(θ) the training loss of client i, pᵢ its share in
// F(θ) = Σ pᵢfᵢ(θ), êᵢ its probability to enrol by a logistic regression on covariates that are
// named, and
//
//	F̂(z) = Σ_R wᵢfᵢ(θ)/Σ_R wᵢ,   wᵢ = pᵢ(1 + zᵢ(1/êᵢ − 1)),   1/Γ ≤ zᵢ ≤ Γ.
//
// The ends are the least and the largest F̂(z), exactly; for Γ = 1 both are the estimate of Hájek.
// A level adds, for Γ = 1, the error of enrolment: F̂ ± a quantile of the normal distribution times
// a standard error that counts the estimation of ê; see stats.Selected. The range for Γ > 1 has no
// error of sampling in it. It is a range for selections of the model whose ê is right, not an
// interval of confidence.
//
// F(θ) itself, which no server knows, says whether it is inside. Losses of clients that are not
// enrolled are read for nothing else. Covariates of all clients are read, whatever is disclosed.
//
// Departures: the papers estimate means of outcomes; here they are the losses of clients.

package metric

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Selection describes the metric to the registry.
var Selection = fl.MetricEntry{
	Name:       "selection-range",
	Summary:    "range of the objective by the enrolled, if selection has hidden strength Γ",
	Paper:      "tan2006",
	Deviations: "of the losses of clients, at the model of the round",
	New:        newSelectionRange,
	Traits: fl.MetricTraits{Packed: true, Describes: true,
		Reads: reads(append([]fl.Reading{fl.ReadsEnrollment}, readsObjective...)...),
		Range: func(params map[string]any) (low, high float64) {
			switch {
			case params["end"] == inside:
				return 0, 100
			case params["level"] == 0.0:
				return 0, math.Inf(1)
			}
			return math.Inf(-1), math.Inf(1)
		}},
}

// inside is what is measured of F(θ) and the range.
const inside = "inside"

// selectionL2 is the penalty of the regression, as FedIPW has it by default.
const selectionL2 = 1e-3

type selectionRange struct {
	gamma      float64 // Γ
	level      float64 // 0: without the error of enrolment
	end        string
	covariates []int // columns of those that ê uses
}

var _ fl.Metric = (*selectionRange)(nil)

func newSelectionRange(p *fl.Params) (fl.Metric, error) {
	m := &selectionRange{
		gamma: p.Float("gamma", 1, fl.Closed(1, 1e6), "Γ, by which true odds to enrol may differ "+
			"from those by covariates"),
		level: p.Float("level", 0, fl.Closed(0, 0.9999), "confidence, such as 0.95, where gamma "+
			"is 1; 0: without the error of enrolment"),
		end: p.Choice("end", inside, "100 where F(θ) is inside the range and 0 elsewhere: its "+
			"mean over seeds is a share in percent; or the low or the high end of the range",
			inside, "low", "high"),
		covariates: p.Covariates("covariates", "names of the covariates that enrolment is "+
			"estimated by; all of the data when it is not given"),
	}
	if m.level > 0 && m.gamma > 1 {
		p.Fail("level", "%v needs gamma = 1: the range for gamma above 1 has no error of sampling",
			m.level)
	}
	return m, nil
}

// Measure implements fl.Metric.
func (m *selectionRange) Measure(s *fl.Snapshot) (float64, error) {
	losses := s.ClientLosses()
	low, high, err := m.ends(s.Roster, losses)
	switch {
	case err != nil:
		return 0, err
	case m.end == "low":
		return low, nil
	case m.end == "high":
		return high, nil
	}
	truth := s.Roster.Importance.Dot(losses)
	if rounding := 1e-12 * math.Abs(truth); low-rounding <= truth && truth <= high+rounding {
		return 100, nil
	}
	return 0, nil
}

// ends returns the least and the largest estimate.
func (m *selectionRange) ends(r *fl.Roster, losses fl.Vector) (low, high float64, err error) {
	x := fl.NewMatrix(r.N, len(m.covariates))
	of := stats.Selected{X: x, In: make([]bool, r.N), Share: r.Importance, L2: selectionL2}
	for i := range of.In {
		of.In[i] = r.Reaches(i)
		for k, column := range m.covariates {
			x.Row(i)[k] = r.Covariates.Row(i)[column]
		}
	}
	if err := of.Estimate(); err != nil {
		return 0, 0, err
	}
	if m.level == 0 {
		low, high = of.Range(losses, m.gamma)
		return low, high, nil
	}
	mean, err := of.Mean(losses)
	low, high = mean.Interval(m.level, mean.SE)
	return low, high, err
}

// Unit implements fl.Metric.
func (m *selectionRange) Unit() string {
	if m.end == inside {
		return "%"
	}
	return ""
}

// Higher implements fl.Metric: neither direction is better.
func (m *selectionRange) Higher() bool { return false }
