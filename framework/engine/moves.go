package engine

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// moves are the two moves that decide who trains in a round: nature's and the server's.
type moves struct {
	availability fl.Availability
	selection    fl.Selection
	reach        fl.Reach
	draw         fl.Draw
	nature       fl.Stream
	server       fl.Stream
	natureTap    *fl.Tap
	serverTap    *fl.Tap
}

// newMoves returns the moves of a cell. The prefix keeps simulated rounds apart from real
// ones; it is empty for the latter.
func newMoves(s *Setup, pop *fl.Roster, prefix string) *moves {
	return &moves{
		availability: s.Availability, selection: s.Selection,
		reach:  fl.Reach{Roster: pop, State: fl.NewStore()},
		draw:   fl.Draw{Roster: pop, State: fl.NewStore()},
		nature: fl.NewStream(s.Seed, prefix+"availability"), natureTap: fl.NewTap(),
		server: fl.NewStream(s.Seed, prefix+"selection"), serverTap: fl.NewTap(),
	}
}

// cohort returns the cohort of round t, ascending. It lives until the next call.
func (m *moves) cohort(t int) ([]int, error) {
	m.reach.Recycle()
	m.reach.T, m.reach.RNG = t, m.natureTap.Open(m.nature.At(t, 0))
	available := m.availability.Available(&m.reach)
	if err := m.checkAscending("availability", available); err != nil {
		return nil, err
	}
	if len(available) == 0 {
		return nil, nil
	}
	m.draw.Recycle()
	m.draw.T, m.draw.Available = t, available
	m.draw.RNG = m.serverTap.Open(m.server.At(t, 0))
	cohort := m.selection.Select(&m.draw)
	if err := m.checkAscending("selection", cohort); err != nil {
		return nil, err
	}
	if !same(available, m.reach.Everyone()) && !subset(cohort, available) {
		return nil, fmt.Errorf("selection picked a client that is not available: %v of %v",
			cohort, available)
	}
	return cohort, nil
}

// checkAscending refuses clients that are out of range, out of order or named twice.
func (m *moves) checkAscending(who string, ids []int) error {
	if everyone := m.reach.Everyone(); same(ids, everyone) {
		return nil
	}
	last := -1
	for _, i := range ids {
		if i <= last || i >= m.reach.Roster.N {
			return fmt.Errorf("%s returned client %d after client %d of %d; want them ascending",
				who, i, last, m.reach.Roster.N)
		}
		last = i
	}
	return nil
}

// same reports whether a and b are the same memory.
func same(a, b []int) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// subset reports whether a is part of b; both ascend.
func subset(a, b []int) bool {
	if same(a, b) {
		return true
	}
	k := 0
	for _, i := range a {
		for k < len(b) && b[k] < i {
			k++
		}
		if k == len(b) || b[k] != i {
			return false
		}
	}
	return true
}
