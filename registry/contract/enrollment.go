package contract

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

func enrollments() exam[fl.Enrollment] {
	type s = *subject[fl.Enrollment]
	return exam[fl.Enrollment]{
		of: registry.Enrollments(),
		checks: []check[s]{
			{"answers", "Enroll says of every client whether it is enrolled, and states only " +
				"probabilities in [0, 1]", "", answersForAll},
			{"repeatable", "a fresh instance with the same stream gives the same answers",
				"answers", repeatsEnrolment},
			{readOnly, "Enroll does not modify the Roster", "answers", readsEnrollment},
			{"draws", "10,000 enrolments agree with the probabilities that are stated, and all " +
				"state the same (p ≥ 1e-4)", "answers", enrolmentDraws},
		},
	}
}

// enrol enrols the clients of the toy once; the k-th time has a stream of its own.
func enrol(s *subject[fl.Enrollment], e fl.Enrollment, k int) ([]bool, *fl.EnrollmentInput) {
	in := &fl.EnrollmentInput{Roster: cloneRoster(s.toy.roster),
		RNG: s.stream("enrollment").At(k, 0).Rand(), Probability: make(fl.Vector, clients)}
	in.Probability.Fill(math.NaN())
	return e.Enroll(in), in
}

func answersForAll(s *subject[fl.Enrollment]) string {
	for k := range 100 {
		answers, in := enrol(s, s.build(), k)
		if len(answers) != clients {
			return fmt.Sprintf("%d answers for %d clients", len(answers), clients)
		}
		for i, e := range in.Probability {
			if e < 0 || e > 1 {
				return fmt.Sprintf("the probability of client %d is %v", i, e)
			}
		}
	}
	return ""
}

func repeatsEnrolment(s *subject[fl.Enrollment]) string {
	for k := range 20 {
		first, a := enrol(s, s.build(), k)
		second, b := enrol(s, s.build(), k)
		if !slices.Equal(first, second) {
			return fmt.Sprintf("%v, and of a fresh instance %v", first, second)
		}
		if found := apart(a.Probability, b.Probability, 0); found != "" {
			return at("probabilities", found)
		}
	}
	return ""
}

func readsEnrollment(s *subject[fl.Enrollment]) string {
	before, after := newDigest(), newDigest()
	before.roster(s.toy.roster)
	_, in := enrol(s, s.build(), 0)
	after.roster(in.Roster)
	if before.sum() != after.sum() {
		return "the Roster changed"
	}
	return ""
}

func enrolmentDraws(s *subject[fl.Enrollment]) string {
	e := s.build()
	came := make(fl.Vector, clients)
	_, first := enrol(s, e, 0)
	for k := range draws {
		answers, in := enrol(s, e, k)
		if found := apart(in.Probability, first.Probability, 0); found != "" {
			return at(fmt.Sprintf("probabilities of enrolment %d", k+1), found)
		}
		for i, enrolled := range answers {
			if enrolled {
				came[i]++
			}
		}
	}
	for i, e := range first.Probability {
		if math.IsNaN(e) {
			continue
		}
		law := distuv.Binomial{N: draws, P: e}
		p := 2 * math.Min(law.CDF(came[i]), 1-law.CDF(came[i]-1))
		if (e == 0 || e == 1) && came[i] != e*draws {
			p = 0
		}
		if p < doubt/clients {
			return fmt.Sprintf("client %d enrolled in a share %.4f of the draws, "+
				"its probability is %.4f", i, came[i]/draws, e)
		}
	}
	return ""
}
