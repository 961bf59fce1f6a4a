// Recruited enrolment — enrolled clients invite those of their circle, and circles join together.
//
//	L. A. Goodman. Snowball Sampling. Annals of Mathematical Statistics 32, 1961.
//	D. D. Heckathorn. Respondent-Driven Sampling: A New Approach to the Study of Hidden
//	Populations. Social Problems 44, 1997.
//
// Notation: circles of m clients, in the order of clients, of which the last may be smaller; a
// client joins on its own with probability a, and each that has joined invites every other of its
// circle once, which follows with probability b. With x clients outside and y that have joined and
// not yet invited, the expected number that stays outside is
//
//	A(x, 0) = x,  A(x, y) = Σₖ Binomial(x, b)(k) · A(x − k, y − 1 + k),
//
// so that eᵢ = 1 − Σₓ Binomial(m, 1 − a)(x) · A(x, m − x)/m: the same for all of a circle, and
// far from independent of what the others do.
//
// Departures: the sources estimate what a population is like; here it is enrolled by their
// design. Invitations stay in the circle and never end for want of time, as in the chain of
// Reed and Frost.

// Package recruited is a strategy: an enrolment by referral, whose chances are known.
package recruited

import "github.com/hansa-fl/hansa/framework/fl"

// Recruited describes the enrolment.
var Recruited = fl.EnrollmentEntry{
	Name:    "recruited",
	Summary: "clients join on their own or by invitation from their circle",
	Paper:   "L. A. Goodman, Annals of Mathematical Statistics 32, 1961; D. D. Heckathorn, 1997",
	New:     newRecruited,
}

type recruited struct {
	circle int     // m, clients
	alone  float64 // a, (0, 1]
	invite float64 // b, [0, 1]
}

func newRecruited(p *fl.Params) (fl.Enrollment, error) {
	return &recruited{
		circle: p.Int("circle", 5, fl.Closed(1, 100), "m, clients in a circle"),
		alone:  p.Float("alone", 0.2, fl.LeftOpen(0, 1), "a, chance to join without invitation"),
		invite: p.Float("invite", 0.3, fl.Closed(0, 1), "b, chance to follow an invitation"),
	}, nil
}

// Enroll plays the invitations of one circle after another.
func (s *recruited) Enroll(e *fl.EnrollmentInput) []bool {
	n := e.Roster.N
	in := make([]bool, n)
	whole := s.chance(min(s.circle, n))
	for from := 0; from < n; from += s.circle {
		to := min(from+s.circle, n)
		s.gather(e, in[from:to])
		chance := whole
		if to-from < s.circle {
			chance = s.chance(to - from)
		}
		for i := from; i < to; i++ {
			e.Probability[i] = chance
		}
	}
	return in
}

// gather fills in which clients of a circle join.
func (s *recruited) gather(e *fl.EnrollmentInput, in []bool) {
	joined := make([]int, 0, len(in)) // in the order in which they invite
	for i := range in {
		if e.RNG.Float64() < s.alone {
			in[i] = true
			joined = append(joined, i)
		}
	}
	for k := 0; k < len(joined); k++ {
		for i := range in {
			if !in[i] && e.RNG.Float64() < s.invite {
				in[i] = true
				joined = append(joined, i)
			}
		}
	}
}

// chance returns the chance that a client of a circle of m joins.
func (s *recruited) chance(m int) float64 {
	follow, stay := binomials(m, s.invite), binomials(m, 1-s.alone)
	outside := fl.Vector{0} // A(x, n − x) for x = 0 … n, from n = 0 on
	for n := 1; n <= m; n++ {
		next := make(fl.Vector, n+1)
		next[n] = float64(n)
		for x := 0; x < n; x++ {
			for k := 0; k <= x; k++ {
				next[x] += follow[x][k] * outside[x-k]
			}
		}
		outside = next
	}
	return max(0, 1-stay[m].Dot(outside)/float64(m))
}

// binomials returns the laws of x coins for x = 0 … m, by Pascal's rule: sums of positive
// numbers, which lose no digits.
func binomials(m int, p float64) []fl.Vector {
	laws := []fl.Vector{{1}}
	for x := 1; x <= m; x++ {
		law := make(fl.Vector, x+1)
		for k, q := range laws[x-1] {
			law[k] += q * (1 - p)
			law[k+1] += q * p
		}
		laws = append(laws, law)
	}
	return laws
}
