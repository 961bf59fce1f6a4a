// Everyone — the whole population is enrolled.

// Package enrollment holds models of which clients can ever participate, one per file.
package enrollment

import "github.com/hansa-fl/hansa/framework/fl"

// Everyone describes the enrolment to the registry.
var Everyone = fl.EnrollmentEntry{
	Name:    "everyone",
	Summary: "the whole population is enrolled",
	New:     func(*fl.Params) (fl.Enrollment, error) { return everyone{}, nil },
}

type everyone struct{}

var _ fl.Enrollment = everyone{}

// Enroll implements fl.Enrollment.
func (everyone) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		in[i], e.Probability[i] = true, 1
	}
	return in
}
