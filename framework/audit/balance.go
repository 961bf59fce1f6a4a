package audit

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// A Balance says how far the clients that count are from the population in what is known of them,
// and on how few of them an estimate rests. Standardised differences are (m − x̄)/σ for a mean m of
// a covariate, its mean x̄ and its standard deviation σ in the population, all by p.
type Balance struct {
	Covariates []CovariateBalance `json:"covariates,omitempty"`

	Stated    *Overlap `json:"overlap_true,omitempty"`      // of eᵢ, where it is known
	Estimated *Overlap `json:"overlap_estimated,omitempty"` // of êᵢ, where covariates are
	Separable bool     `json:"separable,omitempty"`         // covariates decide enrolment

	// Effective is the effective number of clients (Kish), (Σp̃)²/Σp̃², and Largest the largest p̃;
	// both are 0 without p̃. Plain is the effective number by p over the enrolled.
	Effective float64 `json:"effective_clients"`
	Largest   float64 `json:"largest_weight"`
	Plain     float64 `json:"effective_enrolled"`

	// Floored and Truncated are the shares of weights that the aggregator clipped, in the mean of
	// the rounds that the audit plays; nil: it clips none.
	Floored   *float64 `json:"floored,omitempty"`
	Truncated *float64 `json:"truncated,omitempty"`
}

// A CovariateBalance is the standardised differences of one covariate: of the enrolled by p, of
// participants, which are enrolled and count pᵢπᵢ, and of the weights p̃ of the method.
type CovariateBalance struct {
	Name         string  `json:"name"`
	Enrolled     Number  `json:"enrolled"`
	Participants *Number `json:"participants,omitempty"` // nil: inclusion is not known by client
	Weighted     *Number `json:"weighted,omitempty"`     // nil: the method has no p̃
}

// An Overlap is what the probabilities of enrolment are over all clients with p > 0.
type Overlap struct {
	Lowest  float64 `json:"lowest"`
	Twenty  float64 `json:"p05"` // one in twenty clients has less
	Median  float64 `json:"median"`
	Highest float64 `json:"highest"`
	Never   int     `json:"never"` // clients with probability 0
	Rare    int     `json:"rare"`  // with less than RareEnrolment, those included
}

// RareEnrolment is the probability below which an enrolled client counts as more than a hundred.
const RareEnrolment = 0.01

// newBalance returns the part of a balance that does not depend on the method.
func newBalance(w *engine.World, law *fl.Law) (*Balance, error) {
	b, pop := new(Balance), w.Environment
	enrolled, came := make(fl.Vector, pop.N), make(fl.Vector, pop.N)
	for i, p := range pop.Importance {
		if pop.Reaches(i) {
			enrolled[i], came[i] = p, p*law.Inclusion[i]
		}
	}
	b.Plain = stats.Weigh(enrolled).Effective
	names := w.Population.Train.Shape.Covariates
	for j := range pop.Covariates.Cols {
		c := CovariateBalance{Name: names[j], Enrolled: standardised(pop, j, enrolled)}
		if !law.ThinInclusion(w.Roster) && came.Sum() > 0 {
			x := standardised(pop, j, came)
			c.Participants = &x
		}
		b.Covariates = append(b.Covariates, c)
	}
	if !slices.ContainsFunc(w.EnrollmentProbability, math.IsNaN) {
		b.Stated = overlap(w.EnrollmentProbability, pop.Importance)
	}
	if pop.Enrolled == nil || w.Roster.Covariates.Cols == 0 {
		return b, nil
	}
	s := selected(w)
	if s.X.Cols == 0 {
		return b, nil
	}
	if err := s.Estimate(); err != nil {
		return nil, err
	}
	b.Estimated, b.Separable = overlap(s.Chance, pop.Importance), s.Fit.Separable
	return b, nil
}

// weigh adds what depends on the method: its p̃, and what its aggregator observed.
func (b *Balance) weigh(w *engine.World, p fl.Vector, observed []fl.Observation) {
	for j := range b.Covariates {
		x := standardised(w.Environment, j, p)
		b.Covariates[j].Weighted = &x
	}
	is := stats.Weigh(p)
	b.Effective, b.Largest = is.Effective, is.Largest
	for _, o := range observed {
		switch o.Name {
		case fl.ObservedFloored:
			b.Floored = &o.Mean
		case fl.ObservedTruncated:
			b.Truncated = &o.Mean
		}
	}
}

// standardised returns the standardised difference of covariate j by weights, which need not sum to
// 1. That of a covariate that is the same for all is 0.
func standardised(pop *fl.Roster, j int, weights fl.Vector) Number {
	mean, total, all := 0.0, 0.0, 0.0
	for i, p := range pop.Importance {
		x := pop.Covariates.Row(i)[j]
		mean += weights[i] * x
		total += weights[i]
		all += p * x
	}
	variance := 0.0
	for i, p := range pop.Importance {
		variance += p * sq(pop.Covariates.Row(i)[j]-all)
	}
	if variance <= 1e-24*sq(all) {
		return 0
	}
	return Number((mean/total - all) / math.Sqrt(variance))
}

// overlap describes probabilities of clients that count.
func overlap(chance, p fl.Vector) *Overlap {
	var o Overlap
	var list fl.Vector
	for i, e := range chance {
		if p[i] == 0 {
			continue
		}
		list = append(list, e)
		if e == 0 {
			o.Never++
		}
		if e < RareEnrolment {
			o.Rare++
		}
	}
	slices.Sort(list)
	n := len(list)
	o.Lowest, o.Twenty, o.Median, o.Highest = list[0], list[n/20], list[n/2], list[n-1]
	return &o
}
