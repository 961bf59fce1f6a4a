package engine

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// enrolled lists the enrolled clients, ascending.
func enrolled(pop *fl.Roster) []int {
	ids := make([]int, 0, pop.N)
	for i := range pop.N {
		if pop.Reaches(i) {
			ids = append(ids, i)
		}
	}
	return ids
}

// natureLaw returns the law of the available clients: that of the availability model, less those
// that are not enrolled.
func natureLaw(s *Setup, w *World) (fl.Law, bool) {
	pop := w.Environment
	law, known := s.Availability.Law(pop)
	if !known || pop.Enrolled == nil {
		return law, known
	}
	out, known := reachedLaw(law, pop)
	for _, phase := range law.Phases {
		here, listed := reachedLaw(phase, pop)
		if !listed {
			out.Phases = nil
			break
		}
		out.Phases, out.Shares = append(out.Phases, here), law.Shares
	}
	return out, known
}

// reachedLaw returns what a law is of the enrolled alone, or false where that has no closed form.
func reachedLaw(law fl.Law, pop *fl.Roster) (fl.Law, bool) {
	if law.Everyone {
		return law, true
	}
	out := fl.Law{Exact: law.Exact, Draws: law.Draws, Memoryless: law.Memoryless}
	if law.Inclusion != nil {
		out.Inclusion = law.Inclusion.Clone()
		silence(out.Inclusion, pop)
	}
	switch {
	case law.Sets != nil:
		t := cohortCounts{}
		var here []int
		for j, set := range law.Sets {
			here = append(here[:0], set...)
			here = slices.DeleteFunc(here, func(i int) bool { return !pop.Reaches(i) })
			if len(here) == 0 {
				t.empty += law.Q[j]
			} else {
				t.add(here, law.Q[j])
			}
		}
		if len(t.sets) > 0 {
			listed := t.law()
			out.Sets, out.Q = listed.Sets, listed.Q
		}
		out.Empty = law.Empty + (1-law.Empty)*t.empty
		if out.Inclusion == nil {
			out.Inclusion = inclusion(&out, pop.N)
		}
	case law.Chance != nil && law.Size == 0:
		out.Chance = law.Chance.Clone()
		silence(out.Chance, pop)
		out.Empty = 1
		for _, b := range out.Chance {
			out.Empty *= 1 - b
		}
	case law.Chance != nil && out.Inclusion == nil:
		return law, false // how many of a given number are enrolled has no closed form here
	}
	return out, true
}

// silence sets what belongs to clients that are not enrolled to zero.
func silence(v fl.Vector, pop *fl.Roster) {
	for i := range v {
		if !pop.Reaches(i) {
			v[i] = 0
		}
	}
}

// availability returns P(client i is available) for rounds in which the model itself says no
// more, or nil when that has no closed form.
func availability(s *Setup, pop *fl.Roster) fl.Vector {
	law, known := s.Availability.Law(pop)
	switch {
	case !known:
		return nil
	case law.Inclusion != nil:
		return law.Inclusion
	case law.Everyone:
		all := make(fl.Vector, pop.N)
		all.Fill(1)
		return all
	case law.Sets != nil:
		return inclusion(&law, pop.N)
	}
	return nil
}
