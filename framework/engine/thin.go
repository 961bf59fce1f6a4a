package engine

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

const (
	// mostUncertain is how many clients of a cohort may or may not finish for its subsets to be
	// listed.
	mostUncertain = 12
	// mostSubsets bounds how many subsets of cohorts are listed, equal ones each time.
	mostSubsets = 1 << 22
)

// afterCompletion returns the law of those that finish of a law of those that are asked, or false
// where only simulated rounds show it. Cohorts that are too many to list are left out of it.
func afterCompletion(s *Setup, w *World, asked fl.Law) (law fl.Law, known bool) {
	if s.Completion.Component == nil {
		return asked, true
	}
	finishes, err := newCompletion(s, w, "simulated ").chances()
	if err != nil {
		return law, false
	}
	law = fl.Law{Exact: asked.Exact, Draws: asked.Draws, Memoryless: asked.Memoryless}
	if asked.Everyone {
		asked.Sets, asked.Q = [][]int{enrolled(w.Roster)}, fl.Vector{1}
	}
	switch {
	case asked.Inclusion != nil:
	case asked.Sets != nil:
		asked.Inclusion = inclusion(&asked, w.Roster.N)
	case asked.Chance != nil && asked.Size == 0:
		asked.Inclusion = asked.Chance
	default:
		return law, false
	}
	law.Inclusion = product(asked.Inclusion, finishes)
	if asked.Expected != nil {
		law.Expected = product(asked.Expected, finishes)
	}
	switch {
	case asked.Repeats != nil:
	case asked.Sets != nil && asked.Expected == nil && listSubsets(&law, &asked, finishes):
	case len(asked.Sets) == 1 && asked.Expected == nil:
		independently(&law, law.Inclusion)
	case asked.Chance != nil && asked.Size == 0:
		independently(&law, product(asked.Chance, finishes))
	}
	return law, true
}

// product returns aᵢ·bᵢ.
func product(a, b fl.Vector) fl.Vector {
	c := a.Clone()
	for i, x := range b {
		c[i] *= x
	}
	return c
}

// independently makes a law that of clients that participate independently.
func independently(law *fl.Law, chance fl.Vector) {
	if chance.Sum() > 0 {
		law.Chance = chance
	}
	none := 0.0
	for _, x := range chance {
		none += math.Log1p(-x)
	}
	law.Empty = math.Exp(none)
}

// listSubsets lists the subsets that finish of the cohorts that are asked, unless they are too
// many.
func listSubsets(law, asked *fl.Law, finishes fl.Vector) bool {
	if !fewSubsets(asked, finishes) {
		return false
	}
	t := cohortCounts{}
	var sure, perhaps, some []int
	for j, set := range asked.Sets {
		sure, perhaps = sure[:0], perhaps[:0]
		for _, i := range set {
			switch x := finishes[i]; {
			case x == 1:
				sure = append(sure, i)
			case x > 0:
				perhaps = append(perhaps, i)
			}
		}
		for bits := range 1 << len(perhaps) {
			q := asked.Q[j]
			some = append(some[:0], sure...)
			for k, i := range perhaps {
				if bits>>k&1 == 1 {
					q *= finishes[i]
					some = append(some, i)
				} else {
					q *= 1 - finishes[i]
				}
			}
			if len(some) == 0 {
				t.empty += q
				continue
			}
			slices.Sort(some)
			t.add(some, q)
		}
		if t.members > mostMembers {
			return false
		}
	}
	listed := t.law()
	law.Sets, law.Q = listed.Sets, listed.Q
	law.Empty = math.Min(1, asked.Empty+(1-asked.Empty)*t.empty)
	return true
}

// fewSubsets reports whether the subsets of cohorts that may be those that finish are few enough to
// be listed, those of several cohorts as often: it is known before any is.
func fewSubsets(asked *fl.Law, finishes fl.Vector) bool {
	sum := 0
	for _, set := range asked.Sets {
		uncertain := 0
		for _, i := range set {
			if finishes[i] > 0 && finishes[i] < 1 {
				uncertain++
			}
		}
		if uncertain > mostUncertain {
			return false
		}
		if sum += 1 << uncertain; sum > mostSubsets {
			return false
		}
	}
	return true
}
