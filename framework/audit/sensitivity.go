package audit

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A Sensitivity says what the enrolled can tell of F(θ_p̃), the objective over all clients where a
// method ends, if enrolment depends on more than the server knows of clients. Probabilities êᵢ are
// those of a logistic regression on the covariates that it knows; see stats.Selected.
type Sensitivity struct {
	Covariates int     `json:"covariates"` // that ê uses; 0: ê is the same for all
	Truth      float64 `json:"truth"`      // F(θ_p̃) over all clients, which no server knows
	Estimate   float64 `json:"estimate"`   // of it by the enrolled, where Γ = 1
	Error      float64 `json:"error"`      // its standard error
	Strength   Number  `json:"strength"`   // least Γ of the true eᵢ and êᵢ; NaN: not stated
	Needed     Number  `json:"needed"`     // least Γ whose range holds the truth; ∞: none

	Ranges []SensitivityRange `json:"ranges"`
}

// A SensitivityRange is the range of F(θ_p̃) over all selections of strength Γ, and that with the
// error of sampling clients: a percentile bootstrap interval of 95 %.
type SensitivityRange struct {
	Gamma float64 `json:"gamma"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

const (
	resamples     = 400
	mostResampled = 200_000_000 // clients times draws, squared covariates included
	selectionL2   = 1e-3        // as FedIPW has it by default
)

// StrongestSelection is the largest strength Γ that is looked at.
const StrongestSelection = 1e6

// selected returns the population as the server sees its enrolment: by the covariates of all
// clients where these are disclosed, and by none otherwise.
func selected(w *engine.World) *stats.Selected {
	pop := w.Roster
	s := &stats.Selected{X: pop.Covariates, In: make([]bool, pop.N), Share: pop.Importance,
		L2: selectionL2}
	for i := range s.In {
		s.In[i] = pop.Reaches(i)
	}
	for _, x := range s.X.Data {
		if math.IsNaN(x) { // of clients that are not enrolled
			s.X = fl.Matrix{}
			break
		}
	}
	s.X.Rows = pop.N
	return s
}

// sensitivity returns what selections of these strengths make of F(θ); nil where all are enrolled.
func sensitivity(
	s *engine.Setup, w *engine.World, theta fl.Vector, strengths []float64,
) (*Sensitivity, error) {
	if w.Environment.Enrolled == nil {
		return nil, nil
	}
	at := fl.Snapshot{Worker: s.Model.Worker(), Roster: w.Environment, Population: w.Population,
		Params: theta}
	losses := at.ClientLosses()
	of := selected(w)
	if err := of.Estimate(); err != nil {
		return nil, fmt.Errorf("sensitivity to enrolment: %w", err)
	}
	mean, err := of.Mean(losses)
	if err != nil {
		return nil, fmt.Errorf("sensitivity to enrolment: %w", err)
	}
	out := &Sensitivity{Covariates: of.X.Cols, Truth: w.Environment.Importance.Dot(losses),
		Estimate: mean.Value, Error: mean.SE,
		Strength: strength(w.EnrollmentProbability, of.Chance, of.Share)}
	out.Needed = needed(of, losses, out.Truth)
	k := of.X.Cols + 1
	draws := min(resamples, max(40, mostResampled/(of.X.Rows*k*k)))
	boot := of.Resample(draws, fl.NewStream(s.Seed, "sensitivity").Rand())
	for _, gamma := range strengths {
		r := SensitivityRange{Gamma: gamma}
		r.Least, r.Most = of.Range(losses, gamma)
		r.Low, r.High = boot.Range(losses, gamma, 0.95)
		out.Ranges = append(out.Ranges, r)
	}
	return out, nil
}

// strength returns the least Γ for which true probabilities are within odds of the estimated ones,
// for all clients that count.
func strength(truth, estimated, p fl.Vector) Number {
	most := 0.0
	for i, e := range truth {
		if p[i] == 0 {
			continue
		}
		ratio := math.Log(e/(1-e)) - math.Log(estimated[i]/(1-estimated[i]))
		if math.IsNaN(e) {
			return Number(math.NaN())
		}
		if !math.IsNaN(ratio) { // else both are 0, or 1
			most = max(most, math.Abs(ratio))
		}
	}
	return Number(math.Exp(most))
}

// needed returns the least Γ whose range holds a value, to six digits.
func needed(of *stats.Selected, losses fl.Vector, truth float64) Number {
	holds := func(logGamma float64) bool {
		least, most := of.Range(losses, math.Exp(logGamma))
		return least <= truth && truth <= most
	}
	low, high := 0.0, math.Log(StrongestSelection)
	switch {
	case holds(low):
		return 1
	case !holds(high):
		return Number(math.Inf(1))
	}
	for high-low > 1e-6 {
		if mid := (low + high) / 2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return Number(math.Exp(high))
}
