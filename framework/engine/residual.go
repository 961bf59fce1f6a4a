package engine

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
)

// errUnstated is why enrolment has no true probabilities.
var errUnstated = errors.New("this enrolment states no probabilities")

// oracle returns the true probabilities of the round whose cohort was drawn last.
func (m *participation) oracle(w *World) (*fl.Oracle, error) {
	var unstated error
	if !m.stated { // once: it does not change from round to round
		if slices.ContainsFunc(w.EnrollmentProbability, math.IsNaN) {
			unstated = errUnstated
		}
		m.stated = unstated == nil
	}
	pi, err := m.inclusion()
	if err := lacking(unstated, err); err != nil {
		return nil, err
	}
	m.told = fl.Oracle{Enrollment: w.EnrollmentProbability, Inclusion: pi}
	return &m.told, nil
}

// lacking joins the errors of several probabilities into one error of one line, or nil.
func lacking(errs ...error) error {
	var lacks []string
	for _, err := range errs {
		if err != nil {
			lacks = append(lacks, err.Error())
		}
	}
	if lacks == nil {
		return nil
	}
	return errors.New(strings.Join(lacks, "; "))
}

// residual adds up how far the weights of clients are from correcting participation.
type residual struct {
	Visits fl.Vector // by client
	Mean   fl.Vector // of πᵢωᵢ/pᵢ over them
	Untold string    // why it cannot be known; empty: it can
}

func newResidual(n int) *residual {
	return &residual{Visits: make(fl.Vector, n), Mean: make(fl.Vector, n)}
}

func (j *residual) clone() *residual {
	if j == nil {
		return nil
	}
	return &residual{j.Visits.Clone(), j.Mean.Clone(), j.Untold}
}

// observe looks at the weights of one round.
func (j *residual) observe(c *Cell, cohort []int, weights fl.Vector) {
	if j.Untold != "" {
		return
	}
	if len(weights) != len(cohort) {
		j.Untold = "this aggregator is no weighted mean of what clients upload"
		return
	}
	truth, err := c.participation.oracle(c.world)
	if err != nil {
		j.Untold = err.Error()
		return
	}
	for k, i := range cohort {
		if p := c.world.Roster.Importance[i]; p > 0 {
			rho := truth.Enrollment[i] * truth.Inclusion[i] * weights[k] / p
			j.Visits[i]++
			j.Mean[i] += (rho - j.Mean[i]) / j.Visits[i]
		}
	}
}

// report puts what was seen into a snapshot.
func (j *residual) report(s *fl.Snapshot) {
	s.Residual, s.Untold = nil, j.Untold
	if j.Untold != "" {
		return
	}
	s.Residual = j.Mean.Clone()
	for i, visits := range j.Visits {
		if visits == 0 {
			s.Residual[i] = math.NaN()
		}
	}
}
