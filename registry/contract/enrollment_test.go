package contract

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

type enrollment func(e *fl.EnrollmentInput) []bool

func (f enrollment) Enroll(e *fl.EnrollmentInput) []bool { return f(e) }

// lottery enrols everyone with a chance of its own, which it states.
var lottery = fl.EnrollmentEntry{
	Name: "lottery", Summary: "by lot",
	New: func(p *fl.Params) (fl.Enrollment, error) {
		top := p.Float("top", 0.9, fl.Open(0, 1), "the chance of the last client")
		return enrollment(func(e *fl.EnrollmentInput) []bool { return lots(e, top) }), nil
	},
}

func lots(e *fl.EnrollmentInput, top float64) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = 1 - (1-top)*float64(i+1)/float64(len(in))
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}

func TestBadEnrollments(t *testing.T) {
	enrols := func(breaks, found string, f func(e *fl.EnrollmentInput) []bool) citizen[fl.Enrollment] {
		return made(breaks, found, func() fl.Enrollment { return enrollment(f) })
	}
	calls := 0
	catches(t, enrollments(), enrollments().checks, []citizen[fl.Enrollment]{
		enrols("answers", "5 answers for 6", func(e *fl.EnrollmentInput) []bool { return lots(e, .5)[1:] }),
		enrols("answers", "the probability of client 2 is 1.5", func(e *fl.EnrollmentInput) []bool {
			in := lots(e, .5)
			e.Probability[2] = 1.5
			return in
		}),
		enrols("repeatable", "of a fresh instance", func(e *fl.EnrollmentInput) []bool {
			in := lots(e, .5)
			calls++
			in[0] = calls%2 == 0
			e.Probability[0] = 0.5
			return in
		}),
		enrols("read-only", "the Roster changed", func(e *fl.EnrollmentInput) []bool {
			e.Roster.Covariates.Data[0]++
			return lots(e, .5)
		}),
		enrols("draws", "client 3 enrolled in a share", func(e *fl.EnrollmentInput) []bool {
			in := lots(e, .5)
			e.Probability[3] += 0.03
			return in
		}),
		enrols("draws", "client 5 enrolled in a share", func(e *fl.EnrollmentInput) []bool {
			in := lots(e, .5)
			e.Probability[5] = 1
			return in
		}),
	})
}
