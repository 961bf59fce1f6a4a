package kinds

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Settlers is an enrolment that looks at covariates, and states its chances.
var Settlers = fl.EnrollmentEntry{
	Name:    "settlers",
	Summary: "the farther from home, the less likely to enrol",
	New: func(p *fl.Params) (fl.Enrollment, error) {
		return &settlers{p.Float("far", 2, fl.Above(0), "distance at which the chance is 1/e")}, nil
	},
}

type settlers struct{ far float64 }

// Enroll draws every client by itself; without covariates all live at home.
func (s *settlers) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	x := e.Roster.Covariates
	for i := range in {
		away := 0.0
		for _, v := range x.Data[i*x.Cols : (i+1)*x.Cols] {
			away += math.Abs(v)
		}
		chance := math.Exp(-away / s.far)
		in[i] = e.RNG.Float64() < chance
		e.Probability[i] = chance
	}
	return in
}
