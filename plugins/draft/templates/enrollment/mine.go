// Package mine enrols clients with many samples more often than those with few.
package mine

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the enrolment. New declares a parameter by reading it: name, default, range,
// meaning.
var Mine = fl.EnrollmentEntry{
	Name:    "mine",
	Summary: "the probability of enrolment grows with the number of samples",
	New: func(p *fl.Params) (fl.Enrollment, error) {
		return &mine{
			share:    p.Float("share", 0.5, fl.Open(0, 1), "probability at the typical size"),
			strength: p.Float("strength", 2, fl.Anything(), "how the logit grows with log size"),
		}, nil
	},
}

type mine struct{ share, strength float64 }

// Enroll says of every client whether it is enrolled, once before the first round. It draws from
// e.RNG and nothing else, so that a run can be repeated. The Roster has the covariates of all
// clients, also of those that do not enrol, where the data have some. The probabilities are
// stated in e.Probability, for oracles and audits; they may be left NaN.
func (m *mine) Enroll(e *fl.EnrollmentInput) []bool {
	typical := 0.0 // mean logarithm of the number of samples
	for _, n := range e.Roster.Samples {
		typical += math.Log(float64(n)) / float64(e.Roster.N)
	}
	in := make([]bool, e.Roster.N)
	for i, n := range e.Roster.Samples {
		logit := math.Log(m.share/(1-m.share)) + m.strength*(math.Log(float64(n))-typical)
		e.Probability[i] = 1 / (1 + math.Exp(-logit))
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}
